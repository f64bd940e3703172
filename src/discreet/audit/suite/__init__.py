"""Mechanisms right and wrong, of which is known what they lose: what an audit must find, and what it must not."""
