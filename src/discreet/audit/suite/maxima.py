"""Specimens that tell which answer is the largest: two right, two wrong (Ding and others 2018 number them)."""

from __future__ import annotations

import numpy as np

from discreet.audit.blackbox.patterns import list_changes
from discreet.audit.suite.specimens import EPSILON, Specimen, draw_noise
from discreet.base.grid import Floats
from discreet.base.wide import Ints

QUESTIONS = 5


def _perturb(answers: list[int], outputs: int, exponential: bool) -> Floats:
    shape = (outputs, len(answers))
    scale = 2 / EPSILON
    noise = np.random.default_rng().exponential(scale, shape) if exponential else draw_noise(scale, shape)
    return np.add(answers, noise, dtype=np.float64)


def tell_place(answers: list[int], outputs: int) -> Ints:
    """Return the place of the largest noisy answer: variant 1."""
    return np.asarray(_perturb(answers, outputs, False).argmax(axis=1))


def tell_place_exponentially(answers: list[int], outputs: int) -> Ints:
    """Return the place of the largest answer with exponential noise: variant 2."""
    return np.asarray(_perturb(answers, outputs, True).argmax(axis=1))


def tell_value(answers: list[int], outputs: int) -> Floats:
    """Return the largest noisy answer itself: variant 3. Wrong: all answers move it."""
    return np.asarray(np.floor(_perturb(answers, outputs, False).max(axis=1)))


def tell_value_exponentially(answers: list[int], outputs: int) -> Floats:
    """Return the largest answer with exponential noise itself: variant 4. Wrong: what is below cannot be."""
    return np.asarray(np.floor(_perturb(answers, outputs, True).max(axis=1)))


def list_specimens() -> list[Specimen]:
    """Return the specimens of this file."""
    pairs = list_changes(QUESTIONS)
    return [
        Specimen("noisy maximum 1", True, tell_place, pairs),
        Specimen("noisy maximum 2", True, tell_place_exponentially, pairs),
        Specimen("noisy maximum 3", False, tell_value, pairs),
        Specimen("noisy maximum 4", False, tell_value_exponentially, pairs),
    ]
