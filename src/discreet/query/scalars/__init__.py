"""Reading expressions over one row: names, constants, functions, and what is refused."""
