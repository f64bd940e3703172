"""What is asked in each area: counts by some attributes, each as it is or put into groups."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.base.errors import ParameterError
from discreet.base.wide import Ints
from discreet.topdown.spec.schema import CensusSchema


@dataclass(frozen=True)
class QueryPart:
    """One attribute of a query: by place of its value, the group that it is counted in."""

    attribute: int
    groups: tuple[int, ...]

    def __post_init__(self) -> None:
        """Refuse groups that are not numbered from 0 without a gap."""
        if not self.groups or set(self.groups) != set(range(max(self.groups) + 1)):
            raise ParameterError("groups", list(self.groups), "numbers from 0 on, none left out")

    @property
    def size(self) -> int:
        """How many groups there are."""
        return max(self.groups) + 1

    @property
    def is_whole(self) -> bool:
        """Whether every value is a group of its own, in the attribute's own order."""
        return self.groups == tuple(range(len(self.groups)))


@dataclass(frozen=True)
class Query:
    """A marginal over some attributes, recoded or not: everybody is counted in exactly one of its answers.

    So one person moves one answer by one, and a replaced person two: that is all the loss of a measurement needs.
    """

    name: str
    schema: CensusSchema
    parts: tuple[QueryPart, ...] = ()
    """By rising attribute; an attribute that is not there is summed over."""

    def __post_init__(self) -> None:
        """Refuse parts of other attributes than the schema's."""
        places = [each.attribute for each in self.parts]
        if places != sorted(set(places)):
            raise ParameterError(f"queries.{self.name}", places, "each attribute once, in the schema's order")
        for part in self.parts:
            if len(part.groups) != self.schema.shape[part.attribute]:
                raise ParameterError(f"queries.{self.name}", list(part.groups), "a group for each value")

    @property
    def shape(self) -> tuple[int, ...]:
        """How many groups each part has."""
        return tuple(each.size for each in self.parts)

    @property
    def size(self) -> int:
        """How many answers there are."""
        return prod(self.shape)

    @cached_property
    def places(self) -> Ints:
        """The answer that each cell of the schema is counted in, the cells in the order of a flattened array."""
        found = np.zeros(self.schema.shape, dtype=np.int64)
        for part in self.parts:
            along = np.array(part.groups).reshape([-1 if axis == part.attribute else 1 for axis in range(found.ndim)])
            found = found * part.size + along
        return found.reshape(-1)

    def describe(self, answer: int) -> str:
        """Say who is counted in an answer, by the values of its attributes; empty where it is everybody."""
        words = []
        for part, place in zip(self.parts, np.unravel_index(answer, self.shape), strict=True):
            attribute = self.schema.attributes[part.attribute]
            values = [str(value) for value, group in zip(attribute.values, part.groups, strict=True) if group == place]
            more = " or ..." if len(values) > 3 else ""
            words.append(f"{attribute.name} {' or '.join(values[:3])}{more}")
        return ", ".join(words)

    def answer(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Return the answers, from counts by cell in the last axis, whatever is before it."""
        kept = cells.reshape(*cells.shape[:-1], *self.schema.shape)
        first = cells.ndim - 1
        for axis in reversed(range(len(self.schema.shape))):
            part = next((each for each in self.parts if each.attribute == axis), None)
            if part is None:
                kept = kept.sum(axis=first + axis)
            elif not part.is_whole:
                order = np.argsort(part.groups, kind="stable")
                starts = np.searchsorted(np.array(part.groups)[order], np.arange(part.size))
                kept = np.add.reduceat(kept.take(order, axis=first + axis), starts, axis=first + axis)
        return kept.reshape(*cells.shape[:-1], self.size)

    def spread(self, answers: NDArray[Any]) -> NDArray[Any]:
        """Return, for each cell, the answer that it is counted in: the transpose of `answer`."""
        return answers[..., self.places]
