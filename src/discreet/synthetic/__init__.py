"""Synthetic data: models of a table that anybody may sample from and ask, made by multiplicative weights."""
