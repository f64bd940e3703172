"""Bounded plan to price: which noise, how the charge is split, what it costs, and how far answers will be off."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from discreet.base import check
from discreet.base.errors import ParameterError, QueryError
from discreet.base.rounding import ball, float_down, ratio_up, rounded_down, rounded_up
from discreet.mechanisms import Gaussian, Laplace
from discreet.mechanisms.additive import fitting_scale
from discreet.mechanisms.gaussian import analytic_sigma
from discreet.mechanisms.key_selection import KeySelection
from discreet.mechanisms.key_threshold import KeyThreshold
from discreet.mechanisms.quantile import Quantile
from discreet.plan.bounded import Measure, Part
from discreet.plan.expressions import Call
from discreet.plan.words import describe_expression
from discreet.policy.model import Policy
from discreet.privacy.charges import Charge, round_charge
from discreet.query.bound import Bounded
from discreet.query.choices import Choice
from discreet.query.cost import cost_measures, fits_within
from discreet.query.draws import Draw, Draws, KeyChoice
from discreet.query.floors import Floors, describe_floor, find_floors, reach_floor
from discreet.query.left_out import LeftOutPlan
from discreet.query.split import split_charge, weigh
from discreet.query.work import check_work

ROWS = 1 << 48
"""No table has more rows."""

DIGITS = 10**38

FLOATS = 10**300
"""Sums in the values' own units stay below this, and their noise far below the largest float."""

SPARE = 1 - Fraction(1, 1 << 40)
"""What of a rho is given to a selection of keys: its own rho, rounded up as a float, then still fits."""


FREE = "no private row is read, and nothing is spent"
"""The guarantee of keys that the policy declares."""


@dataclass(frozen=True, slots=True)
class LeftOutPrice:
    """How what is left out is counted: its plan, and the noise that the price chose (`query.price_left_out`)."""

    counted: LeftOutPlan
    draws: Draws


@dataclass(frozen=True, slots=True)
class Price:
    """What a question costs and how its measures are released: one noise each, and its share of the charge.

    Theorem (basic composition; Dwork, McSherry, Nissim, Smith 2006): Laplace noise of scale L1 / (share * epsilon) on
    each measure is (sum of shares) * epsilon = epsilon-differentially private. (Dong, Roth, Su 2022): Gaussian noise
    of sigma = L2 / (sqrt(share) * mu) on each is mu-Gaussian differentially private, and its curve gives the delta.
    Quantiles are drawn, in every group for itself, at a loss of share * epsilon / L1 for each row that a unit moves:
    all groups that it is in add up to share * epsilon. Keys that come from the data are kept where a count that is
    released anyway is above a threshold, or else selected at a share of their own, with a delta either way; what is
    released about a key is released only if the key is.
    """

    bounded: Bounded
    noises: tuple[Draw, ...]
    shares: tuple[Fraction, ...]
    charge: Charge
    guarantee: str
    selection: KeyChoice | None = None
    counted: int | None = None
    """The measure whose noisy counts are compared with a threshold."""
    target: Fraction = Fraction(0)
    """The epsilon or rho that its noise was made for."""
    by_rho: bool = False
    """Whether that is a rho."""
    notes: tuple[str, ...] = ()
    """What is said about the price, where it is not what was asked for."""
    choice: Choice | None = None
    """How keys are chosen, where nothing else is released: there are no noises then."""
    score_step: Fraction = Fraction(1)
    """What one step of a score is worth, where its candidates are no keys."""
    left_out: LeftOutPrice | None = None
    """How what is left out is counted, where that was asked for; its part of the price is in the charge."""

    beside: tuple[Price, ...] = ()
    """The prices of what else the statement releases, each by itself; charge and guarantee here are those of all."""

    @property
    def free(self) -> bool:
        """Whether nothing is released that depends on data: keys alone, of a public domain."""
        alone = not self.noises and self.selection is None and self.choice is None
        return alone and all(each.free for each in self.beside)


