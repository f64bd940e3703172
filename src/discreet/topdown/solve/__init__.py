"""From estimates to counts: non-negative, consistent with parent and invariants, then whole; and their own check.

Everything here computes on numbers that are public or already noisy: it draws no noise and reads no private rows.
"""
