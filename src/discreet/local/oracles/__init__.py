"""Frequency oracles on the collector's side: bulk encoding, counting, and how many reports support each item."""
