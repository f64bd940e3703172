"""The owner's side: budget, versions of the data, checks, and what tables are there."""
