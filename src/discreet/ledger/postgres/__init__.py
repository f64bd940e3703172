"""The ledger on a PostgreSQL server: one budget for many hosts."""
