"""Intervals for sampling and noise together."""
