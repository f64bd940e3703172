"""Statistics of a table by mechanisms that bound themselves what a person changes."""
