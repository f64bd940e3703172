"""DuckDB: the embedded engine, in this process."""
