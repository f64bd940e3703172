"""PostgreSQL 15 and newer: tables and views of a server, read in one snapshot per question."""
