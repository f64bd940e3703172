"""The keys of a question: the public values of each, and of those that depend on one another, which go together.

Keys depend on one another where they are made from the same column or from columns of one public table, and where a
condition speaks of several. All that such columns can hold at once is then gone through: rows of a public table as they
are, columns of private tables with every value of their domain, and NULL beside both. What the keys are on those that
fulfil the conditions are the keys; a combination is left out only where no row can have it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from discreet.base.types import Type
from discreet.plan.bounded import JointKeys, Key, sort_rows
from discreet.plan.expressions import Column, Constant, Expression, GivenRows, find_columns, join_conditions
from discreet.plan.functions import call
from discreet.plan.relations import Lookup
from discreet.query.bounding.conditions import replace_parts, split_terms
from discreet.query.bounding.public_facts import MOST_VALUES, PublicFacts, list_equal, to_compared

MOST_ROWS = 1_000_000
"""Distinct rows of a public table that are gone through."""

KeySource = str | Column
"""What varies by itself: a public table, by its relation, or a column of a private one."""

KeyRows = tuple[tuple[Constant, ...], ...]


@dataclass(frozen=True, slots=True)
class Component:
    """Keys, by their places, that depend on one another, and the conditions on what they are made from."""

    places: tuple[int, ...]
    keys: tuple[Expression, ...]
    terms: tuple[Expression, ...]


def find_keys(expressions: tuple[Expression, ...], facts: PublicFacts) -> tuple[tuple[Key, ...], tuple[JointKeys, ...]]:
    """Return the keys with their domains, and those that go together."""
    keys = [Key(each, facts.domain(each)) for each in expressions]
    joint: list[JointKeys] = []
    for component, found in World(facts).solve(keys):
        known = [{to_compared(value, keys[at].type) for value in keys[at].domain or ()} for at in component.places]
        rows = sort_rows(row for row in found if all(value in among for value, among in zip(row, known, strict=True)))
        joint += _take_rows(keys, component.places, rows)
    return tuple(keys), tuple(joint)


def take_keys(expressions: tuple[Expression, ...], rows: KeyRows) -> tuple[tuple[Key, ...], tuple[JointKeys, ...]]:
    """Return the keys with these rows of values, whatever else is known of them."""
    keys = [Key(each, ()) for each in expressions]
    joint = _take_rows(keys, tuple(range(len(keys))), sort_rows(rows))
    return tuple(keys), tuple(joint)


def _take_rows(keys: list[Key], places: tuple[int, ...], rows: KeyRows) -> list[JointKeys]:
    """Give keys the values that they have in sorted rows; they go together where these are not all combinations."""
    for at, place in enumerate(places):
        values = sort_rows({(row[at],) for row in rows})
        keys[place] = Key(keys[place].expression, tuple(value for (value,) in values))
    whole = len(rows) == math.prod(len(keys[place].domain or ()) for place in places)
    return [] if whole else [JointKeys(places, rows)]


class World:
    """What the columns of a question's keys can hold: public facts alone."""

    def __init__(self, facts: PublicFacts) -> None:
        self.facts = facts
        equal = list(list_equal(facts.block))
        self.same: dict[Expression, Expression] = {
            mine: theirs for mine, theirs in reversed(equal) if not self._is_public(mine)
        }
        """What private expressions are equal to, of a public table that they are joined to."""

        linked = ((replace_parts(mine, self.same), theirs) for mine, theirs in equal)
        links = [call("eq", mine, theirs) for mine, theirs in linked if mine != theirs]
        self.terms = (*(replace_parts(each, self.same) for each in split_terms(facts.block.where)), *links)

    def _is_public(self, expression: Expression) -> bool:
        columns = list(find_columns(expression))
        return bool(columns) and all(isinstance(self.facts.relations[each.relation], Lookup) for each in columns)

    def variable(self, column: Column) -> KeySource:
        """Return what a column varies with."""
        return column.relation if isinstance(self.facts.relations[column.relation], Lookup) else column

    def variables(self, expression: Expression) -> frozenset[KeySource]:
        """Return what an expression varies with."""
        return frozenset(self.variable(column) for column in find_columns(expression))

    def solve(self, keys: list[Key]) -> Iterator[tuple[Component, KeyRows]]:
        """Yield keys that depend on one another, or of whose columns conditions speak, with all that they are at once.

        Where that is too much to go through, the conditions that link them are left out, and then they are.
        """
        listed = {
            place: replace_parts(key.expression, self.same) for place, key in enumerate(keys) if key.domain is not None
        }
        listed = {place: key for place, key in listed.items() if self.variables(key) and self._is_finite(key)}
        varying = frozenset(variable for key in listed.values() for variable in self.variables(key))
        terms = [term for term in self.terms if self.variables(term) and self.variables(term) <= varying]
        single = [term for term in terms if len(self.variables(term)) == 1]
        for group in _connect([self.variables(each) for each in (*listed.values(), *terms)]):
            whole = self._gather(group, listed, terms)
            found = self.combine(whole) if self._is_new(whole) else ()
            if found is not None:
                yield from [(whole, found)] if self._is_new(whole) else []
                continue
            for part in _connect([self.variables(key) for key in whole.keys]):
                inside = self._gather(part, listed, single)
                found = self.combine(inside) if self._is_new(inside) else None
                if found is not None:
                    yield inside, found

    def _gather(self, group: frozenset[KeySource], listed: dict[int, Expression], terms: list[Expression]) -> Component:
        places = tuple(place for place, key in listed.items() if self.variables(key) <= group)
        chosen = tuple(term for term in terms if self.variables(term) <= group)
        return Component(places, tuple(listed[place] for place in places), chosen)

    def _is_new(self, component: Component) -> bool:
        """Say whether there is more to find than the domain of one key by itself."""
        if len(component.places) != 1:
            return len(component.places) > 1
        return any(set(find_columns(term)) != set(component.keys) for term in component.terms)

    def _is_finite(self, key: Expression) -> bool:
        """Say whether all that a key is made from can be listed."""
        private = [each for each in find_columns(key) if isinstance(self.variable(each), Column)]
        return all(self.facts.column_domain(each) is not None for each in private)

    def combine(self, component: Component) -> KeyRows | None:
        """Return what the keys are at once, wherever the conditions are true; None where that is too much to list."""
        columns: dict[KeySource, dict[Column, None]] = {}
        for expression in (*component.keys, *component.terms):
            for column in find_columns(expression):
                columns.setdefault(self.variable(column), {})[column] = None
        given: list[GivenRows] = []
        for variable, found in columns.items():
            rows = self._rows(variable, tuple(found))
            given.append((tuple(found), (*rows, (None,) * len(found))))
        sizes = [len(rows) for _, rows in given]
        doubtful = _find_doubtful(given)
        if max(sizes) > MOST_ROWS + 1 or (len(sizes) > 1 and math.prod(sizes) > MOST_VALUES):
            return None
        if any(not doubtful.isdisjoint(find_columns(key)) for key in component.keys):
            return None
        terms = [term for term in component.terms if doubtful.isdisjoint(find_columns(term))]
        made = self.facts.catalog.combine(component.keys, join_conditions(terms), tuple(given))
        types = [key.type for key in component.keys]
        return tuple({tuple(to_compared(value, of) for value, of in zip(row, types, strict=True)) for row in made})

    def _rows(self, variable: KeySource, columns: tuple[Column, ...]) -> KeyRows:
        """Return all that a private column, or these columns of a public table, can hold but for NULL."""
        if isinstance(variable, Column):
            return tuple((value,) for value in self.facts.column_domain(variable) or ())
        found = self.facts.relations[variable]
        assert isinstance(found, Lookup)
        return self.facts.catalog.public_rows(found.table, tuple(each.name for each in columns), MOST_ROWS)


def _find_doubtful(given: list[GivenRows]) -> set[Column]:
    """Return the columns of floats that may hold NaN: it came as NULL, but is compared as larger than all numbers."""
    found = set()
    for columns, rows in given:
        for at, column in enumerate(columns):
            if column.type in (Type.FLOAT, Type.DECIMAL) and any(row[at] is None for row in rows[:-1]):
                found.add(column)
    return found


def _connect(groups: list[frozenset[KeySource]]) -> list[frozenset[KeySource]]:
    """Return the unions of groups that have something in common, directly or through others."""
    found: list[frozenset[KeySource]] = []
    for group in groups:
        touching = [each for each in found if each & group]
        found = [each for each in found if not each & group] + [group.union(*touching)]
    return found
