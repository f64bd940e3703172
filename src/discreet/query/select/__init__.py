"""Reading a SELECT: FROM, joins, WHERE, GROUP BY, its columns and subqueries."""
