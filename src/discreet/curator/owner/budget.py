"""What is spent and what is left, as shares: a running sum of losses is no bound for an analyst who adapts to it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import Any

from discreet.answers.html_tables import draw_share, render_cells, render_text
from discreet.base.showing import ShownAsText
from discreet.ledger import Ledger, Suspension
from discreet.policy.model import Policy
from discreet.privacy import PureLoss
from discreet.privacy.budget import BudgetFilter
from discreet.privacy.charges import Charge
from discreet.query.price import read_amount

MOST = 10**6


@dataclass(frozen=True, slots=True, repr=False)
class Share(ShownAsText):
    """One budget: whose, its caps, and the filter with what was spent so far."""

    name: str
    epsilon: Fraction
    delta: Fraction
    filter: BudgetFilter

    @property
    def left(self) -> float:
        """The share that is left, of epsilon or rho, whichever is more; keys from the data need delta too."""
        shares = self.filter.shares
        return max(0.0, 1 - min(shares["epsilon"], shares.get("rho", math.inf)))

    @property
    def spent(self) -> float:
        """The share that is spent, from 0 to 1."""
        return 1 - self.left

    @property
    def caps(self) -> str:
        """The caps in words."""
        return f"epsilon {float(self.epsilon):g}" + (f", delta {float(self.delta):g}" if self.delta else "")

    @property
    def parts(self) -> dict[str, tuple[float, float]]:
        """What is spent of each currency, as a share, and its cap: rho and delta too where there is a delta."""
        caps = self.filter.caps
        return {name: (share, caps[name]) for name, share in self.filter.shares.items()}

    def describe(self, width: int) -> list[str]:
        """Return what is spent in words; where there is a delta, each currency in a line of its own."""
        head = f"{self.name:<{width}}  {self.spent:7.2%} spent, {self.left:7.2%} left of {self.caps}"
        if not self.delta:
            return [head]
        return [
            head,
            *(f"{'':<{width}}    {name:<7} {_describe_part(name, *part)}" for name, part in self.parts.items()),
        ]

    def describe_short(self, charge: Charge) -> list[str]:
        """Return the currencies of which too little is left for this charge, and which share of each is."""
        parts = self.parts
        return [f"{each} ({max(0.0, 1 - parts[each][0]):.2%} left)" for each in self.filter.find_short(charge)]

    def __str__(self) -> str:
        return "\n".join(self.describe(0)).lstrip()

    def to_dict(self) -> dict[str, Any]:
        """Return what is spent and left, as shares, for programs."""
        return {
            "name": self.name,
            "epsilon": float(self.epsilon),
            "delta": float(self.delta),
            "spent": self.spent,
            "left": self.left,
            "parts": {name: {"spent": spent, "cap": cap} for name, (spent, cap) in self.parts.items()},
        }

    def more(self, charge: Charge) -> int:
        """Return how many more questions at this charge fit, up to a million."""
        low, high = 0, 1
        while high <= MOST and self._admits(charge, high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._admits(charge, middle) else (low, middle)
        return min(low, MOST)

    def find_left(self, name: str) -> Fraction:
        """Return how much of a currency is left; of epsilon or rho, none where it is no longer counted."""
        spent = dict(zip(("epsilon", "rho", "delta"), self.filter.spent, strict=True))[name]
        cap = self.delta / 2 if name == "delta" else Fraction(self.filter.caps.get(name, 0.0))
        return max(Fraction(0), cap - Fraction(spent)) if math.isfinite(spent) else Fraction(0)

    def _admits(self, charge: Charge, times: int) -> bool:
        many = Charge(*(part * times for part in (charge.epsilon, Fraction(charge.rho), charge.delta)))
        return self.filter.take(many) is not None


def _describe_part(name: str, share: float, cap: float) -> str:
    purpose = ", for keys taken from the data" if name == "delta" else ", a question fits while epsilon or rho does"
    spent = f"{share:7.2%} spent" if share <= 1 else "used up     "
    return f"{spent} of {cap:.4g}{purpose if name != 'epsilon' else ''}"


def _tell_part(name: str, share: float, cap: float) -> tuple[float, str]:
    return share, " ".join(_describe_part(name, share, cap).split())


def read_budget(policy: Policy, ledger: Ledger, analyst: str | None, *, everybody: bool = False) -> Budget:
    """Return what is spent and left, of the whole budget and of the caps of this analyst, or of all without a name.

    Only the operator is told about `everybody` who is suspended.
    """
    total = Share("total", policy.epsilon, policy.delta, ledger.spent())
    analysts = tuple(
        Share(each.name, each.epsilon, each.delta, ledger.spent(each.name))
        for each in policy.analysts
        if analyst in (None, each.name)
    )
    held = tuple(each for each in ledger.suspended if everybody or each.analyst == analyst)
    return Budget(total, analysts, held)


@dataclass(frozen=True, slots=True, repr=False)
class Budget(ShownAsText):
    """The whole budget, each analyst's own cap, and who is suspended."""

    total: Share
    analysts: tuple[Share, ...]
    suspended: tuple[Suspension, ...] = ()

    def __str__(self) -> str:
        shares = (self.total, *self.analysts)
        width = max(len(share.name) for share in shares)
        lines = [line for share in shares for line in share.describe(width)]
        return "\n".join([*lines, *(f"{each}: the operator runs `{each.remedy}`" for each in self.suspended)])

    def _repr_html_(self) -> str:
        rows = []
        for share in (self.total, *self.analysts):
            parts = [("", share.spent, f"{share.left:.2%} left of {share.caps}")]
            if share.delta:
                parts += [(name, *_tell_part(name, *part)) for name, part in share.parts.items()]
            rows += [
                (f"<b>{escape(share.name)}</b>" if not name else escape(name), draw_share(spent), escape(words))
                for name, spent, words in parts
            ]
        held = [render_text(f"{each}: the operator runs `{each.remedy}`") for each in self.suspended]
        return f"<div>{render_cells('', '', ('budget', 'spent', ''), rows)}{''.join(held)}</div>"

    def more(self, charge: Charge, analyst: str | None = None) -> int:
        """Return how many more such questions fit: into the whole budget, and into this analyst's cap."""
        own = [share.more(charge) for share in self.analysts if share.name == analyst]
        return min([self.total.more(charge), *own])

    def admits(self, charge: Charge, analyst: str | None = None) -> bool:
        """Say whether a charge fits into the whole budget, and into this analyst's cap."""
        held = (self.total, *(share for share in self.analysts if share.name == analyst))
        return all(share.filter.take(charge) is not None for share in held)

    def find_left(self, name: str, analyst: str | None = None) -> Fraction:
        """Return how much of a currency is left, of the whole budget or of this analyst's cap, whichever is less."""
        held = (self.total, *(share for share in self.analysts if share.name == analyst))
        return min(share.find_left(name) for share in held)

    def questions(self, epsilon: float | Fraction, analyst: str | None = None) -> int:
        """Return how many more questions at this epsilon fit, each with Laplace noise; Gaussian noise may fit more."""
        each = read_amount("epsilon", epsilon)
        return self.more(Charge(each, PureLoss(each).zcdp()), analyst)
