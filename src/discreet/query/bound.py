"""Plan to bounded plan: whose contribution is bounded how, on which grid, and over which keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.bounded import BoundedPlan, Key, KeySet, TableFacts
from discreet.plan.expressions import Expression, find_columns
from discreet.plan.identity import write_sort_key
from discreet.plan.question import Question
from discreet.plan.relations import Block, Lookup, PerUnit, Scan, list_scans, list_sources
from discreet.plan.words import describe_expression
from discreet.policy.schema import Resolved
from discreet.privacy.neighbours import Neighbours
from discreet.query.bounding.limits import bound_unit_rows, choose_limits, declare_unit_rows
from discreet.query.bounding.measures import Measures
from discreet.query.bounding.public_facts import PublicFacts
from discreet.query.catalog import Catalog

MOST_KEYS = 1_000_000
"""Combinations of keys in one answer."""

MOST_NUMBERS = 400
"""Numbers by key in one statement: PostgreSQL has room for 1,664 columns, and each takes up to two of a subquery."""


@dataclass(frozen=True, slots=True)
class Bounded:
    """A bounded plan, and for each aggregate of the question the measures that it is computed from."""

    plan: BoundedPlan
    sources: tuple[tuple[int, ...], ...]
    coarsened: tuple[str, ...]
    """What is said about grids that had to be coarser than declared."""


def bound(question: Question, catalog: Catalog, tighter: Mapping[str, int | None] | None = None) -> Bounded:
    """Return the bounded plan; `tighter` limits hold for this question only."""
    facts = PublicFacts.of(question.block, catalog)
    keys = tuple(Key(key, facts.domain(key)) for key in question.keys)
    units = all(catalog.table(scan.table).table.unit is not None for scan in list_scans(question.block))
    found = bound_unit_rows(question.block, catalog)
    sets = []
    for places in question.sets:
        combinations = _combinations([keys[place] for place in places])
        sets.append(KeySet(places, choose_limits(found, dict(tighter or {}), combinations, units)))
    _check_keys(question, keys, sets, units)
    wanted = Measures(facts).of(question.aggregates)
    measures = sorted(
        {measure for each, _ in wanted for measure in each}, key=write_sort_key
    )  # however they were asked for
    if len(measures) > MOST_NUMBERS:
        raise QueryError(
            f"the question's aggregates take {len(measures)} numbers by key, and {MOST_NUMBERS} are computed at once; "
            "ask for some of them by themselves"
        )
    sources = [tuple(measures.index(measure) for measure in each) for each, _ in wanted]
    remarks = [remark for _, each in wanted for remark in each] + _list_inner_remarks(question.block, facts)
    factor = 1 if catalog.policy.neighbours is Neighbours.ADD_REMOVE else 2
    tables = list_table_facts(question.block, question.expressions(), catalog)
    plan = BoundedPlan(question.block, units, keys, tuple(sets), tuple(measures), factor, tables)
    return Bounded(plan, tuple(sources), tuple(dict.fromkeys(remarks)))


def _list_inner_remarks(block: Block, facts: PublicFacts) -> list[str]:
    """Return what is to be said about sums inside one unit that are rounded."""
    found = []
    for source in list_sources(block):
        for each in source.aggregates if isinstance(source, PerUnit) else ():
            if each.grid is not None and each.argument is not None:
                found += [f"inside one unit, {remark}" for remark in Measures(facts).summed(each.argument)[1]]
    return found


def list_table_facts(block: Block, expressions: Iterable[Expression], catalog: Catalog) -> tuple[TableFacts, ...]:
    """Return what the policy says about every table that is read, in the order of their names."""
    sources = {each.relation: each.table for each in list_sources(block) if isinstance(each, Scan | Lookup)}
    read: dict[str, set[str]] = {table: set() for table in sources.values()}
    for expression in expressions:
        for column in find_columns(expression):
            if column.relation in sources:
                read[sources[column.relation]].add(column.name)
    for join in list_sources(block):
        if isinstance(join, Lookup):
            read[join.table].update(name for _, name in join.on)
    return tuple(_describe_table(catalog.table(name), read[name]) for name in sorted(read))


def _describe_table(found: Resolved, read: set[str]) -> TableFacts:
    table = found.table
    letters = {each.name: each.most_letters for each in found.columns if each.name in read and each.type is Type.TEXT}
    if table.unit is not None and found.unit_type is Type.TEXT:
        letters[table.unit] = table.most_letters(table.unit)
    rows = 0 if table.public else declare_unit_rows(table).total
    return TableFacts(table.name, rows, tuple(sorted(letters.items())))


def _combinations(keys: list[Key]) -> int | None:
    """Return how many keys there are, or None where they are data."""
    size = 1
    for key in keys:
        if key.domain is None:
            return None
        size *= len(key.domain)
    return size


def _check_keys(question: Question, keys: tuple[Key, ...], sets: list[KeySet], units: bool) -> None:
    for key in keys:
        if key.domain == ():
            raise QueryError("a key has no value at all in its public table or its definition; group by another")
        if key.domain is None and key.type is Type.FLOAT:
            raise QueryError(
                f"{describe_expression(key.expression, question.block)} is {key.type}, and such numbers are no keys; "
                f"group by CAST(... AS INTEGER), by FLOOR(x / 10) of a column with bounds, or by text"
            )
    total = 0
    for each in sets:
        size = _combinations([keys[place] for place in each.keys])
        total += size or 0
        if size is None and not units and each.limits.rows > 1:
            raise QueryError(
                "keys that come from the data are selected by counting units, and here one row becomes several; "
                "group by keys with declared values"
            )
    if total > MOST_KEYS:
        raise QueryError(f"the keys have {total:,} combinations, more than {MOST_KEYS:,}; group by fewer columns")
