"""Exact probabilities of what a sparse vector run says, and the one checker that right and wrong variants meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flint import arb

from support.laws import Exact, Noise, ball, exactly, laplace

Outcome = tuple[bool | int, ...]
Outcomes = Mapping[Outcome, arb]

_OUTSIDE = 1e-30


def above(scale: Exact, point: int) -> arb:
    """Return Pr[X >= point] of discrete Laplace noise."""
    fall = (-1 / ball(scale)).exp()
    return fall**point / (1 + fall) if point > 0 else 1 - fall ** (1 - point) / (1 + fall)


def threshold_noise(scale: float) -> Noise:
    return laplace(scale, _OUTSIDE)


@exactly
def pattern_law(
    values: Sequence[int],
    threshold_scale: float,
    question_scale: float | None,
    cutoff: int | None,
    redraw: bool = False,
) -> Outcomes:
    """Return the probability of every pattern of answers against threshold 0, for each threshold noise in turn.

    Without a question scale the questions have no noise; without a cutoff the run never stops.
    """
    noise = threshold_noise(threshold_scale)
    drawn = {t: noise.at(t) for t in range(-noise.reach, noise.reach + 1)}
    alive: dict[Outcome, dict[int, arb]] = {(): drawn}
    ended: dict[Outcome, arb] = {}
    for value in values:
        yes = {t: _chance(question_scale, t - value) for t in drawn}
        after: dict[Outcome, dict[int, arb]] = {}
        for said, weights in alive.items():
            after[(*said, False)] = {t: weight * (1 - yes[t]) for t, weight in weights.items()}
            agreed = {t: weight * yes[t] for t, weight in weights.items()}
            total = sum(agreed.values(), arb(0))
            if cutoff is not None and sum(said) + 1 == cutoff:
                ended[(*said, True)] = total
            else:
                after[(*said, True)] = {t: total * mass for t, mass in drawn.items()} if redraw else agreed
        alive = after
    ended |= {said: sum(weights.values(), arb(0)) for said, weights in alive.items()}
    missed = (len(values) * noise.outside).union(arb(0))
    return {said: chance + missed if chance > 0 else chance for said, chance in ended.items()}


def _chance(scale: float | None, point: int) -> arb:
    if scale is None:
        return arb(1 if point <= 0 else 0)
    return above(scale, point)


@exactly
def keeps(epsilon: float, first: Outcomes, second: Outcomes) -> bool:
    """Say whether no outcome is more than e^epsilon times likelier here than there, in either direction."""
    grow = ball(epsilon).exp() * (1 + ball(1e-12))
    return first.keys() == second.keys() and all(
        bool(first[said] <= grow * second[said]) and bool(second[said] <= grow * first[said]) for said in first
    )


@exactly
def total(outcomes: Outcomes) -> float:
    return float(sum(outcomes.values(), arb(0)))
