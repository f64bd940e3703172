"""RAPPOR, decoded: which texts were reported, how often, and with which others."""
