"""Names of inputs and canaries: what has the same name is the same."""

from __future__ import annotations

import pickle
from typing import Any


def name_input(given: Any) -> bytes | int:
    """Return a name that two different inputs never share: a large array's `repr` leaves out its middle."""
    try:
        return pickle.dumps(given)
    except Exception:
        return id(given)
