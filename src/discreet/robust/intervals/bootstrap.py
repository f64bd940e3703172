"""The bootstrap: noisy resamples of people's sums through the curator's door, and intervals of functions of means.

B resamples are released, each with noise of its own, for the certified price of B releases (`curator/door/
resampling.py`). What is told of them is post-processing (`bootstrap_ends.py`): as many functions of the same means as
one likes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from discreet.answers.words import describe_guarantee
from discreet.base import check
from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.base.exact import write_exact
from discreet.base.grid import Floats
from discreet.curator import Curator
from discreet.curator.door.clipping import Clip
from discreet.curator.door.desk import Desk
from discreet.curator.door.resampling import MOST_RESAMPLES, check_resamples, lose_resamples
from discreet.curator.door.schedule import Schedule
from discreet.curator.door.unit_functions import ColumnSums
from discreet.curator.session import Session, Watch
from discreet.mechanisms import Gaussian
from discreet.mechanisms.gaussian import analytic_sigma
from discreet.mechanisms.identity import describe_mechanism
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy.charges import Charge
from discreet.robust.asking import PaidQuestion, find_session
from discreet.robust.intervals.bootstrap_ends import BootstrapEnds, SmoothFunction, bound_functions
from discreet.robust.intervals.moments import ScaledColumn, write_entries
from discreet.robust.people import People, find_people, read_miss, write_column, write_varying
from discreet.robust.releasing import RobustPrice, read_price
from discreet.robust.results import PopulationInterval, SampledGroup
from discreet.robust.values import plan_written

Statistic = Callable[[Mapping[str, float]], float]

STEP_BITS = 20
"""Entries of a person's vector, between -1 and 1, are whole multiples of 2^-20."""

GROWTH = 1.01
"""By how much the noise grows at the least from one try to the next, until its certified price fits."""


@dataclass(frozen=True)
class Resampling:
    """Releases noisy resamples of sums over people."""

    kind: ClassVar[str] = "bootstrap"
    version: ClassVar[int] = 1

    plan: RowsPlan
    clip: Clip
    noise: Gaussian
    resamples: int
    delta: Fraction
    charge: Charge

    @property
    def schedule(self) -> Schedule:
        """The loss of all resamples together."""
        return Schedule(((lose_resamples(self.clip, self.noise, self.resamples), 1),), float(self.delta))

    def parameters(self) -> Json:
        """Return all that shapes the sums beside the plan."""
        return {
            "clip": self.clip.describe(),
            "noise": describe_mechanism(self.noise),
            "resamples": self.resamples,
            "delta": write_exact(self.delta),
        }

    def plans(self) -> tuple[RowsPlan, ...]:
        """Return the one plan."""
        return (self.plan,)

    def run(self, desk: Desk) -> bytes:
        """Release them."""
        function = ColumnSums(len(self.plan.columns))
        return json.dumps(desk.resample(self.plan, function, self.clip, self.noise, self.resamples)).encode()

    def finish(self, measured: bytes) -> Floats:
        """Return the sums, a line for each resample."""
        return np.array(json.loads(measured), dtype=float) * float(self.clip.step)


@lru_cache(maxsize=64)
def find_noise(epsilon: Fraction, delta: Fraction, steps: int, step: float, resamples: int) -> Gaussian:
    """Return the least noise, to a part in a hundred, whose certified price for all resamples is at most (e, delta).

    It begins where the asymptotic formula is, whose answer is too little noise. Deviations have four digits, so that
    what is asked is the same for the ledger on every machine.
    """
    clip = Clip(steps, step)
    sigma = analytic_sigma(float(epsilon), float(delta), 1) * math.sqrt(resamples) * steps
    while True:
        noise = Gaussian(_round_up(sigma))
        certified = Fraction(lose_resamples(clip, noise, resamples).epsilon(float(delta)).high)
        if certified <= epsilon:
            return noise
        sigma *= max(GROWTH, math.sqrt(certified / epsilon))


