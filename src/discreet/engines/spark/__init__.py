"""Apache Spark: the same bounded plans on a cluster, and the same whole numbers out."""
