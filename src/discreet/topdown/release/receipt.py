"""The receipt of a release: what it cost, what that means, and between which databases the guarantee holds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from discreet.answers.receipt import Receipt
from discreet.privacy.neighbours import Neighbours
from discreet.topdown.planning.noise import plan_noise
from discreet.topdown.spec.census_spec import CensusSpec

FILE = "receipt.json"
STRICT_DELTA = Fraction(1, 10**11)
"""Epsilon is told at this delta too: at the 1e-10 that was announced in 2020, a country's people exceed 1 %."""


def describe_receipt(spec: CensusSpec, receipt: Receipt) -> dict[str, Any]:
    """Return the receipt of a release as JSON values: exact numbers as texts, epsilons certified from above."""
    noise = plan_noise(spec)
    deltas = sorted({spec.allocation.delta, STRICT_DELTA}, reverse=True)
    return {
        "charge": receipt.to_dict(),
        "rho": str(spec.allocation.rho),
        "spent": str(noise.spent),
        "epsilon": [{"delta": str(delta), "epsilon": noise.certify(delta).high} for delta in deltas],
        "neighbours": spec.policy.neighbours.value,
        "protects": describe_neighbours(spec),
        "invariants": [
            {
                "name": each.name,
                "level": spec.geography.levels[each.level].name,
                "query": each.query.name,
                "exact": each.exact,
            }
            for each in spec.invariants
        ],
        "guarantee": list(spec.guarantee) or ["nothing was public: the guarantee holds between all neighbours"],
    }


def describe_neighbours(spec: CensusSpec) -> str:
    """Say between which databases the guarantee holds, but for what is public."""
    rows = "one row" if spec.rows == 1 else f"at most {spec.rows:,} rows"
    if spec.policy.neighbours is Neighbours.REPLACE:
        return f"databases that differ in one person, with {rows}, who is replaced by another"
    return f"databases that differ in one person, with {rows}, who is added or removed"
