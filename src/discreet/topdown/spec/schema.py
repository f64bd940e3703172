"""What is known of each person: attributes with public categories, and which combinations cannot be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

import numpy as np

from discreet.base.errors import ParameterError
from discreet.noise.coin import Bools

CategoryValue = str | int | bool
"""What an attribute holds."""


@dataclass(frozen=True)
class Attribute:
    """One attribute: its column in the private table, and all values that it has."""

    name: str
    values: tuple[CategoryValue, ...]

    def __post_init__(self) -> None:
        """Refuse an attribute without values, or with one twice."""
        if not self.values or len(set(self.values)) < len(self.values):
            raise ParameterError(f"attributes.{self.name}", list(self.values), "at least one value, and each once")

    def find_place(self, value: CategoryValue) -> int:
        """Return the place of a value."""
        if value not in self.values:
            raise ParameterError(f"attributes.{self.name}", value, f"one of {', '.join(map(str, self.values))}")
        return self.values.index(value)


@dataclass(frozen=True)
class CensusSchema:
    """Attributes, and the combinations of their values that nobody can have: each a set of places by attribute."""

    attributes: tuple[Attribute, ...]
    zeros: tuple[Mapping[str, frozenset[int]], ...] = field(default=(), hash=False)

    def __post_init__(self) -> None:
        """Refuse a schema that nobody fits into."""
        names = [each.name for each in self.attributes]
        if not names or len(set(names)) < len(names):
            raise ParameterError("attributes", names, "at least one, and each once")
        for zero in self.zeros:
            if not zero:
                raise ParameterError("zeros", "nothing", "a combination of values that cannot be")
            for name in zero:
                self.find_attribute(name)
        if self.impossible.all():
            raise ParameterError("zeros", "everything", "some combinations that can be")

    def find_attribute(self, name: str) -> int:
        """Return the place of an attribute."""
        names = [each.name for each in self.attributes]
        if name not in names:
            raise ParameterError("attribute", name, f"one of {', '.join(names)}")
        return names.index(name)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each attribute has."""
        return tuple(len(each.values) for each in self.attributes)

    @property
    def cells(self) -> int:
        """How many combinations there are, impossible ones included."""
        return prod(self.shape)

    @cached_property
    def impossible(self) -> Bools:
        """Which combinations cannot be: an array with an axis for each attribute."""
        found = np.zeros(self.shape, dtype=bool)
        for zero in self.zeros:
            picks = [sorted(zero.get(each.name, frozenset(range(len(each.values))))) for each in self.attributes]
            found[np.ix_(*picks)] = True
        return found
