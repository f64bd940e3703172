"""Floor 2: what is asked, as trees: the plan, the bounded plan, and the table of allowed functions."""
