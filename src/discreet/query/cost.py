"""What a set of noises costs on a plan: computed from the mechanisms and the plan's own sensitivity, never stated.

The price uses it to say what to charge, and the desk to admit draws: so noise and charge cannot drift apart. Every
number is an upper bound: exact fractions where they are quotients of whole numbers and floats, else rounded up.

Theorems. Measures compose (Dwork, McSherry, Nissim, Smith 2006; Bun, Steinke 2016): epsilons, rhos and deltas add up.
Laplace noise of this scale on a vector of L1 sensitivity d is (d / scale)-differentially private. Gaussian noise on an
L2 sensitivity d is (d^2 / 2 sigma^2)-zCDP and has no epsilon. A drawn quantile loses epsilon / rows for each row
that a unit moves in a group: over all groups at most epsilon, and of zCDP at most what it says of one row
(`Quantile.row_rho`) times the sum of squared rows, d_2^2. Only the exponential mechanism's loss is of bounded range,
and costs e^2 / 8 (Cesar, Rogers 2021); that of permute-and-flip is pure, and costs e^2 / 2.

Choices. Let one unit move candidate c's score by m(c), and d be the greatest m(c) - m(c'), the spread. The exponential
mechanism chooses o with a log-likelihood ratio of m(o) / scale less the log of a mean of e^(m(c) / scale), which lies
between the least and the greatest m(c) / scale: so its loss has the bounded range d / scale (McSherry, Talwar 2007;
Durfee, Rogers 2019), and zCDP of its square by 8 (Cesar, Rogers 2021). Noisy max and permute-and-flip: fix the noise of
all others; o stays ahead if its own is larger by d, which has at least e^(-d / scale) of the probability
(McKenna, Sheldon 2020). That loss is pure and of no bounded range: its zCDP is its square by 2, four times as much.
Rounds without the candidates chosen before compose, and so do parts.
"""

from __future__ import annotations

import functools
import math
import operator
from fractions import Fraction

from discreet.base.check import Exact
from discreet.base.errors import OperationError
from discreet.base.rounding import ball, rounded_up
from discreet.mechanisms import Exponential, Gaussian, Laplace
from discreet.mechanisms.key_selection import KeySelection
from discreet.mechanisms.quantile import Quantile
from discreet.mechanisms.sparse_vector import SparseVector
from discreet.plan.bounded import BoundedPlan, Measure, Part
from discreet.privacy import ApproximateLoss, BoundedRangeLoss, GaussianLoss, Loss, PureLoss, ZcdpLoss
from discreet.privacy.charges import Charge, add_up
from discreet.query.choices import Choice, PickNoise, Spreads, bound_spreads
from discreet.query.draws import DRAWS, Draw, Draws, VectorNoise

NOTHING = Charge(Fraction(0), Fraction(0), Fraction(0))


def cost_measures(plan: BoundedPlan, draws: Draws) -> Charge:
    """Return what releasing every measure of a plan costs, and selecting its keys where they come from the data.

    Raises where a mechanism was made for a smaller sensitivity than the plan has, or where keys of the data would be
    shown without a selection.
    """
    if draws.choice is not None:
        return cost_choice(plan, _choose_alone(draws))
    total = NOTHING
    for measure, noise in _pair(plan, draws):
        total = add_charges(total, cost_draw(plan, measure, noise))
    if plan.selects_any:
        total = add_charges(total, _cost_selection(plan, draws))
    return total


def lose_measures(plan: BoundedPlan, draws: Draws) -> Loss:
    """Return the loss of releasing every measure of a plan: what `cost_measures` charges for, for the accountant."""
    if draws.choice is not None:
        return lose_choice(plan, _choose_alone(draws))
    cost_measures(plan, draws)
    losses: list[Loss] = []
    squares = Fraction(0)
    for measure, noise in _pair(plan, draws):
        if isinstance(noise, Gaussian):
            squares += Fraction(plan.l2_squared(measure)) / Fraction(noise.sigma) ** 2
        elif isinstance(noise, Quantile):
            losses.append(noise.loss())
        else:
            losses.append(PureLoss(Fraction(plan.l1(measure)) / Fraction(noise.scale)))
    if squares:
        losses.append(GaussianLoss(Fraction(rounded_up(lambda: ball(squares).sqrt()))))
    if isinstance(draws.selection, KeySelection):
        losses.append(draws.selection.loss())
    elif draws.selection is not None:
        losses.append(ApproximateLoss(0, Fraction(draws.selection.delta)))
    return functools.reduce(operator.add, losses)


