"""The one estimator: from noisy measurements to a distribution, in forms for small, sparse and wide domains.

Everything here computes on numbers that are public or already noisy: it draws no noise and reads no private rows.
"""
