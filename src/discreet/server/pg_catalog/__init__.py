"""PostgreSQL's catalog, made from public facts alone: a locked DuckDB in memory answers what clients look up."""
