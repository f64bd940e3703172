"""Plan to bounded plan: whose contribution is bounded how, on which grid, and over which keys."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.bounded import BoundedPlan, JointKeys, Key, KeySet, TableFacts, list_factors
from discreet.plan.expressions import Column, Constant, Expression, Reference, find_columns
from discreet.plan.identity import write_sort_key
from discreet.plan.question import Pick, Question
from discreet.plan.relations import Block, Lookup, PerUnit, Scan, Source, find_held, list_scans, list_sources
from discreet.plan.words import describe_expression
from discreet.policy.schema import Resolved
from discreet.privacy.neighbours import Neighbours
from discreet.query.bounding.joint_keys import KeyRows, find_keys, take_keys
from discreet.query.bounding.limits import bound_unit_rows, choose_limits, declare_unit_rows
from discreet.query.bounding.measures import Measures
from discreet.query.bounding.public_facts import PublicFacts
from discreet.query.catalog import Catalog

MOST_KEYS = 1_000_000
"""Combinations of keys in one answer."""

MOST_ROUNDS = 20_000_000
"""Candidates in all rounds of a choice: more of them are ordered by released values instead."""

MOST_NUMBERS = 400
"""Numbers by key in one statement: PostgreSQL has room for 1,664 columns, and each takes up to two of a subquery."""


@dataclass(frozen=True, slots=True)
class Bounded:
    """A bounded plan, and for each aggregate of the question the measures that it is computed from."""

    plan: BoundedPlan
    sources: tuple[tuple[int, ...], ...]
    coarsened: tuple[str, ...]
    """What is said about the question, and about grids that had to be coarser than declared."""
    pick: Pick | None = None
    """Which keys are chosen by a score that is not released, where that is possible."""
    declared: tuple[tuple[int, tuple[Constant, ...]], ...] = ()
    """Keys, by place, whose rows are shown in the order in which the policy lists their values, where it is another
    than that of the values. The plan knows nothing of it: it changes neither what is released nor what is recorded.
    """


def bound(
    question: Question,
    catalog: Catalog,
    tighter: Mapping[str, int | None] | None = None,
    given: KeyRows | None = None,
) -> Bounded:
    """Return the bounded plan; `tighter` limits hold for this question only, and so do keys that were `given`."""
    facts = PublicFacts.of(question.block, catalog)
    if given is None:
        keys, joint = find_keys(question.keys, PublicFacts.narrowed(question.block, catalog))
    else:
        keys, joint = take_keys(question.keys, given)
    units = all(catalog.table(scan.table).table.unit is not None for scan in list_scans(question.block))
    found = bound_unit_rows(question.block, catalog)
    sets = []
    for places in question.sets:
        combinations = _combinations(keys, joint, places)
        sets.append(KeySet(places, choose_limits(found, dict(tighter or {}), combinations, units)))
    _check_keys(question, keys, joint, sets, units)
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
    remarks = [*question.remarks, *(remark for _, each in wanted for remark in each)]
    remarks += _list_inner_remarks(question.block, facts)
    factor = 1 if catalog.policy.neighbours is Neighbours.ADD_REMOVE else 2
    tables = list_table_facts(question.block, question.expressions(), catalog)
    plan = BoundedPlan(question.block, units, keys, tuple(sets), tuple(measures), factor, tables, joint)
    orders = () if given is not None else _find_orders(question.block, keys, catalog)
    return Bounded(plan, tuple(sources), tuple(dict.fromkeys(remarks)), _find_pick(question, plan), orders)


def _find_orders(block: Block, keys: tuple[Key, ...], catalog: Catalog) -> tuple[tuple[int, tuple[Constant, ...]], ...]:
    """Return the keys that are a column with declared values, as it is, and these values in their order."""
    sources = {each.relation: each for each in list_sources(block)}
    found = []
    for place, key in enumerate(keys):
        values = _list_declared(key.expression, sources, catalog)
        known = set(key.domain or ())
        shown = tuple(value for value in values if value in known)
        if len(shown) == len(known) and shown != key.domain:
            found.append((place, shown))
    return tuple(found)


def _list_declared(
    expression: Expression, sources: Mapping[str, Source | Lookup], catalog: Catalog
) -> tuple[Constant, ...]:
    """Return the values that the policy lists for a column of a table, also where a subquery hands it on."""
    if not isinstance(expression, Column):
        return ()
    source = sources.get(expression.relation)
    if isinstance(source, Scan):
        column = catalog.table(source.table).column(expression.name)
        return tuple(dict.fromkeys(column.values or ())) if column is not None else ()
    if isinstance(expression, Reference) and source is not None and not isinstance(source, Lookup):
        held = find_held(source, expression)
        return _list_declared(held[0], sources, catalog) if len(held) == 1 else ()
    return ()


def _find_pick(question: Question, plan: BoundedPlan) -> Pick | None:
    """Return how keys are chosen, where they are public and some are left out; refuse MODE of what is not public."""
    pick = question.pick
    if pick is None:
        return None
    if plan.selects(0):
        if pick.ordered:
            return None
        (word, *_) = [describe_expression(key.expression, plan.block) for key in plan.keys if key.domain is None]
        raise QueryError(
            f"MODE chooses among public values, and those of {word} are data: declare values = [...] in the policy, or "
            "write SELECT x ... GROUP BY x ORDER BY COUNT(*) DESC LIMIT 1, which selects keys of the data for a delta"
        )
    if pick.each and plan.joined(0):
        raise QueryError("MODE in groups takes keys of which every combination is a group; group by fewer columns")
    if pick.ordered and not (pick.count < plan.groups(0) and pick.count * plan.groups(0) <= MOST_ROUNDS):
        return None
    return pick


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
        elif isinstance(join, Scan):
            read[join.table].update(column.name for column in join.content)
            for table in (catalog.table(join.table).table, *(catalog.table(each).table for each in join.through)):
                if table.through is not None:
                    read.setdefault(table.name, set()).update(mine for mine, _ in table.through.on)
                    read.setdefault(table.through.table, set()).update(theirs for _, theirs in table.through.on)
    return tuple(_describe_table(catalog.table(name), read[name], catalog) for name in sorted(read))


def _describe_table(found: Resolved, read: set[str], catalog: Catalog) -> TableFacts:
    table = found.table
    types = dict(found.source_types)
    letters = {name: table.most_letters(name) for name in read if types.get(name) is Type.TEXT}
    if table.unit is not None and found.unit_type is Type.TEXT:
        end = (table, *catalog.policy.list_path(table))[-1]
        letters[table.unit] = end.most_letters(end.unit or table.unit)
    rows = 0 if table.public else declare_unit_rows(table).total
    return TableFacts(table.name, rows, tuple(sorted(letters.items())))


def _combinations(keys: tuple[Key, ...], joint: tuple[JointKeys, ...], places: tuple[int, ...]) -> int | None:
    """Return how many keys there are, or None where they are data."""
    if any(keys[place].domain is None for place in places):
        return None
    return math.prod(len(rows) for _, rows in list_factors(keys, joint, places))


def _check_keys(
    question: Question, keys: tuple[Key, ...], joint: tuple[JointKeys, ...], sets: list[KeySet], units: bool
) -> None:
    for key in keys:
        if key.domain == ():
            raise QueryError(
                f"{describe_expression(key.expression, question.block)} has no value at all that its public table, its "
                "definition and the conditions of WHERE allow, so that there is no row to show; change them"
            )
        if key.domain is None and key.type is Type.FLOAT:
            raise QueryError(
                f"{describe_expression(key.expression, question.block)} is {key.type}, and such numbers are no keys; "
                f"group by CAST(... AS INTEGER), by FLOOR(x / 10) of a column with bounds, or by text"
            )
    total = 0
    for each in sets:
        size = _combinations(keys, joint, each.keys)
        total += size or 0
        if size is None and not units and each.limits.rows > 1:
            raise QueryError(
                "keys that come from the data are selected by counting units, and here one row becomes several; "
                "group by keys with declared values"
            )
    if total > MOST_KEYS:
        raise QueryError(f"the keys have {total:,} combinations, more than {MOST_KEYS:,}; group by fewer columns")
