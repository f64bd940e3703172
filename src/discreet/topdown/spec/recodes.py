"""Names of what is counted: groupings of an attribute's values, and what each answer of a query stands for."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from discreet.base.errors import ParameterError
from discreet.topdown.spec.queries import QueryPart
from discreet.topdown.spec.schema import CategoryValue, CensusSchema
from discreet.topdown.spec.schema import CategoryValue as Value

__all__ = ["AnswerAxis", "CategoryValue", "Recode", "Value", "find_part", "list_labels"]


@dataclass(frozen=True)
class Recode:
    """A named grouping of an attribute's values: by place of a value, the place of its group."""

    name: str
    attribute: int
    groups: tuple[int, ...]
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse a grouping with other groups than it has names for."""
        if len(set(self.labels)) < len(self.labels) or len(self.labels) != self.part.size:
            raise ParameterError(f"recodes.{self.name}", list(self.labels), "a name for each group, and each once")

    @property
    def part(self) -> QueryPart:
        """The part of a query that counts by this grouping."""
        return QueryPart(self.attribute, self.groups)


@dataclass(frozen=True)
class AnswerAxis:
    """One axis of a query's answers: the attribute or recode that it goes by, and what each place stands for."""

    name: str
    labels: tuple[CategoryValue, ...]


def find_part(schema: CensusSchema, recodes: tuple[Recode, ...], name: str) -> tuple[QueryPart, AnswerAxis]:
    """Return the part of a query that an attribute or a recode of this name makes, and what its places stand for."""
    for recode in recodes:
        if recode.name == name:
            return recode.part, AnswerAxis(name, recode.labels)
    names = [*(each.name for each in schema.attributes), *(each.name for each in recodes)]
    if name not in names:
        raise ParameterError("attribute", name, f"one of {', '.join(names)}")
    attribute = schema.attributes[schema.find_attribute(name)]
    whole = QueryPart(schema.find_attribute(name), tuple(range(len(attribute.values))))
    return whole, AnswerAxis(name, attribute.values)


def list_labels(axes: tuple[AnswerAxis, ...]) -> list[tuple[CategoryValue, ...]]:
    """Return what each answer of a query stands for, in the order of its answers: a label for each axis.

    >>> list_labels((AnswerAxis("adult", ("no", "yes")), AnswerAxis("ward", (1, 2))))
    [('no', 1), ('no', 2), ('yes', 1), ('yes', 2)]
    """
    return list(product(*(axis.labels for axis in axes)))
