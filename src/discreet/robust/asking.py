"""Noisy sums and counts of people through the curator's door: one question, one charge, one record."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.answers import Receipt
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.rounding import ball, rounded_down
from discreet.curator import Curator
from discreet.curator.asking.prepared import Prepared
from discreet.curator.estimates.assemble import assemble
from discreet.curator.release.released import Released
from discreet.curator.session import Session, Watch
from discreet.mechanisms import Gaussian, Laplace
from discreet.plan.grid import ClampedGrid
from discreet.privacy.charges import Charge, round_charge
from discreet.query.cost import fits_within
from discreet.query.price import SPARE, Price
from discreet.robust.intervals.laws import SumNoise
from discreet.robust.intervals.sums import ValueScale, ValueSums
from discreet.robust.people import People


@dataclass(frozen=True, slots=True)
class AskingTerms:
    """What a question may cost, and whether fresh noise is paid for: as `Session.prepare` and `ask` take it."""

    epsilon: Any = None
    rho: Any = None
    fresh: bool = False
    progress: Watch | None = None

    def __post_init__(self) -> None:
        if (self.epsilon is None) == (self.rho is None):
            raise ParameterError("epsilon", self.epsilon, "given, or rho, and not both")


@dataclass(frozen=True, slots=True)
class PaidQuestion:
    """What everything that rests on one question carries: its text, its receipt and its guarantee."""

    question: str
    receipt: Receipt
    guarantee: str
    remarks: tuple[str, ...] = ()


def find_session(curator: Curator | Session) -> Session:
    """Return the session itself, or that of the analyst for whom a curator was opened."""
    return curator if isinstance(curator, Session) else curator.session()


def take_part(priced: Price, part: Fraction) -> Fraction:
    """Return the epsilon of Laplace noise that costs this part of what was asked for, in epsilon or in rho.

    Laplace noise of epsilon e costs e^2 / 2 of rho (Bun, Steinke 2016).
    """
    if not priced.by_rho:
        return part * priced.target
    return Fraction(rounded_down(lambda: (2 * ball(part * SPARE * priced.target)).sqrt()))


def declare_charge(priced: Price, cost: Charge) -> Charge:
    """Return the charge of an operation: what was asked for as it was asked, and the rest as it is computed."""
    asked = Charge(cost.epsilon, priced.target) if priced.by_rho else Charge(priced.target, cost.rho)
    charge = round_charge(asked)
    assert fits_within(cost, charge), "the noise costs more than was asked for"
    return charge


def measure_sums(
    session: Session, people: People, sql: str, terms: AskingTerms, groups: int = 1, null: float | None = None
) -> tuple[ValueSums, PaidQuestion]:
    """Return noisy sums of `value`, an element for each group: the question is VAR_POP of it, which takes all three.

    What could not be computed with is refused before the charge; nothing after it depends on what the data hold.
    """
    prepared = session.prepare(sql, terms.epsilon, rho=terms.rho, params=people.parameters)
    bounded = prepared.priced.bounded
    (places,) = bounded.sources
    noises = tuple(_check_noise(prepared, place) for place in places)
    grid = bounded.plan.measures[places[1]].grid
    assert grid is not None
    scale = _read_scale(grid, null)
    released, paid = _pay(session, prepared, terms)
    sums = [np.array(released.sets[0].sums[place], dtype=float).reshape(groups) for place in places]
    return ValueSums(sums[0], sums[1], sums[2], (noises[0], noises[1], noises[2]), scale), paid


def measure_counts(
    session: Session, people: People, sql: str, terms: AskingTerms, keys: tuple[tuple[str, int], ...]
) -> tuple[Floats, SumNoise, PaidQuestion]:
    """Return the noisy counts `n` of a question in an array with a side for each key, whose values are 0, 1, 2, ...

    A person is in one cell at most, so that each count has the noise of the whole charge.
    """
    prepared = session.prepare(sql, terms.epsilon, rho=terms.rho, params=people.parameters)
    (noise,) = (_check_noise(prepared, place) for place in range(len(prepared.priced.noises)))
    released, paid = _pay(session, prepared, terms)
    answer = assemble(prepared.question, prepared.priced, released, paid.receipt, prepared.text)
    places = [answer.names.index(name) for name, _ in keys]
    found = np.zeros([size for _, size in keys])
    for row in answer.rows:
        found[tuple(int(str(row[place])) for place in places)] = float(str(row[answer.names.index("n")]))
    return found, noise, paid


def _pay(session: Session, prepared: Prepared, terms: AskingTerms) -> tuple[Released, PaidQuestion]:
    """Charge, measure and record, or find what was recorded. No route answers: the noise must be the priced one."""
    released, receipt = session.perform(prepared.operation, prepared.text, fresh=terms.fresh, progress=terms.progress)
    return released, PaidQuestion(prepared.text, receipt, prepared.priced.guarantee, prepared.priced.notes)


def _check_noise(prepared: Prepared, place: int) -> SumNoise:
    noise = prepared.priced.noises[place]
    assert isinstance(noise, Laplace | Gaussian)
    return noise


def _read_scale(grid: ClampedGrid, null: float | None) -> ValueScale:
    """Return the public grid; refuse one without a spread, and a mean to be tested that its bounds make impossible."""
    if grid.reach == 0:
        raise ParameterError(
            "column", float(grid.center), "one whose bounds are apart: this has one value, and no spread"
        )
    scale = ValueScale(float(grid.center), float(grid.step), float(grid.lower), float(grid.upper))
    if null is not None and not scale.lower <= scale.to_steps(null) <= scale.upper:
        raise ParameterError("mean", null, "one inside the public bounds that values are clamped to")
    return scale
