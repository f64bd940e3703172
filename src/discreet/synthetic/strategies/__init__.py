"""Strategies: what is measured, in which order, with what part of the allowance."""
