"""Minima over a plan's rows: what a desk may minimise, how noise gets in, and what that costs. For the desk alone.

**Output perturbation** (Chaudhuri, Monteleoni, Sarwate 2011): Gaussian noise on the weights of the minimum. One unit
moves it by at most (1 + e) L / ridge, or 2 L / ridge under replace (`gradients/objective.py`); what is found, in whole
steps, is off by the solver's proven tolerance and by half a step in each weight, on both sides.

**Objective perturbation**, in the form that survives rounding and a solver that ends (Iyengar et al. 2019): a first
noise b pushes the objective, and a second one is added to the weights that are found. *Proof.* Let w(b) be the exact
minimum for a real Gaussian b: releasing it would cost what `privacy/objective.py` says. Given the rows, w(b) and b
determine each other. What is found is computed from the rows and from b rounded to whole steps, which moves the
minimum by at most sqrt(d) / 2 steps over the ridge, and the solver is off by its tolerance: so it lies within a public
distance of w(b), whatever the rows are. Releasing it with Gaussian noise, after w(b), costs twice that distance over
the noise. The two compose, and w(b) is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from discreet.base.canonical import Json
from discreet.base.errors import OperationError
from discreet.base.rounding import ball, rounded_up
from discreet.base.wide import Ints
from discreet.curator.door.clipping import MOST_ENTRIES
from discreet.curator.door.gradients import find_row_time
from discreet.curator.door.unit_time import check_unit_time
from discreet.gradients.encoding import EncodedRows
from discreet.gradients.minimum import bound_move, count_steps, find_minimum
from discreet.gradients.objective import EASE, LinearObjective
from discreet.gradients.sums import GRADIENT_STEPS
from discreet.mechanisms import Gaussian
from discreet.mechanisms.identity import describe_mechanism
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy import Loss, ZcdpLoss
from discreet.privacy.charges import Charge
from discreet.privacy.objective import bound_replaced_rho, bound_rho
from discreet.query.cost import cost_vector


@dataclass(frozen=True, slots=True)
class OutputNoise:
    """Noise on the weights of a minimum, in the objective's steps."""

    noise: Gaussian

    def __post_init__(self) -> None:
        _check_noise(self.noise)

    def describe(self) -> Json:
        """Return the form of the noise."""
        return {"output": describe_mechanism(self.noise)}


@dataclass(frozen=True, slots=True)
class ObjectiveNoise:
    """A push of the objective, in the steps of gradients, and noise on the weights of its minimum, in its own steps."""

    push: Gaussian
    output: Gaussian

    def __post_init__(self) -> None:
        _check_noise(self.push)
        _check_noise(self.output)

    def describe(self) -> Json:
        """Return the form of both noises."""
        return {"push": describe_mechanism(self.push), "output": describe_mechanism(self.output)}


MinimumNoise = OutputNoise | ObjectiveNoise
"""The closed list."""


def bound_output(objective: LinearObjective, factor: int) -> int:
    """Return how far one unit moves the minimum that is found, in steps: `factor` is 2 under replace neighbours."""
    return bound_move(objective, max(1 + EASE, Fraction(factor)) * objective.longest)


def bound_rest(objective: LinearObjective) -> int:
    """Return how far what is found for two tables can be apart, in steps, where the exact minimum is the same."""
    rounded = rounded_up(lambda: ball(objective.gradients.entries).sqrt() / 2)
    return bound_move(objective, Fraction(0), Fraction(rounded) / (GRADIENT_STEPS * Fraction(objective.ridge)))


def cost_push(objective: LinearObjective, sigma: float, rows: int, factor: int) -> Fraction:
    """Return the rho of the exact minimum of an objective with a push of this deviation, for units of so many rows."""
    bound = bound_replaced_rho if factor == 2 else bound_rho
    entries = objective.gradients.entries
    shift = Fraction(objective.gradients.clip) / Fraction(sigma)
    curvature = objective.curvature / Fraction(objective.ridge)
    return Fraction(bound(shift, curvature, min(rows, entries), entries, objective.units, EASE))


def lose_minimum(objective: LinearObjective, noise: MinimumNoise, rows: int, factor: int) -> tuple[Charge, Loss]:
    """Return what a noisy minimum costs, and its loss."""
    if isinstance(noise, OutputNoise):
        sensitivity = bound_output(objective, factor)
        return cost_vector(sensitivity, noise.noise), noise.noise.loss(sensitivity, dim=objective.gradients.entries)
    rest = cost_vector(bound_rest(objective), noise.output)
    rho = cost_push(objective, noise.push.sigma, rows, factor) + Fraction(rest.rho)
    return Charge(rest.epsilon, rho, Fraction(0)), ZcdpLoss(rho)


def draw_minimum(objective: LinearObjective, noise: MinimumNoise, rows: EncodedRows, offsets: Ints) -> list[int]:
    """Return the noisy minimum, in steps."""
    if isinstance(noise, OutputNoise):
        return list(noise.noise.release(find_minimum(objective, rows, offsets)))
    push = [int(each) for each in noise.push.release([0] * objective.gradients.entries)]
    return list(noise.output.release(find_minimum(objective, rows, offsets, push)))


def check_minimum(plan: RowsPlan, objective: LinearObjective, noise: MinimumNoise) -> tuple[Charge, Loss]:
    """Return what a noisy minimum over a plan's rows costs, or refuse what is not of the closed lists."""
    if type(objective) is not LinearObjective or type(noise) not in (OutputNoise, ObjectiveNoise):
        raise OperationError("a minimum is of a LinearObjective, with OutputNoise or ObjectiveNoise")
    gradients = objective.gradients
    if gradients.encoding.columns > len(plan.columns):
        raise OperationError(
            f"the features are of {gradients.encoding.columns} columns, and the plan has {len(plan.columns)}"
        )
    if gradients.entries > MOST_ENTRIES:
        raise OperationError(f"a minimum has at most {MOST_ENTRIES:,} entries, not {gradients.entries:,}")
    if isinstance(noise, ObjectiveNoise) and gradients.residual.outputs > 1:
        raise OperationError("objective perturbation is for two classes or a number")
    check_unit_time(plan, find_row_time(gradients) * count_steps(objective))
    return lose_minimum(objective, noise, plan.rows, plan.factor)


def _check_noise(noise: object) -> None:
    if type(noise) is not Gaussian or noise.grid is not None:
        raise OperationError("weights are bounded in L2 and in whole steps: give Gaussian noise without a grid")
