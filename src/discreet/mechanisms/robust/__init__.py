"""Mechanisms for data whose worst case is hopeless: their noise follows how the data at hand would move."""
