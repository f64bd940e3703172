"""All small data sets and their neighbours, by the definition of neighbours: for theorems that hold for every pair."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import TypeVar

Values = tuple[int, ...]
Seen = TypeVar("Seen")
RELATIONS = ["add-remove", "replace"]


@cache
def list_data(domain: Values, most: int) -> list[Values]:
    """Return every data set of at most this many values, in order."""
    return [values for size in range(most + 1) for values in combinations_with_replacement(domain, size)]


def list_neighbours(values: Values, domain: Values, relation: str, rows: int = 1) -> set[Values]:
    """Return the data sets that one unit of up to `rows` values makes of these: larger ones, or with others instead."""
    units = [unit for size in range(rows + 1) for unit in combinations_with_replacement(domain, size)]
    rests = {values} if relation == "add-remove" else set(_remove(values, rows))
    return {tuple(sorted((*rest, *unit))) for rest in rests for unit in units}


@cache
def list_pairs(
    domain: Values, most: int, relation: str, rows: int = 1, fixed: bool = False
) -> list[tuple[Values, Values]]:
    """Return all pairs of neighbours of which one has at most `most` values, each pair in both orders.

    With `fixed`, under replace, every unit is replaced by one that has as many values: the size never changes.
    """
    found = {
        pair
        for values in list_data(domain, most)
        for other in list_neighbours(values, domain, relation, rows)
        if not (fixed and relation == "replace" and len(values) != len(other))
        for pair in ((values, other), (other, values))
    }
    return sorted(found)


def see_pairs(pairs: Sequence[tuple[Values, Values]], see: Callable[[Values], Seen]) -> set[tuple[Seen, Seen]]:
    """Return what a function sees of both of each pair: each such pair once, each data set looked at once."""
    seen = {values: see(values) for values in {values for pair in pairs for values in pair}}
    return {(seen[one], seen[other]) for one, other in pairs}


def _remove(values: Values, rows: int) -> Iterator[Values]:
    for count in range(min(rows, len(values)) + 1):
        yield from combinations(values, len(values) - count)


def count_changes(values: Sequence[int], other: Sequence[int], relation: str) -> int:
    """Return how many values must be added or removed, or at the least be added, removed or replaced."""
    left = list(values)
    added = 0
    for value in other:
        if value in left:
            left.remove(value)
        else:
            added += 1
    return added + len(left) if relation == "add-remove" else max(added, len(left))
