"""A ledger in files: an SQLite database with its locks and leases, large answers and failures beside it."""
