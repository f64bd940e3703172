"""Attacks on guarantees: what a mechanism leaks at the least, and what people learn where nothing protects."""
