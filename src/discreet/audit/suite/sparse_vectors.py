"""Specimens of the sparse vector technique, numbered as by Lyu, Su and Li (2017): 1 and 2 are right, all others wrong.

Each is asked ten questions that one person moves by up to one, and says for each whether its noisy answer reaches a
noisy threshold, until it has said so `cutoff` times.

The paper leaves questions, threshold and cutoff open. Here they are what DP-Sniper (Bichsel and others 2021) was
measured with, so that its results may stand beside: ten questions, the threshold 1, a cutoff of 1 for the variants 3
and 4 (as in StatDP, Ding and others 2018) and of 2 where the two stand side by side. Variant 2 has a cutoff of 2, since
with one of 1 it never renews its threshold and is variant 1; variant 4 is there with a cutoff of 3 as well, since what
it forgets is to scale noise by it. Answers that are told are rounded down: last bits are another specimen's fault.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.audit.blackbox.patterns import list_changes
from discreet.audit.suite.specimens import EPSILON, Specimen, draw_noise
from discreet.base.grid import Floats

QUESTIONS, THRESHOLD = 10, 1.0
BELOW, ABOVE, ENDED = 0.0, 1.0, -2_000.0
SILENT = -1_000.0
"""What stands for `below` where answers are told."""


@dataclass(frozen=True, slots=True)
class SparseVectorSpecimen:
    """One variant: the scales of its noise, and what it does.

    `renew` draws a new threshold after each answer above it; `tell` says the noisy answer in place of `above`. Without
    a cutoff it never ends; an answer scale of 0 leaves the answers as they are.
    """

    threshold_scale: float
    answer_scale: float
    cutoff: int | None = 1
    renew: bool = False
    tell: bool = False
    rounded: bool = True
    """Whether answers are told as whole numbers."""

    def watch(self, answers: list[int], outputs: int) -> Floats:
        """Return what it says to each question, a row for each run."""
        barrier = THRESHOLD + draw_noise(self.threshold_scale, (outputs,))
        left = np.full(outputs, np.inf if self.cutoff is None else self.cutoff)
        said = np.full((outputs, len(answers)), ENDED)
        running = np.arange(outputs)
        for place, answer in enumerate(answers):
            noise = draw_noise(self.answer_scale, running.shape) if self.answer_scale else np.zeros(len(running))
            over = answer + noise >= barrier[running]
            told = np.floor(answer + noise) if self.rounded else answer + noise
            said[running, place] = np.where(over, told, SILENT) if self.tell else np.where(over, ABOVE, BELOW)
            left[running] -= over
            if self.renew:
                fresh = draw_noise(self.threshold_scale, (int(np.count_nonzero(over)),))
                barrier[running[over]] = THRESHOLD + fresh
            running = running[left[running] > 0]
        return said


def make_1(cutoff: int = 1) -> SparseVectorSpecimen:
    """Return variant 1: the right one."""
    return SparseVectorSpecimen(2 / EPSILON, 4 * cutoff / EPSILON, cutoff)


def make_2(cutoff: int = 2) -> SparseVectorSpecimen:
    """Return variant 2: right, with a new threshold after each answer above."""
    return SparseVectorSpecimen(2 * cutoff / EPSILON, 4 * cutoff / EPSILON, cutoff, renew=True)


def make_3(cutoff: int = 1) -> SparseVectorSpecimen:
    """Return variant 3: wrong, it tells the noisy answers that it compared."""
    return SparseVectorSpecimen(2 / EPSILON, 2 * cutoff / EPSILON, cutoff, tell=True)


def make_4(cutoff: int = 1) -> SparseVectorSpecimen:
    """Return variant 4: wrong, the noise of answers does not grow with the cutoff.

    It loses (1 + 6 cutoff) / 4 times what it claims at the most (Lyu, Su, Li 2017).
    """
    return SparseVectorSpecimen(4 / EPSILON, 4 / (3 * EPSILON), cutoff)


def make_5() -> SparseVectorSpecimen:
    """Return variant 5: wrong, answers have no noise and it never ends."""
    return SparseVectorSpecimen(2 / EPSILON, 0.0, None)


def make_6() -> SparseVectorSpecimen:
    """Return variant 6: wrong, it never ends."""
    return SparseVectorSpecimen(2 / EPSILON, 2 / EPSILON, None)


PARALLEL = make_3(2), make_4(2)


def watch_in_parallel(answers: list[int], outputs: int) -> Floats:
    """Return what variants 3 and 4 say side by side, with a cutoff of 2: wrong."""
    return np.concatenate([each.watch(answers, outputs) for each in PARALLEL], axis=1)


def list_specimens() -> list[Specimen]:
    """Return the specimens of this file."""
    pairs = list_changes(QUESTIONS)
    return [
        Specimen("sparse vector 1", True, make_1().watch, pairs),
        Specimen("sparse vector 2", True, make_2().watch, pairs),
        Specimen("sparse vector 3", False, make_3().watch, pairs),
        Specimen("sparse vector 4", False, make_4().watch, pairs),
        Specimen("sparse vector 4, cutoff 3", False, make_4(3).watch, pairs),
        Specimen("sparse vector 5", False, make_5().watch, pairs),
        Specimen("sparse vector 6", False, make_6().watch, pairs),
        Specimen("parallel sparse vectors", False, watch_in_parallel, pairs),
    ]
