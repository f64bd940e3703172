"""What tests of learning share: visits whose cost follows from age, and a task for every kind of model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from support.clinic import Visit, make_visits

RNG = np.random.default_rng(16)
AGES = RNG.integers(0, 111, 3000)
ROWS: list[Visit] = [
    (number, int(age), float(age * 20 + RNG.normal() * 200), str(RNG.choice(["north", "south", "icu"])))
    for number, age in enumerate(AGES)
]
TABLE: pa.Table = make_visits(ROWS)

SUMS: dict[str, dict[str, Any]] = {
    "linear": {"target": "cost", "features": ["age", "ward"]},
    "ridge": {"target": "cost", "features": ["age", "quantity"], "alpha": 50.0},
    "pca": {"features": ["age", "cost", "ward"], "components": 3},
    "kmeans": {"features": ["age", "cost", "ward"], "clusters": 3},
    "bayes": {"target": "ward", "features": ["age", "cost", "quantity > 2"]},
    "stumps": {"target": "cost > 1100", "features": ["age", "ward", "quantity", "age / 2 AS half", "day"]},
}
"""A task for every kind that is made of sums."""

DESCENTS: dict[str, dict[str, Any]] = {
    "logistic": {"target": "ward", "features": ["age", "cost"]},
    "huber": {"target": "cost", "features": ["age"]},
}
"""Tasks for kinds that descend."""

DRAWS = {"linear": 17, "ridge": 17, "pca": 1, "kmeans": 6, "bayes": 1, "stumps": 31}
"""How many draws each kind makes."""