def price(
    bounded: Bounded,
    policy: Policy,
    epsilon: Fraction | None = None,
    rho: Fraction | None = None,
    key_delta: Fraction | None = None,
) -> Price:
    """Return the price of a question at this epsilon (the noise that errs less) or rho (Gaussian noise).

    Keys that come from the data are selected at `key_delta`, or at the policy's. Less than the policy's floor is priced
    at it (`query.floors`): noise, charge and guarantee alike.
    """
    check_sums(bounded, policy)
    selects = bounded.plan.selects_any
    delta = _selection_delta(policy, bounded, key_delta) if selects else Fraction(0)
    if not bounded.plan.measures and not selects:
        return Price(bounded, (), (), Charge(Fraction(0), Fraction(0), Fraction(0)), FREE)
    if key_delta is not None and not selects:
        raise QueryError("key_delta is for keys that come from the data, and this question has none; leave it out")
    counted = _counted(bounded) if selects else None
    kept = Fraction(1, len(bounded.plan.measures) + 1) if selects and counted is None else Fraction(0)
    draft = _Draft(bounded, weigh(bounded, counted), kept, delta, counted)
    floors = find_floors(policy)
    if rho is not None:
        return price_at_rho(draft.with_rho, rho, floors, policy)
    assert epsilon is not None
    alone = selects or any(measure.part is Part.QUANTILE for measure in bounded.plan.measures)
    question_delta = Fraction(0) if alone else policy.question_delta
    found = reach_floor(lambda each: draft.with_less_error(each, question_delta), epsilon, floors)
    return note_floor(found, floors, policy, epsilon=epsilon)


def check_sums(bounded: Bounded, policy: Policy) -> None:
    """Refuse sums that could leave 38 digits or the floats, and plans in which one unit could take too long."""
    for measure in bounded.plan.measures:
        if measure.reach * ROWS >= DIGITS:
            raise QueryError("a sum here could leave 38 digits; declare narrower bounds or a larger step")
        if measure.reach * ROWS * find_step(measure) >= FLOATS:
            raise QueryError("a sum here could be larger than any float; declare narrower bounds")
    check_work(bounded.plan, policy)


def price_at_rho(make: Callable[[Fraction], Price], rho: Fraction, floors: Floors, policy: Policy) -> Price:
    """Return the price that is made at this rho, at the policy's floor at least; refused without a delta."""
    if policy.delta == 0:
        raise QueryError("rho= needs a budget with delta > 0; ask with epsilon= instead")
    return replace(note_floor(make(max(rho, floors.rho)), floors, policy, rho=rho), by_rho=True)


def note_floor(
    priced: Price, floors: Floors, policy: Policy, *, epsilon: Fraction | None = None, rho: Fraction | None = None
) -> Price:
    """Return the price with a charge that is at the floor in each currency, and a note where it was asked for less."""
    name, asked = ("epsilon", epsilon) if rho is None else ("rho", rho)
    assert asked is not None
    notes = (describe_floor(name, asked, priced.target, policy),) if priced.target > asked else ()
    return replace(priced, charge=floors.raise_charge(priced.charge), notes=notes)


