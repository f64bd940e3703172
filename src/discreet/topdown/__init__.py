"""Census releases: counts of a whole country, consistent at every level of its geography."""
