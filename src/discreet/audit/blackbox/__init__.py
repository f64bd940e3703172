"""Lower bounds on what a mechanism loses, from its outputs alone."""
