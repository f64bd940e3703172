"""Neighbouring inputs that are known to show much, and what is tried beyond them: other inputs nearby."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

InputPair = tuple[Any, Any]
"""Two neighbouring inputs."""

PairMove = Callable[[InputPair, np.random.Generator], InputPair]
"""Returns two neighbouring inputs near those given."""

STEPS = (1, 2, 5, 10, 20)
"""How far answers are moved up or down."""


def list_changes(length: int) -> tuple[tuple[list[int], list[int]], ...]:
    """Return pairs of answers to `length` questions that one person moves by one each: the known patterns.

    They are those of Ding and others (2018): one answer above or below the others, half of them, all, and crossed.
    """
    half = length // 2
    ones, zeros = [1] * length, [0] * length
    return (
        (ones, [2, *ones[1:]]),
        (ones, [0, *ones[1:]]),
        (ones, [2, *zeros[1:]]),
        (ones, [0, *([2] * (length - 1))]),
        (ones, [0] * half + [2] * (length - half)),
        (ones, [2] * length),
        (ones, zeros),
        ([1] * half + [0] * (length - half), [0] * half + [1] * (length - half)),
    )


def list_histograms(length: int) -> tuple[tuple[list[int], list[int]], ...]:
    """Return pairs of histograms of which one person changes one count."""
    ones = [1] * length
    return ((ones, [2, *ones[1:]]), (ones, [0, *ones[1:]]), ([0] * length, [1, *([0] * (length - 1))]))


def move_answers(pair: InputPair, generator: np.random.Generator) -> tuple[list[int], list[int]]:
    """Return answers near those given: some or all of them up or down for both, or one person's part of some changed.

    One person still moves each answer by at most one.
    """
    first, second = (np.asarray(each, dtype=np.int64) for each in pair)
    length, change = len(first), np.clip(second - first, -1, 1)
    start = int(generator.integers(length))
    where = slice(start, None) if generator.random() < 0.5 else slice(None, start + 1)
    kind = generator.integers(4)
    if kind == 0:
        change[where] = generator.integers(-1, 2)
    elif kind == 1:
        first[where] += generator.choice((-1, 1)) * generator.choice(STEPS)
    else:
        first += generator.choice((-1, 1)) * generator.choice(STEPS)
    return first.tolist(), (first + change).tolist()
