"""Exact gradients of linear models: whole numbers that no unit's absence changes, whoever else is there."""
