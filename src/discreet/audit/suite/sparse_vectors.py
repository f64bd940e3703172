"""Specimens of the sparse vector technique, numbered as by Lyu, Su and Li (2017): 1 and 2 are right, all others wrong.

Each is asked ten questions (the third one twenty) that one person moves by up to one, and says for each whether its
noisy answer reaches a noisy threshold, until it has said so `cutoff` times.
"""

from __future__ import annotations

import numpy as np

from discreet.audit.blackbox.patterns import list_changes
from discreet.audit.suite.specimens import EPSILON, Specimen, draw_noise
from discreet.base.grid import Floats

QUESTIONS, MANY_QUESTIONS, THRESHOLD = 10, 20, 1.0
BELOW, ABOVE, ENDED = 0.0, 1.0, -2_000.0
SILENT = -1_000.0
"""What stands for `below` where answers are told."""


def watch(
    answers: list[int],
    outputs: int,
    threshold_scale: float,
    answer_scale: float,
    *,
    cutoff: int | None = 1,
    renew: bool = False,
    tell: bool = False,
) -> Floats:
    """Return what one of them says to each question, a row for each run.

    `renew` draws a new threshold after each answer above it; `tell` says the noisy answer in place of `above`. Without
    a cutoff it never ends; an answer scale of 0 leaves the answers as they are.
    """
    barrier = THRESHOLD + draw_noise(threshold_scale, (outputs,))
    left = np.full(outputs, np.inf if cutoff is None else cutoff)
    said = np.full((outputs, len(answers)), ENDED)
    running = np.arange(outputs)
    for place, answer in enumerate(answers):
        noisy = answer + (draw_noise(answer_scale, running.shape) if answer_scale else np.zeros(len(running)))
        over = noisy >= barrier[running]
        said[running, place] = np.where(over, np.floor(noisy) if tell else ABOVE, SILENT if tell else BELOW)
        left[running] -= over
        if renew:
            barrier[running[over]] = THRESHOLD + draw_noise(threshold_scale, (int(np.count_nonzero(over)),))
        running = running[left[running] > 0]
    return said


def watch_1(answers: list[int], outputs: int, cutoff: int = 1) -> Floats:
    """Return what variant 1 says: the right one."""
    return watch(answers, outputs, 2 / EPSILON, 4 * cutoff / EPSILON, cutoff=cutoff)


def watch_2(answers: list[int], outputs: int, cutoff: int = 2) -> Floats:
    """Return what variant 2 says: right, with a new threshold after each answer above."""
    return watch(answers, outputs, 2 * cutoff / EPSILON, 4 * cutoff / EPSILON, cutoff=cutoff, renew=True)


def watch_3(answers: list[int], outputs: int) -> Floats:
    """Return what variant 3 says: wrong, it tells the noisy answers that it compared."""
    return watch(answers, outputs, 2 / EPSILON, 2 / EPSILON, cutoff=1, tell=True)


def watch_4(answers: list[int], outputs: int, cutoff: int = 3) -> Floats:
    """Return what variant 4 says: wrong, the noise of answers does not grow with the cutoff.

    It loses (1 + 6 cutoff) / 4 times what it claims (Lyu, Su, Li 2017).
    """
    return watch(answers, outputs, 4 / EPSILON, 4 / (3 * EPSILON), cutoff=cutoff)


def watch_5(answers: list[int], outputs: int) -> Floats:
    """Return what variant 5 says: wrong, answers have no noise and it never ends."""
    return watch(answers, outputs, 2 / EPSILON, 0.0, cutoff=None)


def watch_6(answers: list[int], outputs: int) -> Floats:
    """Return what variant 6 says: wrong, it never ends."""
    return watch(answers, outputs, 2 / EPSILON, 2 / EPSILON, cutoff=None)


def watch_in_parallel(answers: list[int], outputs: int) -> Floats:
    """Return what variants 3 and 4 say side by side: wrong."""
    return np.concatenate([watch_3(answers, outputs), watch_4(answers, outputs)], axis=1)


def list_specimens() -> list[Specimen]:
    """Return the specimens of this file."""
    pairs, more = list_changes(QUESTIONS), list_changes(MANY_QUESTIONS)
    return [
        Specimen("sparse vector 1", True, watch_1, pairs),
        Specimen("sparse vector 2", True, watch_2, pairs),
        Specimen("sparse vector 3", False, watch_3, more),
        Specimen("sparse vector 4", False, watch_4, pairs),
        Specimen("sparse vector 5", False, watch_5, pairs),
        Specimen("sparse vector 6", False, watch_6, pairs),
        Specimen("parallel sparse vectors", False, watch_in_parallel, pairs),
    ]
