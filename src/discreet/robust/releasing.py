"""One robust statistic through the curator's door: the operation, what may be spent on it, and what comes of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from discreet.answers import Receipt
from discreet.answers.numbers import format_interval, format_percent, format_value
from discreet.answers.words import describe_charge, describe_guarantee
from discreet.base import check
from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.base.showing import ShownAsText
from discreet.curator.door.desk import Desk
from discreet.curator.door.statistics import RowStatistic, check_statistic, describe_statistic
from discreet.curator.session import Session, Watch
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy.charges import Charge
from discreet.query.price import read_amount
from discreet.robust.results import render_facts, write_facts

REFUSED = "refused: a noisy test says that these data may need more noise than was proposed"

ToldPoints = tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class RobustPrice:
    """What one statistic may cost: an epsilon, perhaps with a delta, or a rho."""

    epsilon: Fraction | None
    delta: Fraction
    rho: Fraction | None

    @property
    def pure(self) -> bool:
        """Whether it is an epsilon alone."""
        return self.rho is None and not self.delta

    @property
    def charge(self) -> Charge:
        """What is charged, as it was stated: (epsilon, delta) is delta-approximate (epsilon^2 / 2)-zCDP."""
        if self.epsilon is None:
            assert self.rho is not None
            return Charge(float("inf"), self.rho, Fraction(0))
        return Charge(self.epsilon, self.epsilon**2 / 2, self.delta)


def read_price(epsilon: Any, delta: Any, rho: Any) -> RobustPrice:
    """Return what somebody states, exactly as it is written."""
    if (epsilon is None) == (rho is None):
        raise ParameterError("epsilon", epsilon, "given, or rho, and not both")
    if rho is not None:
        if delta is not None:
            raise ParameterError("delta", delta, "left out beside rho, which has none")
        return RobustPrice(None, Fraction(0), read_amount("rho", rho))
    lost = Fraction(0) if delta is None else read_amount("delta", check.real("delta", delta, above=0, below=0.5))
    return RobustPrice(read_amount("epsilon", epsilon), lost, None)


def read_epsilon(epsilon: Any) -> RobustPrice:
    """Return an epsilon where there is no other price."""
    if epsilon is None:
        raise ParameterError("epsilon", epsilon, "given: what to spend, such as epsilon=1")
    return read_price(epsilon, None, None)


@dataclass(frozen=True)
class RobustOperation:
    """Releases one statistic of a plan's rows; the result is what the desk told, in grid points."""

    kind: ClassVar[str] = "robust statistic"
    version: ClassVar[int] = 1

    plan: RowsPlan
    statistic: RowStatistic
    charge: Charge

    def parameters(self) -> Json:
        """Return the statistic with its mechanism."""
        return describe_statistic(self.statistic)

    def plans(self) -> tuple[RowsPlan, ...]:
        """Return the one plan."""
        return (self.plan,)

    def run(self, desk: Desk) -> bytes:
        """Release it."""
        return json.dumps(desk.release_statistic(self.plan, self.statistic)).encode()

    def finish(self, measured: bytes) -> ToldPoints:
        """Return the whole numbers that were released, or nothing for a refusal."""
        told = json.loads(measured)
        return None if told is None else tuple(told)


@dataclass(frozen=True, repr=False)
class RobustEstimate(ShownAsText):
    """A statistic of the values in a table, with its noise; `refused` where the mechanism refused to tell it."""

    what: str
    mechanism: str
    value: float | None
    interval: tuple[float, float] | None
    """Where the statistic of these people lies, at `confidence`: the noise alone. Not all mechanisms can tell."""
    confidence: float
    notes: tuple[str, ...]
    receipt: Receipt

    @property
    def refused(self) -> bool:
        """Whether nothing was told; it was charged like any other answer."""
        return self.value is None

    @property
    def headline(self) -> str:
        """The value with its interval, in words."""
        if self.value is None:
            return REFUSED
        if self.interval is None:
            return format_value(self.value)
        return f"{format_value(self.value, self.interval)} {format_interval(self.value, self.interval)}"

    def list_facts(self) -> list[tuple[str, str]]:
        """Return what is shown below the value: labels and words."""
        sure = f"{format_percent(self.confidence)}, covers the noise alone, not sampling"
        return [
            *([] if self.interval is None else [("interval", sure)]),
            ("mechanism", self.mechanism),
            ("guarantee", describe_guarantee(self.receipt)),
            ("cost", describe_charge(self.receipt)),
            ("receipt", str(self.receipt)),
            *(("note", note) for note in self.notes),
        ]

    def __str__(self) -> str:
        return write_facts(self.what, self.headline, self.list_facts())

    def _repr_html_(self) -> str:
        return render_facts(self.what, self.headline, self.list_facts())

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON values."""
        return {
            "what": self.what,
            "mechanism": self.mechanism,
            "value": self.value,
            "refused": self.refused,
            "interval": None if self.interval is None else list(self.interval),
            "confidence": self.confidence,
            "guarantee": describe_guarantee(self.receipt),
            "receipt": self.receipt.to_dict(),
            "notes": list(self.notes),
        }


def release(
    session: Session,
    plan: RowsPlan,
    statistic: RowStatistic,
    spending: RobustPrice,
    what: str,
    fresh: bool,
    progress: Watch | None,
) -> tuple[ToldPoints, Receipt]:
    """Charge, release and record, or find what was recorded; what was not made for the plan is refused first."""
    check_statistic(plan, statistic)
    operation = RobustOperation(plan, statistic, spending.charge)
    return session.perform(operation, f"robust {what}", fresh=fresh, progress=progress)
