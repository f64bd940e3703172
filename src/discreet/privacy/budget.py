"""The budget's own filter: whoever adds epsilons does no worse, and many small questions cost far less."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import lru_cache

from discreet.base import check
from discreet.base.check import Exact
from discreet.base.search import least_float
from discreet.privacy.amounts import read_decimal
from discreet.privacy.charges import Charge, add_up, charge_of
from discreet.privacy.filter import Filter, Sums, find_share
from discreet.privacy.loss import Loss
from discreet.privacy.losses.concentrated import ZcdpLoss


@dataclass(frozen=True)
class BudgetFilter(Filter):
    """The budget's own filter, (E, D): admits while the deltas fit and one of two sums does.

    Half of D is for the sum of the charges' deltas, half for conversion. Admitted iff the deltas fit and (A) the sum of
    epsilons is at most E, or (B) the sum of rho is at most R, where R-zCDP implies (E, D/2)-differential privacy. With
    D = 0 only (A).

    Theorem. Whatever the analyst does, the transcript is (E, D)-differentially private.

    Proof. Let the deltas be 0 first. The transcript shows which charges were made, so it shows whether (A) holds at
    its end. Let S be a set of transcripts, S_A those of S that end with (A) true. Each of them has likelihood ratio
    at most e^(sum of its epsilons) <= e^E, so Pr[S_A] <= e^E Pr'[S_A]. Now run the same analyst against filter (B)
    alone. On a transcript that ends with (A) false, the last charges were admitted by (B); sums only grow, so (B)
    held at every earlier charge too, and this transcript has the same probability there. That filter is R-zCDP
    against every adaptive analyst (Whitehouse, Ramdas, Rogers, Wu 2023, Theorem 1), so Pr[S - S_A] <= e^E Pr'[S -
    S_A] + D/2. Add both lines. With deltas, each charge is, except with probability its delta, a charge as above
    (approximate DP and approximate zCDP are that by
    definition), and these exceptions add up to at most D/2 along every transcript.
    """

    epsilon: Exact
    delta: Exact = 0.0
    spent: Sums = field(default=(0.0, 0.0, 0.0), kw_only=True)
    cap: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check.positive("epsilon", self.epsilon)
        check.delta("delta", self.delta)
        epsilon, delta = read_decimal(self.epsilon), read_decimal(self.delta)
        object.__setattr__(self, "cap", rho_cap(epsilon, delta / 2) if delta else 0.0)

    def take(self, charge: Charge) -> BudgetFilter | None:
        """Return the filter with this charge spent, or nothing where it does not fit."""
        sums = self._with_charge(charge)
        return replace(self, spent=sums) if self._share(sums) <= 1 else None

    @property
    def shares(self) -> dict[str, float]:
        """The share of each currency that is spent: a charge fits while delta does, and epsilon or rho."""
        epsilon, rho, delta = self.spent
        found = {"epsilon": find_share(epsilon, read_decimal(self.epsilon))}
        more = {"rho": find_share(rho, self.cap), "delta": find_share(2 * delta, read_decimal(self.delta))}
        return found | (more if self.delta > 0 else {})

    @property
    def caps(self) -> dict[str, float]:
        """The most of each currency: half of the budget's delta is for sums of deltas."""
        found = {"epsilon": float(self.epsilon)}
        return found | ({"rho": self.cap, "delta": float(self.delta) / 2} if self.delta > 0 else {})

    def find_short(self, charge: Charge) -> tuple[str, ...]:
        """Return the currencies of which too little is left for this charge; none where it fits."""
        shares = replace(self, spent=self._with_charge(charge)).shares
        either = [name for name in ("epsilon", "rho") if name in shares]
        short = either if all(shares[name] > 1 for name in either) else []
        beyond = charge.delta > 0 and shares.get("delta", math.inf) > 1
        return (*short, *(["delta"] if beyond else []))

    def _describe_left(self, loss: Loss) -> str:
        """Name the currencies of which too little is left: where delta alone is, the others may be untouched."""
        shares = self.shares
        short = [(name, max(0.0, 1 - shares.get(name, 1.0))) for name in self.find_short(charge_of(loss))]
        return " and ".join(f"{left:.2%} of {name}" for name, left in short)

    def _with_charge(self, charge: Charge) -> Sums:
        return tuple(add_up(a, b) for a, b in zip(self.spent, (charge.epsilon, charge.rho, charge.delta), strict=True))

    def _cost(self, loss: Loss) -> Sums:
        charge = charge_of(loss)
        return charge.epsilon, charge.rho, charge.delta

    def _share(self, sums: Sums) -> float:
        epsilon, rho, delta = sums
        either = find_share(epsilon, read_decimal(self.epsilon))
        if self.delta > 0:
            either = min(either, find_share(rho, self.cap))
        return max(either, find_share(2 * delta, read_decimal(self.delta)))

    def _fits(self, sums: Sums) -> bool:
        epsilon, rho, delta = sums
        if delta != 0 and not 2 * delta <= read_decimal(self.delta):
            return False
        return epsilon <= read_decimal(self.epsilon) or (self.delta > 0 and rho <= self.cap)


@lru_cache(maxsize=1024)
def rho_cap(epsilon: Exact, delta: Exact) -> float:
    """Return the largest rho, rounded down, that is proven to imply (epsilon, delta)-differential privacy."""
    return least_float(lambda rho: rho > 0 and ZcdpLoss(rho).delta(epsilon).high > delta)[0]
