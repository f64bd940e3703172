"""What is spent and what is left, as shares: a running sum of losses is no bound for an analyst who adapts to it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from discreet.ledger import Ledger, Suspension
from discreet.policy.model import Policy
from discreet.privacy.budget import BudgetFilter
from discreet.privacy.charges import Charge
from discreet.privacy.guarantees import PureLoss
from discreet.query.price import read_amount

MOST = 10**6


@dataclass(frozen=True, slots=True)
class Share:
    """One budget: whose, its caps, and the filter with what was spent so far."""

    name: str
    epsilon: Fraction
    delta: Fraction
    filter: BudgetFilter

    @property
    def left(self) -> float:
        """The share that is left, from 1 to 0."""
        return self.filter.remaining()

    @property
    def spent(self) -> float:
        """The share that is spent, from 0 to 1."""
        return 1 - self.left

    @property
    def caps(self) -> str:
        """The caps in words."""
        return f"epsilon {float(self.epsilon):g}" + (f", delta {float(self.delta):g}" if self.delta else "")

    def more(self, charge: Charge) -> int:
        """Return how many more questions at this charge fit, up to a million."""
        low, high = 0, 1
        while high <= MOST and self._admits(charge, high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._admits(charge, middle) else (low, middle)
        return min(low, MOST)

    def _admits(self, charge: Charge, times: int) -> bool:
        many = Charge(*(part * times for part in (charge.epsilon, Fraction(charge.rho), charge.delta)))
        return self.filter.take(many) is not None


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


@dataclass(frozen=True, slots=True)
class Budget:
    """The whole budget, each analyst's own cap, and who is suspended."""

    total: Share
    analysts: tuple[Share, ...]
    suspended: tuple[Suspension, ...] = ()

    def __str__(self) -> str:
        shares = (self.total, *self.analysts)
        width = max(len(share.name) for share in shares)
        lines = [
            f"{share.name:<{width}}  {share.spent:7.2%} spent, {share.left:7.2%} left of {share.caps}"
            for share in shares
        ]
        return "\n".join([*lines, *(f"{each}: the operator runs `{each.remedy}`" for each in self.suspended)])

    def more(self, charge: Charge, analyst: str | None = None) -> int:
        """Return how many more such questions fit: into the whole budget, and into this analyst's cap."""
        own = [share.more(charge) for share in self.analysts if share.name == analyst]
        return min([self.total.more(charge), *own])

    def questions(self, epsilon: float | Fraction, analyst: str | None = None) -> int:
        """Return how many more questions at this epsilon fit, each with Laplace noise; Gaussian noise may fit more."""
        each = read_amount("epsilon", epsilon)
        return self.more(Charge(each, PureLoss(float(each)).zcdp()), analyst)
