"""Published sparse vector variants that are not private: Algorithms 3 to 6 of Lyu, Su, Li (VLDB 2017).

Kept as warnings: each claims epsilon at sensitivity 1, and the checker that passes the right one must refuse it.
"""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb

from mechanisms.answer_patterns import Outcome, Outcomes, above, pattern_law, threshold_noise
from support.laws import exactly, laplace


@exactly
def algorithm_3(values: Sequence[int], epsilon: float) -> Outcomes:
    """Roth (2011), cutoff 1: a "yes" tells the very noisy value that was compared."""
    threshold_scale, question_scale = 2 / epsilon, 2 / epsilon
    noise, question = threshold_noise(threshold_scale), laplace(question_scale)
    found: dict[Outcome, arb] = {}
    for asked, value in enumerate(values):
        for told in range(-3, 4):
            found[(*[False] * asked, told)] = sum(
                (
                    noise.at(t) * _all_below(values[:asked], t, question_scale) * question.at(told - value)
                    for t in range(-noise.reach, told + 1)
                ),
                arb(0),
            )
    return found


def _all_below(values: Sequence[int], threshold: int, scale: float) -> arb:
    chance = arb(1)
    for value in values:
        chance *= 1 - above(scale, threshold - value)
    return chance


def algorithm_4(values: Sequence[int], epsilon: float, cutoff: int) -> Outcomes:
    """Lee, Clifton (2014): the questions' noise does not grow with the cutoff."""
    return pattern_law(values, 4 / epsilon, 4 / (3 * epsilon), cutoff)


def algorithm_5(values: Sequence[int], epsilon: float) -> Outcomes:
    """Stoddard, Chen, Machanavajjhala (2014): no noise on the questions, and no cutoff."""
    return pattern_law(values, 2 / epsilon, None, None)


def algorithm_6(values: Sequence[int], epsilon: float) -> Outcomes:
    """Chen, Xiao, Zhang, Xu (2015): noise, but no cutoff."""
    return pattern_law(values, 2 / epsilon, 2 / epsilon, None)
