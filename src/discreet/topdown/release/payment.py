"""What a run paid for its measurements: charged, or found in the ledger; what that cost, and what is left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.answers.receipt import CHARGED, SHARED, Receipt
from discreet.base.showing import ShownAsText
from discreet.topdown.spec.allocation import write_rho

ROUNDING = Fraction(1, 10**20)
"""By how much a charge may be above rho since each measurement's is rounded up to the ledger's smallest part."""


@dataclass(frozen=True, repr=False)
class ReleasePayment(ShownAsText):
    """The receipt of a run, and the share that is left of each budget after it, by name."""

    receipt: Receipt
    left: Mapping[str, float]
    rho: Fraction
    """What the spec says. The ledger charges no more, unless the policy's least for any question is above it."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values: how it was paid, what it is worth, and what is left."""
        return {**self.receipt.to_dict(), "left": dict(self.left)}

    def __str__(self) -> str:
        cost = f"rho {write_rho(self.rho)}"
        if self.receipt.charge.rho > self.rho + ROUNDING:
            cost = f"rho {float(self.receipt.charge.rho):.4g}, the policy's least, for {cost}"
        told = {
            CHARGED: f"charged {cost}",
            SHARED: f"charged {cost} to the own cap of {self.receipt.analyst}: others had it measured before",
        }
        paid = told.get(self.receipt.paid, f"nothing was charged: {cost} was paid before, and what it bought was found")
        left = ", ".join(f"{share:.2%} of {name}" for name, share in self.left.items())
        return f"{paid}. Left of the budget: {left}"
