"""The measurement of a census release: one operation at the door, and what it released."""
