"""Synthetic tables and enormous numbers of answers, fitted to a few noisy measurements."""
