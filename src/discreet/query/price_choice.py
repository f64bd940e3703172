"""The price of choosing keys by a score: which mechanism, which scale, and how far the chosen may fall short.

Nothing but the chosen keys is released, so nothing is paid for the scores. Where an epsilon is asked for, one key is
chosen by permute-and-flip, which errs least at a pure epsilon; several, and where rho is asked for, by the exponential
mechanism, whose rho is a quarter.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from discreet.base.rounding import ball, float_up, rounded_up
from discreet.mechanisms.additive import fitting_scale
from discreet.mechanisms.exponential import Exponential
from discreet.mechanisms.permute_and_flip import PermuteAndFlip
from discreet.mechanisms.quantile import Quantile
from discreet.noise.race import LARGEST_SCALE, SMALLEST_SCALE
from discreet.policy.model import Policy
from discreet.privacy.budget import rho_cap
from discreet.privacy.charges import Charge, round_charge
from discreet.query.bound import Bounded
from discreet.query.choices import Choice, PickNoise, Spreads, bound_spreads, find_pure_scale
from discreet.query.cost import cost_choice, fits_within
from discreet.query.floors import find_floors, reach_floor
from discreet.query.price import Price, check_sums, find_step, note_floor, price, price_at_rho
from discreet.query.scores import LargestSum, Score, SmallestSum

CONFIDENCE = 0.95


def price_question(
    bounded: Bounded,
    policy: Policy,
    epsilon: Fraction | None = None,
    rho: Fraction | None = None,
    key_delta: Fraction | None = None,
) -> Price:
    """Return the price of a question: of a choice where only keys are shown, else of its measures.

    Several keys may be ordered more closely by released values, whose noise grows with the groups of one unit and not
    with the keys chosen: whichever has the smaller bound on what the chosen fall short.
    """
    pick = bounded.pick
    if pick is None or key_delta is not None:
        return price(bounded, policy, epsilon, rho, key_delta)
    measure = bounded.sources[0][0]
    score: Score = LargestSum(measure) if pick.largest else SmallestSum(measure)
    parts = bounded.plan.groups(0) // len(bounded.plan.keys[-1].domain or ()) if pick.each else 1
    draft = ChoiceDraft(bounded, score, find_step(bounded.plan.measures[measure]), pick.count, parts)
    chosen = price_choice(draft, policy, epsilon, rho)
    if pick.count == 1 or not pick.ordered:
        return chosen
    released = price(bounded, policy, epsilon, rho)
    ours, theirs = (find_shortfall(each, CONFIDENCE) for each in (chosen, released))
    assert ours is not None
    return released if theirs is not None and theirs < ours else chosen


@dataclass(frozen=True, slots=True)
class ChoiceDraft:
    """A choice to be priced: of how many candidates by which score, and what one step of the score is worth."""

    bounded: Bounded
    score: Score
    step: Fraction
    count: int = 1
    parts: int = 1

    @property
    def spreads(self) -> Spreads:
        """How far apart one unit moves scores."""
        return bound_spreads(self.bounded.plan, self.score, self.parts)

    def with_epsilon(self, epsilon: Fraction, delta: Fraction) -> Price:
        """Return the price at a pure epsilon, or with a delta where many rounds or parts then take less noise."""
        pure = fitting_scale(
            find_pure_scale(self.spreads, self.count, epsilon), "epsilon", float(epsilon), SMALLEST_SCALE, LARGEST_SCALE
        )
        if delta and (self.count > 1 or self.parts > 1):
            scale = self._find_scale(Fraction(rho_cap(epsilon, delta)))
            if scale < pure:
                words = f"({_decimal(epsilon)}, {float(delta):g})-differentially private"
                return self._finish(Exponential(scale), words, epsilon)
        alone = self.count == 1 and not self.score.in_pieces
        pick: PickNoise = PermuteAndFlip(pure) if alone else Exponential(pure)
        return self._finish(pick, f"{_decimal(epsilon)}-differentially private", epsilon, epsilon=epsilon)

    def with_rho(self, rho: Fraction) -> Price:
        """Return the price by the exponential mechanism at a rho."""
        scale = fitting_scale(self._find_scale(rho), "rho", float(rho), SMALLEST_SCALE, LARGEST_SCALE)
        return self._finish(Exponential(scale), f"{_decimal(rho)}-zCDP", rho, rho=rho)

    def _find_scale(self, rho: Fraction) -> float:
        """Return the scale at which count * squares / (8 scale^2) is this rho, rounded up."""
        square = self.count * self.spreads.squares / (8 * rho)
        return rounded_up(lambda: ball(square).sqrt())

    def _finish(
        self,
        pick: PickNoise,
        guarantee: str,
        target: Fraction,
        *,
        epsilon: Fraction | None = None,
        rho: Fraction | None = None,
    ) -> Price:
        choice = Choice(self.score, pick, self.count, self.parts)
        cost = cost_choice(self.bounded.plan, choice)
        asked = Charge(cost.epsilon if epsilon is None else epsilon, cost.rho if rho is None else rho, Fraction(0))
        charge = round_charge(asked)
        assert fits_within(cost, charge), "the choice costs more than the question may"
        return Price(self.bounded, (), (), charge, guarantee, target=target, choice=choice, score_step=self.step)


def price_choice(
    draft: ChoiceDraft, policy: Policy, epsilon: Fraction | None = None, rho: Fraction | None = None
) -> Price:
    """Return the price of choosing candidates by a score at this epsilon or rho, at the policy's floor at least."""
    check_sums(draft.bounded, policy)
    floors = find_floors(policy)
    if rho is not None:
        return price_at_rho(draft.with_rho, rho, floors, policy)
    assert epsilon is not None
    found = reach_floor(lambda each: draft.with_epsilon(each, policy.question_delta), epsilon, floors)
    return note_floor(found, floors, policy, epsilon=epsilon)


def price_again(
    priced: Price,
    policy: Policy,
    epsilon: Fraction | None = None,
    rho: Fraction | None = None,
    key_delta: Fraction | None = None,
) -> Price:
    """Return the price of what was priced before, as one release, at another epsilon or rho.

    What is left out is counted in none of them.
    """
    choice = priced.choice
    if choice is None:
        return price(priced.bounded, policy, epsilon, rho, key_delta)
    draft = ChoiceDraft(priced.bounded, choice.score, priced.score_step, choice.count, choice.parts)
    return price_choice(draft, policy, epsilon, rho)


def find_shortfall(priced: Price, confidence: float) -> float | None:
    """Return how far the aggregate of the j-th chosen key may fall short of the j-th best, for all j at once.

    Where values are released and then ordered, each has noise of at most w, all at once, and a key before another one
    may be worse by 2w. None for questions that choose no keys.
    """
    bounded, plan = priced.bounded, priced.bounded.plan
    if priced.choice is not None:
        return float_up(Fraction(priced.choice.bound_shortfall(plan, confidence)) * priced.score_step)
    if bounded.pick is None:
        return None
    place = bounded.sources[0][0]
    noise = priced.noises[place]
    assert not isinstance(noise, Quantile)
    sure = 1 - (1 - Fraction(confidence)) / plan.groups(0)
    return float_up(2 * Fraction(noise.interval(sure)) * find_step(plan.measures[place]))  # type: ignore[arg-type]


def _decimal(value: Fraction) -> str:
    return f"{float(value):.12g}"
