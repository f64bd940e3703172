"""discreet: ask sensitive tables, get private answers with error bars, and never overspend.

Importing this package loads nothing outside the standard library; each name below is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet import (
        answers,
        audit,
        base,
        curator,
        engines,
        ledger,
        mechanisms,
        noise,
        plan,
        policy,
        privacy,
        query,
        robust,
        synthetic,
        topdown,
    )
    from discreet.answers import Answer
    from discreet.base.errors import (
        BudgetError,
        DiscreetError,
        ExhaustedError,
        FailedError,
        LedgerError,
        OperationError,
        ParameterError,
        PendingError,
        PolicyError,
        QueryError,
        StoppedError,
        SuspendedError,
    )
    from discreet.curator import Curator, col
    from discreet.mechanisms import (
        CountingQueries,
        DiscreteGaussian,
        Exponential,
        Gaussian,
        Geometric,
        Grid,
        KeySelection,
        KeyThreshold,
        Laplace,
        NoisyMax,
        PermuteAndFlip,
        Quantile,
        RandomizedResponse,
        SparseVector,
        Staircase,
        TruncatedLaplace,
    )
    from discreet.query.candidates import CandidateRange
    from discreet.server.client import connect
    from discreet.synthetic import (
        Condition,
        Marginals,
        Parities,
        Questions,
        Ranges,
        SyntheticModel,
        load_model,
        synthesize,
        write_report,
        write_table,
    )

__version__ = "0.1.0"

_HOMES = {
    "discreet.answers": ("Answer",),
    "discreet.base.errors": (
        "BudgetError",
        "DiscreetError",
        "ExhaustedError",
        "FailedError",
        "LedgerError",
        "OperationError",
        "ParameterError",
        "PendingError",
        "PolicyError",
        "QueryError",
        "StoppedError",
        "SuspendedError",
    ),
    "discreet.curator": ("Curator", "col"),
    "discreet.query.candidates": ("CandidateRange",),
    "discreet.server.client": ("connect",),
    "discreet.synthetic": (
        "Condition",
        "Marginals",
        "Parities",
        "Questions",
        "Ranges",
        "SyntheticModel",
        "load_model",
        "synthesize",
        "write_report",
        "write_table",
    ),
}
"""Where names are found that are no mechanism's."""

_WINGS = {"Curator": ("discreet.synthetic.online",)}
"""Wings that are loaded with a name, so that what a policy asks of them is there."""

_ROOMS = (
    "answers",
    "audit",
    "base",
    "curator",
    "engines",
    "ledger",
    "mechanisms",
    "noise",
    "plan",
    "policy",
    "privacy",
    "query",
    "robust",
    "synthetic",
    "topdown",
)

__all__ = [
    "Answer",
    "BudgetError",
    "CandidateRange",
    "Condition",
    "CountingQueries",
    "Curator",
    "DiscreetError",
    "DiscreteGaussian",
    "ExhaustedError",
    "Exponential",
    "FailedError",
    "Gaussian",
    "Geometric",
    "Grid",
    "KeySelection",
    "KeyThreshold",
    "Laplace",
    "LedgerError",
    "Marginals",
    "NoisyMax",
    "OperationError",
    "ParameterError",
    "Parities",
    "PendingError",
    "PermuteAndFlip",
    "PolicyError",
    "Quantile",
    "QueryError",
    "Questions",
    "RandomizedResponse",
    "Ranges",
    "SparseVector",
    "Staircase",
    "StoppedError",
    "SuspendedError",
    "SyntheticModel",
    "TruncatedLaplace",
    "answers",
    "audit",
    "base",
    "col",
    "connect",
    "curator",
    "engines",
    "ledger",
    "load_model",
    "mechanisms",
    "noise",
    "plan",
    "policy",
    "privacy",
    "query",
    "robust",
    "synthesize",
    "synthetic",
    "topdown",
    "write_report",
    "write_table",
]


def __getattr__(name: str) -> object:
    if name in _ROOMS:
        return importlib.import_module(f"discreet.{name}")
    if name in __all__:
        for wing in _WINGS.get(name, ()):
            importlib.import_module(wing)
        home = next((home for home, names in _HOMES.items() if name in names), "discreet.mechanisms")
        return getattr(importlib.import_module(home), name)
    raise AttributeError(f"module 'discreet' has no attribute {name!r}")


def load_ipython_extension(ipython: object) -> None:
    """Give a notebook the magics `%discreet` and `%%discreet`: what `%load_ext discreet` runs."""
    importlib.import_module("discreet.cli.notebook").load(ipython)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
