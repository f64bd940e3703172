"""discreet: differential privacy with exact integer noise.

Importing this package loads nothing outside the standard library; each name below is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet import base, mechanisms, noise, privacy
    from discreet.base.errors import DiscreetError, ExhaustedError, ParameterError
    from discreet.mechanisms import (
        CountingQueries,
        DiscreteGaussian,
        Exponential,
        Gaussian,
        Geometric,
        Grid,
        Laplace,
        NoisyMax,
        PermuteAndFlip,
        RandomizedResponse,
        SparseVector,
        Staircase,
        TruncatedLaplace,
    )

__version__ = "0.1.0"

__all__ = [
    "CountingQueries",
    "DiscreetError",
    "DiscreteGaussian",
    "ExhaustedError",
    "Exponential",
    "Gaussian",
    "Geometric",
    "Grid",
    "Laplace",
    "NoisyMax",
    "ParameterError",
    "PermuteAndFlip",
    "RandomizedResponse",
    "SparseVector",
    "Staircase",
    "TruncatedLaplace",
    "base",
    "mechanisms",
    "noise",
    "privacy",
]

_ROOMS = ("base", "mechanisms", "noise", "privacy")


def __getattr__(name: str) -> object:
    if name in _ROOMS:
        return importlib.import_module(f"discreet.{name}")
    if name in __all__:
        home = "discreet.base.errors" if name.endswith("Error") else "discreet.mechanisms"
        return getattr(importlib.import_module(home), name)
    raise AttributeError(f"module 'discreet' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