def _round_up(sigma: float) -> float:
    """Return a number of four digits, at least as large.

    >>> _round_up(123456.0)
    123500.0
    """
    unit = 10.0 ** (math.floor(math.log10(sigma)) - 3)
    return math.ceil(sigma / unit) * unit


@dataclass(frozen=True, slots=True)
class SampledColumns:
    """Some columns of the people of a table, each with its public bounds; nothing was read for it."""

    session: Session
    people: People
    columns: tuple[str, ...]
    per_unit: str
    scales: tuple[ScaledColumn, ...]

    @property
    def clamped(self) -> str:
        """What is clamped to which bounds."""
        return f"values of {', '.join(self.columns)} outside their public bounds"


@dataclass(frozen=True, slots=True)
class ResampleTerms:
    """What noisy resamples may cost, how many there are, and whether fresh noise is paid for."""

    epsilon: Fraction
    delta: Fraction
    resamples: int
    fresh: bool
    progress: Watch | None


@dataclass(frozen=True, slots=True)
class ResampledPeople:
    """Noisy sums of people's vectors, a line for each resample, the last column their number; and in words of whom."""

    sums: Floats
    noise: float
    words: str
    paid: PaidQuestion

    @property
    def people(self) -> SampledGroup:
        """The noisy number of people."""
        resamples, count = len(self.sums), round(float(self.sums[:, -1].mean()))
        off = math.ceil(2 * math.hypot(self.noise, math.sqrt(max(count, 1))) / math.sqrt(resamples))
        return SampledGroup("", count, off)

    @property
    def note(self) -> str:
        """How often people were drawn."""
        return f"from {len(self.sums)} resamples, each with noise of its own"


def read_resampling(epsilon: Any, delta: Any, resamples: int, fresh: bool, progress: Watch | None) -> ResampleTerms:
    """Return what somebody states, or refuse what Gaussian noise cannot have."""
    if epsilon is None:
        raise ParameterError("epsilon", epsilon, "given, with a delta: what to spend, such as epsilon=1, delta=1e-10")
    price = read_price(epsilon, delta, None)
    if price.epsilon is None or not price.delta:
        raise ParameterError("delta", delta, "given: resamples have Gaussian noise, which has no pure epsilon")
    check.real("epsilon", price.epsilon, least=0.01, most=20)
    many = check.integer("resamples", resamples, least=10, most=MOST_RESAMPLES)
    return ResampleTerms(price.epsilon, price.delta, many, fresh, progress)


def sample_columns(
    curator: Curator | Session,
    table: str,
    columns: Sequence[str],
    where: str | None,
    per_unit: str,
    params: Mapping[str, Any] | None,
) -> SampledColumns:
    """Return columns of a table's people, or refuse one that has no public bounds, or is the same for everybody."""
    session = find_session(curator)
    people = find_people(session, table, where, params)
    written = [write_varying(session, people, "columns", each) for each in columns]
    ends = plan_written(session, people, written, ", ".join(columns), per_unit).list_ends()
    for column, (low, high) in zip(columns, ends, strict=True):
        if not low < high:
            raise ParameterError("columns", column, "one whose bounds are apart: this has one value")
    scales = tuple(ScaledColumn((low + high) / 2, (high - low) / 2) for low, high in ends)
    return SampledColumns(session, people, tuple(columns), per_unit, scales)


def bound_length(entries: int, halves: int = 0) -> int:
    """Return how long a person's vector is at most, in steps: so many entries, some of them halves, and the count.

    Entries are between -1 and 1, halves between -1/2 and 1/2.

    >>> bound_length(5) / 2**STEP_BITS, bound_length(14, 9) / 2**STEP_BITS
    (2.4494903564453125, 2.8722817420959473)
    """
    quarters = 4 * (entries - halves + 1) + halves
    return math.isqrt(quarters << (2 * STEP_BITS - 2)) + 1


