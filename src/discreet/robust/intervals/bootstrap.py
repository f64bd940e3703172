"""Bootstrap intervals: for any smooth function of means, from noisy resamples of the people.

B resamples are released, each with noise of its own, for the certified price of B releases (`curator/door/
resampling.py`). What is told of them is post-processing. Let s be the spread of the statistic over resamples: its
square is the variance of sampling plus that of one resample's noise, which is known and simulated. What is left after
subtracting it is the variance of sampling (deconvolution); the estimate, from the average of all resamples, has that
variance and the part s^2 / B of it that resampling and noise leave. A variance of B values is itself off: it is taken
from the upper end of its interval, at a tenth of the miss (for a nearly normal statistic, as all of this is).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
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
from discreet.base.later import Later
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
from discreet.robust.people import find_people, read_miss, write_column
from discreet.robust.releasing import read_price
from discreet.robust.results import PopulationInterval, SampledGroup
from discreet.robust.testing.contingency import SEED
from discreet.robust.values import plan_written

special = Later("scipy.special")

Statistic = Callable[[Mapping[str, float]], float]

STEP_BITS = 20
"""Entries of a person's vector, between -1 and 1, are whole multiples of 2^-20."""

GROWTH = 1.01
"""By how much the noise grows at the least from one try to the next, until its certified price fits."""

SIMULATED = 400
"""Draws of the noise from which its part of the spread is computed."""

NUISANCE = 0.1
"""The part of the miss that the spread's own interval may have."""

TOO_FEW = 5
"""Deviations of the noise that the number of people must exceed: below, there is nothing to divide by."""


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

    It begins where the asymptotic formula is, whose answer is too little noise.
    """
    clip = Clip(steps, step)
    sigma = analytic_sigma(float(epsilon), float(delta), 1) * math.sqrt(resamples) * steps
    while True:
        noise = Gaussian(sigma)
        certified = Fraction(lose_resamples(clip, noise, resamples).epsilon(float(delta)).high)
        if certified <= epsilon:
            return noise
        sigma *= max(GROWTH, math.sqrt(certified / epsilon))


def bootstrap_interval(
    curator: Curator | Session,
    table: str,
    columns: Mapping[str, str],
    statistic: Statistic,
    *,
    epsilon: Any,
    delta: Any,
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
    people, and is a smooth function: `lambda m: (m["xy"] - m["x"] * m["y"]) / (m["xx"] - m["x"] ** 2)` is a slope. It
    sees noisy numbers alone, so that others are free: the same columns are charged once. One that is no number for many
    resamples has no interval (`enough` is False).
    """
    session, price, miss = find_session(curator), read_price(epsilon, delta, None), read_miss(confidence)
    if price.epsilon is None or not price.delta:
        raise ParameterError("delta", delta, "given: resamples have Gaussian noise, which has no pure epsilon")
    check.real("epsilon", price.epsilon, least=0.01, most=20)
    if not isinstance(columns, Mapping) or not columns or not callable(statistic):
        raise ParameterError("columns", columns, "names of expressions, as {'x': 'age'}, and a function of their means")
    many = check.integer("resamples", resamples, least=10, most=MOST_RESAMPLES)
    people = find_people(session, table, where, params)
    written = [write_column(session, people, "columns", each) for each in columns.values()]
    words = ", ".join(columns.values())
    ends = plan_written(session, people, written, words, per_unit).list_ends()
    middles, halves = [(low + high) / 2 for low, high in ends], [(high - low) / 2 for low, high in ends]
    scaled = [f"({{}} - ({mid!r})) / {half!r}" for mid, half in zip(middles, halves, strict=True)]
    values = plan_written(session, people, written, words, per_unit, outer=[*scaled, "1"])
    steps = math.isqrt((len(scaled) + 1) << (2 * STEP_BITS)) + 1
    noise = find_noise(price.epsilon, price.delta, steps, 2.0**-STEP_BITS, many)
    check_resamples(values.plan, noise, many, len(values.plan.columns))
    operation = Resampling(values.plan, Clip(steps, 2.0**-STEP_BITS), noise, many, price.delta, price.charge)
    text = f"bootstrap of {values.words}, {many} resamples"
    sums, receipt = session.perform(operation, text, fresh=fresh, progress=progress)
    wide = noise.sigma * 2.0**-STEP_BITS
    found = find_interval(sums, wide, lambda means: _evaluate(statistic, list(columns), middles, halves, means), miss)
    count = round(found.count)
    off = math.ceil(2 * (wide + math.sqrt(max(count, 1))) / math.sqrt(many))
    paid = PaidQuestion(text, receipt, describe_guarantee(receipt))
    clamped = f"values of {words} outside their public bounds"
    return PopulationInterval(
        f"{name} of {values.words}",
        name,
        found.estimate,
        found.low,
        found.high,
        float(confidence),
        (SampledGroup("", count, off),),
        found.enough,
        clamped,
        (f"from {many} resamples, each with noise of its own",),
        paid,
    )


@dataclass(frozen=True, slots=True)
class BootstrapEnds:
    """An estimate and its interval; all numbers where there are too few people to say."""

    estimate: float
    low: float
    high: float
    count: float
    enough: bool


def find_interval(sums: Floats, noise: float, statistic: Callable[[Floats], float], miss: float) -> BootstrapEnds:
    """Return the interval of a statistic of means, from noisy sums whose last column counts people: see above."""
    resamples = len(sums)
    average = sums.mean(axis=0)
    count = float(average[-1])
    told = np.array([statistic(line[:-1] / line[-1]) if line[-1] > TOO_FEW * noise else math.nan for line in sums])
    if count <= TOO_FEW * noise or not np.isfinite(told).all():
        return BootstrapEnds(math.nan, -math.inf, math.inf, count, False)
    estimate = statistic(average[:-1] / count)
    rng = np.random.default_rng(SEED)
    blurred = average + rng.normal(0.0, noise, (SIMULATED, sums.shape[1]))
    own = np.array([statistic(line[:-1] / max(line[-1], 1.0)) for line in blurred])
    own = own[np.isfinite(own)]
    spread = float(told.var(ddof=1))
    upper = spread * (resamples - 1) / float(special.chdtri(resamples - 1, 1 - miss * NUISANCE))
    part = float(own.var(ddof=1)) * (SIMULATED - 1) / float(special.chdtri(SIMULATED - 1, miss * NUISANCE / 2))
    sampling = max(upper - part, 0.0)
    reach = float(special.ndtri(1 - miss * (1 - 2 * NUISANCE) / 2)) * math.sqrt(sampling + upper / resamples)
    if not math.isfinite(estimate + reach):
        return BootstrapEnds(math.nan, -math.inf, math.inf, count, False)
    return BootstrapEnds(estimate, estimate - reach, estimate + reach, count, True)


def _evaluate(
    statistic: Statistic, names: list[str], middles: list[float], halves: list[float], means: Floats
) -> float:
    """Return what a statistic says of means, as real numbers; no number where it fails, which noisy means decide."""
    real = {name: mid + half * float(each) for name, mid, half, each in zip(names, middles, halves, means, strict=True)}
    try:
        return float(statistic(real))
    except (ArithmeticError, ValueError):
        return math.nan
