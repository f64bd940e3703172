"""CoinPress: the mean of several columns at once, of people who lie close together somewhere in a large public ball.

Biswas, Dong, Kamath, Ullman 2020. In each step people are clipped to the ball in which they are known to be, with a
margin for their own spread; the noisy sum of what is left finds them more closely, and the next ball is smaller.

*Privacy* rests on the clips alone: a step is a sum over people of vectors of a public length with Gaussian noise, whose
ball was computed from what earlier steps released (zCDP composes adaptively; Bun, Steinke 2016). How many people there
are is released first. *Accuracy* rests on what is declared: with at most this deviation in each column and tails that
are no heavier than normal ones, a ball leaves out nobody with probability 1 - MISS. If that is wrong, the mean is that
of clipped people.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from discreet.answers import Receipt
from discreet.answers.numbers import format_interval, format_value
from discreet.answers.words import describe_charge, describe_guarantee
from discreet.base import check
from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.base.exact import write_exact
from discreet.base.rounding import ball, rounded_up
from discreet.base.showing import ShownAsText
from discreet.curator import Curator
from discreet.curator.door.clipping import Clip
from discreet.curator.door.desk import Desk
from discreet.curator.door.sums import bound_rows, bound_sum
from discreet.curator.door.unit_functions import ColumnOffsets
from discreet.curator.session import Session, Watch
from discreet.mechanisms import Gaussian
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy.charges import Charge
from discreet.query.price import read_amount
from discreet.robust.asking import find_session
from discreet.robust.people import find_people, write_varying
from discreet.robust.results import write_facts
from discreet.robust.values import plan_written

COUNT_SHARE = Fraction(1, 20)
"""Of rho, for the number of people."""

LAST_SHARE = Fraction(7, 10)
"""Of rho, for the last step: those before it need only be good enough to find a ball."""

FINEST = 2**20
"""A clip is so many steps long."""

MISS = 0.01
NORMAL = 1.96


@dataclass(frozen=True)
class CoinPress:
    """Finds the mean of people whose columns are in deviations, from a public ball, in a few steps."""

    kind: ClassVar[str] = "coinpress"
    version: ClassVar[int] = 1

    plan: RowsPlan
    center: tuple[float, ...]
    radius: float
    steps: int
    rho: Fraction

    @property
    def charge(self) -> Charge:
        """All of rho."""
        return Charge(math.inf, self.rho, Fraction(0))

    def parameters(self) -> Json:
        """Return the ball and how rho is divided."""
        return {
            "center": [repr(each) for each in self.center],
            "radius": repr(self.radius),
            "steps": self.steps,
            "rho": write_exact(self.rho),
        }

    def plans(self) -> tuple[RowsPlan, ...]:
        """Return the one plan."""
        return (self.plan,)

    def list_shares(self) -> list[Fraction]:
        """Return the parts of rho: for the count, for each step."""
        rest = 1 - COUNT_SHARE
        if self.steps == 1:
            return [COUNT_SHARE, rest]
        early = (rest - LAST_SHARE) / (self.steps - 1)
        return [COUNT_SHARE, *[early] * (self.steps - 1), LAST_SHARE]

    def run(self, desk: Desk) -> bytes:
        """Count people, and find them more and more closely."""
        first, *shares = self.list_shares()
        count = max(1, desk.count_rows(self.plan, make_noise(self.rho * first, bound_rows(self.plan))))
        center, radius, wide = self.center, self.radius, 0.0
        for share in shares:
            reach = radius + bound_length(len(center), count)
            clip = Clip(FINEST, reach / FINEST)
            noise = make_noise(self.rho * share, bound_sum(self.plan, clip))
            sums = desk.sum(self.plan, ColumnOffsets(center), clip, noise)
            center = tuple(old + each * clip.step / count for old, each in zip(center, sums, strict=True))
            wide = noise.sigma * clip.step / count
            radius = min(reach, wide * bound_length(len(center), 1) + bound_length(len(center), 1) / math.sqrt(count))
        return json.dumps({"center": center, "wide": wide, "count": count}).encode()

    def finish(self, measured: bytes) -> dict[str, Any]:
        """Return the mean, the deviation of its noise, and the number of people."""
        found: dict[str, Any] = json.loads(measured)
        return found


def make_noise(rho: Fraction, sensitivity: int) -> Gaussian:
    """Return the noise that costs so much on a sum that one unit moves by so many steps."""
    return Gaussian(rounded_up(lambda: ball(sensitivity) / (2 * ball(rho)).sqrt()))


def bound_length(dimension: int, people: int) -> float:
    """Return what no normal vector of unit deviations exceeds in length, of so many (Laurent, Massart 2000)."""
    tail = math.log(max(1, people) / MISS)
    return math.sqrt(dimension + 2 * math.sqrt(dimension * tail) + 2 * tail)


@dataclass(frozen=True, repr=False)
class MultivariateMean(ShownAsText):
    """Means of several columns over people, with the noise's 95 % half-width of each."""

    what: str
    values: Mapping[str, float]
    within: Mapping[str, float]
    count: int
    receipt: Receipt

    def __str__(self) -> str:
        lines = [(f"mean of {name}", _show(each, self.within[name])) for name, each in self.values.items()]
        facts = [
            ("people", f"about {self.count:,}"),
            ("intervals", "95 %, of the noise alone, each on its own; not for people beyond what the deviations say"),
            ("guarantee", describe_guarantee(self.receipt)),
            ("cost", describe_charge(self.receipt)),
            ("receipt", str(self.receipt)),
        ]
        return write_facts(self.what, f"{len(lines)} columns", [*lines, *facts])

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON values."""
        return {
            "what": self.what,
            "values": dict(self.values),
            "within": dict(self.within),
            "count": self.count,
            "guarantee": describe_guarantee(self.receipt),
            "receipt": self.receipt.to_dict(),
        }


def multivariate_mean(
    curator: Curator | Session,
    table: str,
    columns: Mapping[str, float],
    *,
    rho: Any = None,
    steps: int = 3,
    where: str | None = None,
    per_unit: str = "mean",
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
    progress: Watch | None = None,
) -> MultivariateMean:
    """Return the means of several columns over people, with one release of all of them at a time.

    `columns` are names or expressions with public bounds, each with a public guess of the standard deviation among
    people, at the most: `{"age": 20, "cost": 300}`. Means need noise for these deviations, not for the bounds.
    """
    session, amount = find_session(curator), read_amount("rho", rho)
    if not isinstance(columns, Mapping) or not columns:
        raise ParameterError("columns", columns, "columns with their deviations, as {'age': 20, 'cost': 300}")
    deviations = [float(check.positive("columns", each)) for each in columns.values()]
    turns = check.integer("steps", steps, least=1, most=10)
    people = find_people(session, table, where, params)
    written = [write_varying(session, people, "columns", each) for each in columns]
    scaled = [f"{{{place}}} / {each!r}" for place, each in enumerate(deviations)]
    values = plan_written(session, people, written, ", ".join(columns), per_unit, outer=scaled)
    ends = values.list_ends()
    center = tuple((low + high) / 2 for low, high in ends)
    radius = math.sqrt(sum((high - low) ** 2 for low, high in ends)) / 2
    if values.plan.rows != 1:
        raise ParameterError("per_unit", per_unit, "'mean', 'sum', 'min' or 'max': each person is one vector")
    operation = CoinPress(values.plan, center, radius, turns, amount)
    for share in operation.list_shares():
        make_noise(amount * share, values.plan.factor * FINEST)
    text = f"multivariate mean of {values.words}"
    found, receipt = session.perform(operation, text, fresh=fresh, progress=progress)
    real = {name: each * own for name, each, own in zip(columns, found["center"], deviations, strict=True)}
    within = {name: NORMAL * found["wide"] * own for name, own in zip(columns, deviations, strict=True)}
    return MultivariateMean(text, real, within, int(found["count"]), receipt)


def _show(value: float, within: float) -> str:
    pair = (value - within, value + within)
    return f"{format_value(value, pair)} {format_interval(value, pair)}"