def resample_people(
    asked: SampledColumns, entries: Sequence[str], terms: ResampleTerms, halves: int = 0
) -> ResampledPeople:
    """Charge, resample and record, or find what was recorded.

    `entries` are SQL expressions of people's values, `{0}` for that of the first column, each between -1 and 1, and
    the last ones of them, the `halves`, between -1/2 and 1/2.
    """
    session, people, words = asked.session, asked.people, ", ".join(asked.columns)
    written = [write_column(session, people, "columns", each) for each in asked.columns]
    values = plan_written(session, people, written, words, asked.per_unit, outer=[*entries, "1"])
    steps = bound_length(len(entries), halves)
    noise = find_noise(terms.epsilon, terms.delta, steps, 2.0**-STEP_BITS, terms.resamples)
    check_resamples(values.plan, noise, terms.resamples, len(values.plan.columns))
    charge = RobustPrice(terms.epsilon, terms.delta, None).charge
    clip = Clip(steps, 2.0**-STEP_BITS)
    operation = Resampling(values.plan, clip, noise, terms.resamples, terms.delta, charge)
    text = f"bootstrap of {values.words}, {terms.resamples} resamples"
    sums, receipt = session.perform(operation, text, fresh=terms.fresh, progress=terms.progress)
    paid = PaidQuestion(text, receipt, describe_guarantee(receipt))
    return ResampledPeople(sums, noise.sigma * 2.0**-STEP_BITS, values.words, paid)


def bootstrap_interval(
    curator: Curator | Session,
    table: str,
    columns: Mapping[str, str],
    statistic: Statistic,
    *,
    epsilon: Any = None,
    delta: Any = None,
    name: str = "statistic",
    resamples: int = 50,
    where: str | None = None,
    per_unit: str = "mean",
    confidence: float = 0.95,
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
    progress: Watch | None = None,
) -> PopulationInterval:
    """Return a function of people's means with an interval that covers sampling and noise together.

    `columns` are named expressions with public bounds; the `statistic` gets a mapping from their names to means over
    people, and is a smooth function: `lambda m: m["x"] / m["y"]` is a ratio. It sees noisy numbers alone, so that
    others are free: the same columns are charged once. One that is no number, or no straight line, within the reach of
    the noise has no interval (`enough` is False).
    """
    miss, terms = read_miss(confidence), read_resampling(epsilon, delta, resamples, fresh, progress)
    if not isinstance(columns, Mapping) or not columns or not callable(statistic):
        raise ParameterError("columns", columns, "names of expressions, as {'x': 'age'}, and a function of their means")
    asked = sample_columns(curator, table, list(columns.values()), where, per_unit, params)

    def tell(means: Floats) -> Floats:
        lines = means.reshape(-1, means.shape[-1])
        told = [_evaluate(statistic, list(columns), asked.scales, line) for line in lines]
        return np.array(told).reshape(*means.shape[:-1], 1)

    tell(np.zeros(len(columns)))  # what is wrong with the function itself shows before the charge
    found = resample_people(asked, write_entries(asked.scales), terms)
    ends = bound_functions(found.sums, found.noise, SmoothFunction(tell), miss)
    return make_interval(name, found, ends, asked.clamped, float(confidence))


def make_interval(
    name: str, found: ResampledPeople, ends: BootstrapEnds, clamped: str, confidence: float, notes: tuple[str, ...] = ()
) -> PopulationInterval:
    """Return the interval of the one number that was told; `notes` are for where it cannot be."""
    return PopulationInterval(
        f"{name} of {found.words}",
        name,
        float(ends.estimates[0]),
        float(ends.low[0]),
        float(ends.high[0]),
        confidence,
        (found.people,),
        ends.enough,
        clamped,
        (found.note, *(() if ends.enough else notes)),
        found.paid,
    )


def _evaluate(statistic: Statistic, names: list[str], scales: Sequence[ScaledColumn], means: Floats) -> float:
    """Return what a statistic says of means, as real numbers; no number where it fails, which noisy means decide."""
    real = {name: float(scale.to_value(each)) for name, scale, each in zip(names, scales, means, strict=True)}
    try:
        return float(statistic(real))
    except (ArithmeticError, ValueError):
        return math.nan