def cost_choice(plan: BoundedPlan, choice: Choice) -> Charge:
    """Return what choosing candidates by their scores costs."""
    choice.count_each(plan)
    return cost_pick(bound_spreads(plan, choice.score, choice.parts), choice.pick, choice.count)


def cost_pick(spreads: Spreads, pick: PickNoise, count: int = 1) -> Charge:
    """Return what choosing so many candidates costs whose scores one unit moves apart by so much."""
    scale, divisor = Fraction(pick.scale), 8 if type(pick) is Exponential else 2
    rho = count * Fraction(spreads.squares) / (divisor * scale**2)
    return Charge(count * Fraction(spreads.total) / scale, rho, Fraction(0))


def lose_choice(plan: BoundedPlan, choice: Choice) -> Loss:
    """Return the loss of choosing candidates by their scores; ranges of parts that know nothing of each other add."""
    choice.count_each(plan)
    return lose_pick(bound_spreads(plan, choice.score, choice.parts), choice.pick, choice.count)


def lose_pick(spreads: Spreads, pick: PickNoise, count: int = 1) -> Loss:
    """Return the loss of choosing so many candidates; of several only by the exponential mechanism."""
    total = Fraction(spreads.total) / Fraction(pick.scale)
    if type(pick) is not Exponential:
        return PureLoss(count * total)
    each = BoundedRangeLoss(total)
    return each if count == 1 else each * count


def _choose_alone(draws: Draws) -> Choice:
    """Return the choice of draws that release nothing else: no score is shown beside what was chosen by it."""
    if type(draws.choice) is not Choice:
        raise OperationError("candidates are chosen by a Choice: a score, a mechanism, and how many")
    if draws.noises or draws.selection is not None or draws.quantiles:
        raise OperationError("a choice is released alone: measure scores by themselves, at their own price")
    return draws.choice


def _pair(plan: BoundedPlan, draws: Draws) -> list[tuple[Measure, Draw]]:
    if len(draws.noises) != len(plan.measures):
        wrong = f"the plan has {len(plan.measures)} measures and {len(draws.noises)} noises"
        raise OperationError(f"{wrong}; give one for each")
    for noise in draws.noises:
        if type(noise) not in DRAWS:
            names = ", ".join(each.__name__ for each in DRAWS)
            raise OperationError(f"{type(noise).__name__} releases no measure; there are {names}")
    return list(zip(plan.measures, draws.noises, strict=True))


def cost_draw(plan: BoundedPlan, measure: Measure, noise: Draw) -> Charge:
    """Return what releasing one measure over all keys costs."""
    l1, l2_squared = plan.l1(measure), plan.l2_squared(measure)
    if isinstance(noise, Quantile):
        return _cost_quantile(measure, noise, l1, l2_squared)
    if noise.grid is not None or measure.part is Part.QUANTILE:
        raise OperationError("measures are whole numbers: give noise without a grid, and a Quantile for a rank")
    return cost_counts(l1, l2_squared, noise)


def cost_vector(sensitivity: int, noise: VectorNoise) -> Charge:
    """Return what releasing a vector of whole numbers costs that one unit moves by so much, in the noise's own norm.

    Discrete Gaussian noise on vectors has the zCDP of the continuous one (Canonne, Kamath, Steinke 2020).
    """
    return cost_counts(sensitivity, sensitivity**2, noise)


def cost_counts(l1: int, l2_squared: int, noise: VectorNoise) -> Charge:
    """Return what releasing a vector of whole numbers costs that one unit moves by so much in L1 and in L2."""
    if not isinstance(noise, VectorNoise) or noise.grid is not None:
        raise OperationError("sums are whole numbers: give Laplace or Gaussian noise without a grid")
    if isinstance(noise, Laplace):
        return cost_pure(Fraction(l1) / Fraction(noise.scale))
    return Charge(math.inf, Fraction(l2_squared) / (2 * Fraction(noise.sigma) ** 2), Fraction(0))


