"""The best linear estimate of all areas at once, from noisy counts at every level of a geography.

Everything here computes on numbers that are public or already noisy: it draws no noise and reads no private rows.
"""