@dataclass(frozen=True, slots=True)
class _Draft:
    """A price being made: what is released, how the charge is split, and how keys are selected."""

    bounded: Bounded
    weights: tuple[Fraction, ...]
    """What the split of the charge goes by."""
    kept: Fraction
    """The share of the charge that a selection of keys by units takes: what a measure gets on average."""
    delta: Fraction
    """The delta of a selection of keys."""
    counted: int | None

    def with_less_error(self, epsilon: Fraction, delta: Fraction) -> Price:
        """Return the price with Laplace noise, or with Gaussian noise where delta is above 0 and it errs less."""
        laplace = self.with_epsilon(epsilon)
        if delta == 0:
            return laplace
        try:
            gaussian = self.with_epsilon_and_delta(epsilon, delta)
        except ParameterError:  # beyond the widest noise, where the other still is not
            return laplace
        return gaussian if self._expect_error(gaussian) < self._expect_error(laplace) else laplace

    def _expect_error(self, priced: Price) -> float:
        """Return the sum of squared errors that the split is for, each relative to what one row moves."""
        found = zip(self.weights, self.bounded.plan.measures, priced.noises, strict=True)
        return math.fsum(float(weight) * (estimate_error(noise) / each.reach) ** 2 for weight, each, noise in found)

    def with_epsilon(self, epsilon: Fraction) -> Price:
        """Return the price with Laplace noise."""
        noises: list[Draw] = []
        shares = split_charge(self.weights, 3, 1 - self.kept)
        for measure, share in zip(self.bounded.plan.measures, shares, strict=True):
            if measure.part is Part.QUANTILE:
                noises.append(_quantile(self.bounded, measure, float_down(share * epsilon), pure=True))
                continue
            scale = ratio_up(self.bounded.plan.l1(measure), share * epsilon)
            noises.append(Laplace(fitting_scale(scale, "epsilon", float(epsilon))))
        alone = f"({write_amount(epsilon)}, {float(self.delta):g})" if self.delta else write_amount(epsilon)
        selection = self._select(noises, lambda: float_down(self.kept * epsilon))
        return self._finish(noises, shares, selection, f"{alone}-differentially private", epsilon, epsilon=epsilon)

    def with_epsilon_and_delta(self, epsilon: Fraction, delta: Fraction) -> Price:
        """Return the price with Gaussian noise that is (epsilon, delta)-differentially private."""
        sigma = analytic_sigma(float_down(epsilon), float_down(delta), 1)
        shares = split_charge(self.weights, 2, 1 - self.kept)
        noises = _gaussians(self.bounded, shares, sigma, Fraction(0), "epsilon", epsilon)
        words = f"({write_amount(epsilon)}, {float(delta):g})-differentially private"
        return self._finish(noises, shares, None, words, epsilon)

    def with_rho(self, rho: Fraction) -> Price:
        """Return the price with Gaussian noise that is rho-zCDP."""
        words = f"{write_amount(rho)}-zCDP" + (f" with delta {float(self.delta):g} for its keys" if self.delta else "")
        shares = split_charge(self.weights, 2, 1 - self.kept)
        try:
            sigma = rounded_up(lambda: 1 / (2 * ball(rho)).sqrt())
            noises = _gaussians(self.bounded, shares, sigma, rho, "rho", rho)
            selection = self._select(noises, lambda: _root_down(2 * rho * self.kept * SPARE))
        except ParameterError as wrong:
            if wrong.name == "rho":
                raise
            raise ParameterError("rho", float(rho), "larger here: too little of it is left for every number") from None
        return self._finish(noises, shares, selection, words, rho, rho=rho)

    def _select(self, noises: list[Draw], epsilon: Callable[[], float]) -> KeyChoice | None:
        """Return how keys of the data are selected: by a count that is released, or by one of its own."""
        plan = self.bounded.plan
        if not self.delta:
            return None
        if self.counted is None:
            return KeySelection(epsilon(), float_down(self.delta), plan.reached())
        noise = noises[self.counted]
        assert not isinstance(noise, Quantile)
        chosen = [each for index, each in enumerate(plan.sets) if plan.selects(index)]
        units = plan.measures[self.counted].part is Part.UNITS
        rows = 1 if units else max(min(each.limits.rows_per_group, each.limits.rows) for each in chosen)
        return KeyThreshold(noise, float_down(self.delta), plan.reached(), rows)

    def _finish(
        self,
        noises: list[Draw],
        shares: tuple[Fraction, ...],
        selection: KeyChoice | None,
        guarantee: str,
        target: Fraction,
        *,
        epsilon: Fraction | None = None,
        rho: Fraction | None = None,
    ) -> Price:
        """Return the price; what was asked for is charged as it was asked, and the rest as it is computed."""
        cost = cost_measures(self.bounded.plan, Draws(tuple(noises), selection, self.counted))
        asked = Charge(cost.epsilon if epsilon is None else epsilon, cost.rho if rho is None else rho, self.delta)
        charge = round_charge(asked)
        assert fits_within(cost, charge), "the noise costs more than the question may"
        return Price(self.bounded, tuple(noises), shares, charge, guarantee, selection, self.counted, target)


def _selection_delta(policy: Policy, bounded: Bounded, asked: Fraction | None) -> Fraction:
    """Return the delta of one selection of keys: as it is asked for, or the policy's; never above one question's."""
    if policy.question_delta == 0:
        plan = bounded.plan
        word = " and ".join(describe_expression(key.expression, plan.block) for key in plan.keys if key.domain is None)
        raise QueryError(
            f"grouped by {word}: its values are not declared, and keys taken from the data would tell who is in it; "
            "name the wanted ones in WHERE ... IN (...), hand them in as keys, or declare values = [...] or bounds in "
            "the policy, or a budget with delta > 0, so that keys can be selected"
        )
    if asked is not None and asked > policy.question_delta:
        raise QueryError(
            f"key_delta is {float(asked):g}, and one question may have {float(policy.question_delta):g} at most "
            "(question_delta in the policy)"
        )
    return policy.usual_key_delta if asked is None else asked


