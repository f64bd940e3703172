"""What a loss means for a person: the odds of the best possible attacker."""

from __future__ import annotations

import math
from dataclasses import dataclass

from discreet.base import check
from discreet.base.rounding import ball, rounded_up
from discreet.privacy.loss import Loss

ALARMS = (0.01, 0.05, 0.5)
PRIORS = (0.01, 0.1, 0.5)
FAMILY = 4


@dataclass(frozen=True, slots=True)
class Risk:
    """Upper bounds on what the best attacker, who knows everything but one person's presence, can achieve.

    `caught`: the true-positive rate at false-positive rates ALARMS. `belief`: for priors PRIORS, how sure the
    attacker can become. With a pure loss the odds grow at most e^epsilon times, whatever is seen; otherwise the
    belief is that after a finding which a false alarm gives in one of a hundred cases.
    """

    loss: Loss
    caught: tuple[float, ...]
    belief: tuple[float, ...]


def assess(loss: Loss) -> Risk:
    """Return what the loss lets the best attacker do."""
    caught = tuple(1 - loss.tradeoff(rate).low for rate in ALARMS)
    return Risk(loss, caught, tuple(_bound_belief(loss, prior, caught[0]) for prior in PRIORS))


def assess_family(loss: Loss, size: int = FAMILY) -> Risk:
    """Return the same for a whole family, present or absent together."""
    return assess(loss.group(size))


def assess_repeated(loss: Loss, times: int) -> Risk:
    """Return the same after this many releases with the same loss."""
    return assess(loss * check.integer("times", times, least=1))


def _bound_belief(loss: Loss, prior: float, caught: float) -> float:
    odds = prior / (1 - prior)
    pure = loss.pure
    factor = rounded_up(lambda: ball(min(pure, 700.0)).exp()) if math.isfinite(pure) else caught / ALARMS[0]
    return odds * factor / (1 + odds * factor)
