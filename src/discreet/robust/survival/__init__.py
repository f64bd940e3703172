"""Survival curves and the log-rank test, from noisy counts."""
