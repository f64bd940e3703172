"""Choosing candidates by their exact scores. Only the desk calls this."""

from __future__ import annotations

from discreet.engines.result import GroupedSums
from discreet.mechanisms.exponential import Exponential
from discreet.plan.bounded import BoundedPlan
from discreet.query.choices import Choice
from discreet.query.scores import ThresholdScore

Chosen = tuple[tuple[int, ...], ...]
"""The places of the chosen among all candidates: for each part, the best first."""


def choose(plan: BoundedPlan, found: GroupedSums, choice: Choice) -> Chosen:
    """Return the places of the candidates that are chosen in each part."""
    if isinstance(choice.score, ThresholdScore) and choice.score.in_pieces:
        assert isinstance(choice.pick, Exponential)
        return ((choice.pick.release_from(*choice.score.list_pieces(found)),),)
    scores, size = choice.score.rate(found), choice.count_each(plan)
    assert len(scores) == size * choice.parts
    chosen = []
    for start in range(0, len(scores), size):
        part = scores[start : start + size]
        places = _choose_several(part, choice) if choice.count > 1 else (choice.pick.release(part),)
        chosen.append(tuple(start + place for place in places))
    return tuple(chosen)


def _choose_several(scores: list[int], choice: Choice) -> tuple[int, ...]:
    assert isinstance(choice.pick, Exponential)
    return choice.pick.release_several(scores, choice.count)
