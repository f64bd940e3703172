"""PostgreSQL's protocol, version 3: any client of PostgreSQL can ask. It knows visits and answers, and no privacy."""