def read_amount(name: str, value: object) -> Fraction:
    """Return an epsilon or rho as the exact decimal that was written: 0.1 is one tenth."""
    number = check.positive(name, value)
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def _counted(bounded: Bounded) -> int | None:
    """Return a measure that counts a key's units, its rows or a column's values, whichever is there, best first."""
    measures = bounded.plan.measures
    for part in (Part.UNITS, Part.ROWS, Part.VALUES):
        for place, measure in enumerate(measures):
            if measure.part is part and measure.other is None and not isinstance(measure.argument, Call):
                return place
    return None


def _quantile(bounded: Bounded, measure: Measure, epsilon: float, *, pure: bool) -> Quantile:
    """Return the draw of a rank: permute-and-flip where epsilon is paid, and where rho is, what costs less of it."""
    assert measure.grid is not None
    assert measure.share is not None
    points = measure.grid.upper - measure.grid.lower + 1
    return Quantile(measure.share, points, epsilon, bounded.plan.l1(measure), pure=pure)


def _gaussians(
    bounded: Bounded, shares: tuple[Fraction, ...], sigma: float, rho: Fraction, name: str, target: Fraction
) -> list[Draw]:
    """Return Gaussian noises that are together as private as `sigma` on a sensitivity of 1.

    Quantiles have no Gaussian noise: a unit that moves n_g rows in group g loses n_g^2 times the zCDP of one row there,
    and so at most L2^2 times that in all, which is their share of rho.
    """
    noises: list[Draw] = []
    for measure, share in zip(bounded.plan.measures, shares, strict=True):
        l2_squared = Fraction(bounded.plan.l2_squared(measure))
        if measure.part is Part.QUANTILE:
            wide = Fraction(bounded.plan.l1(measure)) ** 2 * share * rho / l2_squared
            noises.append(_quantile(bounded, measure, Quantile.find_epsilon(wide * SPARE), pure=False))
            continue
        noises.append(Gaussian(fitting_scale(_wider(sigma, l2_squared / share), name, float(target))))
    return noises


def _wider(sigma: float, square: Fraction) -> float:
    """Return sigma times the root of a number, rounded up."""
    return rounded_up(lambda: ball(square).sqrt() * ball(sigma))


def _root_down(square: Fraction) -> float:
    return rounded_down(lambda: ball(square).sqrt())


def estimate_error(noise: Draw) -> float:
    """Return the mean distance of the noise from zero, about; of a quantile, in ranks."""
    if isinstance(noise, Quantile):
        return noise.rank_error(0.5)
    return noise.scale if isinstance(noise, Laplace) else noise.sigma * math.sqrt(2 / math.pi)


def find_half_width(priced: Price, aggregate: int, confidence: float) -> float | None:
    """Return how far a count or a sum lies from the truth at most, at this confidence; None for other aggregates."""
    source = priced.bounded.sources[aggregate]
    measure = priced.bounded.plan.measures[source[0]]
    if priced.choice is not None:
        return None
    noise = priced.noises[source[0]]
    if len(source) != 1 or measure.in_cells or isinstance(noise, Quantile):
        return None
    return float(noise.interval(confidence) * find_step(measure))


STEPPED = (Part.SUM, Part.DISTINCT_SUM, Part.SQUARES, Part.PRODUCTS)
"""Parts that are counted in steps of a grid."""


def find_step(measure: Measure) -> Fraction:
    """Return the value of one step of a measure: of sums, squares and products, else 1."""
    if measure.grid is None or measure.part not in STEPPED:
        return Fraction(1)
    if measure.part is Part.PRODUCTS and measure.other_grid is not None:
        return measure.grid.step * measure.other_grid.step
    return measure.grid.step ** (2 if measure.part is Part.SQUARES else 1)


def write_amount(value: Fraction) -> str:
    """Return an epsilon or rho as guarantees have it."""
    return f"{float(value):.12g}"