def lose_counts(l1: int, l2_squared: int, noise: VectorNoise) -> Loss:
    """Return the loss of what `cost_counts` charges for."""
    cost = cost_counts(l1, l2_squared, noise)
    if isinstance(noise, Laplace):
        return PureLoss(Fraction(l1) / Fraction(noise.scale))
    if isinstance(noise, Gaussian):
        return GaussianLoss(Fraction(rounded_up(lambda: (2 * ball(cost.rho)).sqrt())))
    return ZcdpLoss(cost.rho)


def cost_pure(epsilon: Fraction) -> Charge:
    """Return the charge of a release that is epsilon-differentially private."""
    return Charge(epsilon, PureLoss(epsilon).zcdp(), Fraction(0))


def cost_watch(reach: int, mechanism: SparseVector) -> Charge:
    """Return what a whole run of the sparse vector technique costs on questions that one unit moves by so much."""
    return cost_pure(Fraction(mechanism.loss(reach).exact_pure))


def add_charges(first: Charge, second: Charge) -> Charge:
    """Return what two releases cost together, in every currency."""
    return Charge(
        add_up(first.epsilon, second.epsilon), add_up(first.rho, second.rho), add_up(first.delta, second.delta)
    )


def fits_within(cost: Charge, charge: Charge) -> bool:
    """Say whether a cost stays within a charge in every currency: an `or` would make both declared numbers untrue."""
    pairs = ((cost.epsilon, charge.epsilon), (cost.rho, charge.rho), (cost.delta, charge.delta))
    return all(_is_within(spent, declared) for spent, declared in pairs)


def _is_within(spent: Exact, declared: Exact) -> bool:
    return spent <= declared if math.isfinite(declared) else declared == math.inf


def _cost_quantile(measure: Measure, noise: Quantile, l1: int, l2_squared: int) -> Charge:
    grid = measure.grid
    if measure.part is not Part.QUANTILE or grid is None or noise.share != measure.share:
        raise OperationError("a Quantile releases the rank that its measure is of; give other measures additive noise")
    if noise.rows < l1 or noise.points != grid.upper - grid.lower + 1:
        raise OperationError(f"this Quantile is made for {noise.rows} rows of a unit, and the plan moves {l1}")
    each = Fraction(noise.epsilon) / noise.rows
    return Charge(each * l1, noise.row_rho * l2_squared, Fraction(0))


def _cost_selection(plan: BoundedPlan, draws: Draws) -> Charge:
    selection, counted = draws.selection, draws.counted
    if selection is None:
        raise OperationError("keys come from the data here: they are shown only through a private selection")
    if selection.groups < plan.reached():
        raise OperationError(f"this selection is made for {selection.groups} keys of a unit, not {plan.reached()}")
    if isinstance(selection, KeySelection):
        if counted is not None:
            raise OperationError("a selection by units compares no measure with a threshold")
        return add_charges(cost_pure(Fraction(selection.epsilon)), Charge(Fraction(0), 0.0, Fraction(selection.delta)))
    if counted is None or not 0 <= counted < len(draws.noises) or draws.noises[counted] != selection.noise:
        raise OperationError("a threshold is for the noise of the counts that it is compared with")
    if selection.rows < _most_counted(plan, plan.measures[counted]):
        raise OperationError("this threshold is made for fewer rows of a unit in one group than the plan allows")
    return Charge(Fraction(0), 0.0, Fraction(selection.delta))


def _most_counted(plan: BoundedPlan, measure: Measure) -> int:
    """Return how much one unit adds to a count of a key that it alone has."""
    if measure.part is Part.UNITS:
        return 1
    if measure.part not in (Part.ROWS, Part.VALUES):
        raise OperationError("a threshold is compared with counts of rows, values or units only")
    chosen = [each.limits for index, each in enumerate(plan.sets) if plan.selects(index)]
    return max(min(each.rows_per_group, each.rows) for each in chosen)
