"""Floor 0: errors, parameter checks, directed rounding, wide integers and grids.

Everything here is exact or rounded in a stated direction; nothing here knows about privacy.
"""
