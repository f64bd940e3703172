"""Bounds of a query's answers in all areas of a level: how stated ones meet, add up, and sharpen one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.base.wide import Ints
from discreet.topdown.spec.invariants import NO_MOST, Invariant
from discreet.topdown.spec.queries import Query

Contradiction = tuple[int, int, int, int]
"""The place of an area, that of an answer, the least that it must be and the most that it can be."""


@dataclass(frozen=True, eq=False)
class AnswerBounds:
    """The least and the most that each answer of a query can be: a row for each area, `NO_MOST` where nothing is said.

    `names` are those of the invariants that they come from.
    """

    query: Query
    low: Ints
    high: Ints
    names: tuple[str, ...] = ()

    def meet(self, other: AnswerBounds) -> AnswerBounds:
        """Return what both say together."""
        names = tuple(dict.fromkeys([*self.names, *other.names]))
        return AnswerBounds(self.query, np.maximum(self.low, other.low), np.minimum(self.high, other.high), names)

    def add_up(self, starts: Ints) -> AnswerBounds:
        """Return the bounds of the parents, whose children begin at these places."""
        low = np.add.reduceat(self.low, starts, axis=0)
        known = np.add.reduceat(np.where(self.high == NO_MOST, 0, self.high), starts, axis=0)
        unknown = np.logical_or.reduceat(self.high == NO_MOST, starts, axis=0)
        return AnswerBounds(self.query, low, np.where(unknown, NO_MOST, known), self.names)

    def find_contradiction(self) -> Contradiction | None:
        """Return the first answer whose least is above its most."""
        wrong = np.argwhere(self.low > self.high)
        if not len(wrong):
            return None
        area, answer = (int(each) for each in wrong[0])
        return area, answer, int(self.low[area, answer]), int(self.high[area, answer])

    @property
    def is_empty(self) -> bool:
        """Whether they say nothing."""
        return not self.low.any() and bool((self.high == NO_MOST).all())

    @classmethod
    def of_invariant(cls, stated: Invariant) -> AnswerBounds:
        """Return what an invariant says."""
        high = stated.values if stated.exact else np.full(stated.values.shape, NO_MOST, dtype=np.int64)
        if stated.most is not None:
            high = np.minimum(high, stated.most)
        return cls(stated.query, stated.values, high, (stated.name,))

    def to_invariant(self, level: int) -> Invariant:
        """Return the same as an invariant: exact where every answer is."""
        name = " and ".join(self.names)
        if np.array_equal(self.low, self.high):
            return Invariant(name, level, self.query, self.low)
        most = None if (self.high == NO_MOST).all() else self.high
        return Invariant(name, level, self.query, self.low, exact=False, most=most)


def map_answers(fine: Query, coarse: Query) -> Ints | None:
    """Return, for each answer of the finer query, that of the coarser one that holds it; None where some lie across."""
    found = np.full(fine.size, -1, dtype=np.int64)
    found[fine.places] = coarse.places
    return found if np.array_equal(found[fine.places], coarse.places) else None


def sharpen(bounds: Sequence[AnswerBounds]) -> list[AnswerBounds]:
    """Return the same bounds, sharpened by one another wherever one query's answers lie within another's.

    A coarse answer is the sum of its fine ones: its bounds are at least and at most theirs in sum, and a fine answer is
    at most what the others leave. Nothing that was possible becomes impossible. At the first contradiction it ends.
    """
    found = list(bounds)
    pairs = [
        (fine, coarse, inside)
        for fine in range(len(found))
        for coarse in range(len(found))
        if fine != coarse and (inside := map_answers(found[fine].query, found[coarse].query)) is not None
    ]
    for _ in range(2 * len(found)):
        before = list(found)
        for fine, coarse, inside in pairs:
            found[fine], found[coarse] = _sharpen_pair(found[fine], found[coarse], inside)
            if any(found[each].find_contradiction() is not None for each in (fine, coarse)):
                return found
        if all(_is_same(old, new) for old, new in zip(before, found, strict=True)):
            break
    return found


def forget_implied(bounds: Sequence[AnswerBounds]) -> list[AnswerBounds]:
    """Return bounds without those upper ones, other than 0, that follow from a coarser query's anyway."""
    found = []
    for fine in bounds:
        high = fine.high
        for coarse in bounds:
            inside = map_answers(fine.query, coarse.query) if coarse is not fine else None
            if inside is None or coarse.query.size >= fine.query.size:
                continue
            left = _leave_others(fine.low, coarse.high, inside)
            high = np.where((high != 0) & (high >= left), NO_MOST, high)
        exact = fine.low == fine.high
        found.append(AnswerBounds(fine.query, fine.low, np.where(exact, fine.high, high), fine.names))
    return found


def _sharpen_pair(fine: AnswerBounds, coarse: AnswerBounds, inside: Ints) -> tuple[AnswerBounds, AnswerBounds]:
    size = coarse.query.size
    low_sums = _sum_inside(fine.low, inside, size)
    known = _sum_inside(np.where(fine.high == NO_MOST, 0, fine.high), inside, size)
    unknown = _sum_inside((fine.high == NO_MOST).astype(np.int64), inside, size)
    low = np.maximum(coarse.low, low_sums)
    high = np.where(unknown > 0, coarse.high, np.minimum(coarse.high, known))
    if np.any(low > high):
        return fine, AnswerBounds(coarse.query, low, high, coarse.names)
    others = unknown[:, inside] - (fine.high == NO_MOST)
    rest = known[:, inside] - np.where(fine.high == NO_MOST, 0, fine.high)
    fine_low = np.where(others > 0, fine.low, np.maximum(fine.low, low[:, inside] - rest))
    fine_high = np.minimum(fine.high, _leave_others(fine.low, high, inside))
    return (
        AnswerBounds(fine.query, fine_low, fine_high, fine.names),
        AnswerBounds(coarse.query, low, high, coarse.names),
    )


def _leave_others(low: Ints, most: Ints, inside: Ints) -> Ints:
    """Return the most that each fine answer can be, where the others have their least: -1 for less than none."""
    others = _sum_inside(low, inside, most.shape[1])[:, inside] - low
    left = most[:, inside] - others
    return np.where(most[:, inside] == NO_MOST, NO_MOST, np.maximum(left, -1))


def _sum_inside(values: Ints, inside: Ints, size: int) -> Ints:
    """Return the sums of fine answers by the coarse one that holds them; each holds at least one."""
    order = np.argsort(inside, kind="stable")
    starts = np.searchsorted(inside[order], np.arange(size))
    found: Ints = np.add.reduceat(values[:, order], starts, axis=1)
    return found


def _is_same(first: AnswerBounds, second: AnswerBounds) -> bool:
    return np.array_equal(first.low, second.low) and np.array_equal(first.high, second.high)
