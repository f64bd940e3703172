"""Floor 3: from SQL or the fluent API to a plan, a bounded plan, and a price."""
