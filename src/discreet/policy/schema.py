"""Does the policy fit the source? Columns with their types, hidden ones gone, before any data is read."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from discreet.base.types import Digits, Type
from discreet.policy.columns import MOST_DIGITS, find_misfits
from discreet.policy.model import DeclaredColumn, Policy, SourceFormat, Table
from discreet.policy.problems import Problems, quote, quote_value
from discreet.policy.section import check_key_names

Schema = Mapping[str, Type | None]
"""A source's columns, in its order; None where its type has no counterpart here, such as a list or a blob."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A table whose policy and source agree.

    `columns` are those that may be asked about, in the source's order, every one with a type; hidden columns and those
    of types unknown here are not among them. `source_types` are the columns of the source that have a type, hidden
    ones included: what a reader of csv files must pin. `unit_type` is the type of the unit column, hidden or not.
    """

    table: Table
    columns: tuple[DeclaredColumn, ...]
    source_types: tuple[tuple[str, Type], ...]
    unit_type: Type | None

    def column(self, name: str) -> DeclaredColumn | None:
        """Return the column of that name, as SQL reads names: upper and lower case are the same."""
        return next((column for column in self.columns if column.name.casefold() == name.casefold()), None)


def check_schema(policy: Policy, table: Table, schema: Schema, digits: Mapping[str, Digits] | None = None) -> Resolved:
    """Return the table with the types of its source; refuse with everything that does not fit.

    `digits` are those of decimal columns that the source tells; what the policy says goes before.

    The types of a private csv file come from the policy alone: types guessed from its rows would be answers about them.
    """
    problems = Problems(policy.path)
    key = ("tables", table.name)
    check_key_names(problems, (*key, "source"), list(schema))
    _check_present(problems, key, table, schema)
    types = _types(problems, key, table, schema)
    unit_type = types.get(table.unit) if table.unit is not None and table.through is None else None
    if unit_type is Type.FLOAT:
        remedy = "store it as integer or text: floats that print alike may differ"
        problems.add((*key, "unit"), f"{quote_value(table.unit)} is a column of floats, which name nobody", remedy)
    _check_keys(problems, key, table, types)
    _check_online(problems, key, table, types)
    declared = {column.name: column for column in table.columns}
    for name in declared.keys() & types.keys():
        for wrong, remedy in find_misfits(declared[name], types[name]):
            problems.add((*key, "columns", name), wrong, remedy)
    problems.refuse()
    visible = tuple(
        _resolve(declared.get(name, DeclaredColumn(name)), type_, (digits or {}).get(name))
        for name, type_ in types.items()
        if name not in table.hidden
    )
    return Resolved(table, visible, tuple(types.items()), unit_type)


def _resolve(column: DeclaredColumn, type_: Type, found: Digits | None) -> DeclaredColumn:
    """Return a column with its type, and with the digits of a decimal, of which at most so many are read."""
    digits = (column.digits or found) if type_ is Type.DECIMAL else None
    if digits is not None and not 0 <= digits[1] <= min(digits[0], MOST_DIGITS):
        digits = None
    return replace(column, type=type_, digits=digits and (min(digits[0], MOST_DIGITS), digits[1]))


def link_paths(policy: Policy, tables: Mapping[str, Resolved]) -> dict[str, Resolved]:
    """Return the tables of one engine by folded name, those whose units lie across foreign keys with their unit's type.

    Columns of a foreign key must be there on both sides and have one type, and no floats: those that print alike may
    differ.
    """
    problems = Problems(policy.path)
    for found in tables.values():
        if found.table.through is not None:
            _check_through(problems, found, tables[found.table.through.table.casefold()])
    problems.refuse()
    ends = {name: (found.table, *policy.list_path(found.table))[-1] for name, found in tables.items()}
    return {
        name: replace(found, unit_type=tables[ends[name].name.casefold()].unit_type) for name, found in tables.items()
    }


def _check_through(problems: Problems, found: Resolved, other: Resolved) -> None:
    assert found.table.through is not None
    key = ("tables", found.table.name, "through")
    mine_types, their_types = dict(found.source_types), dict(other.source_types)
    for mine, theirs in found.table.through.on:
        if theirs not in their_types:
            wrong = f"{quote_value(other.table.name)} has no column {quote_value(theirs)} of a known type"
            problems.add(key, wrong, _nearest(theirs, their_types))
        elif mine_types[mine] is not their_types[theirs]:
            wrong = f"{quote_value(mine)} is {mine_types[mine]} and {quote_value(theirs)} is {their_types[theirs]}"
            problems.add(key, wrong, "store both as one type")
        elif mine_types[mine] is Type.FLOAT:
            wrong = f"{quote_value(mine)} is a column of floats, and those that print alike may differ"
            problems.add(key, wrong, "store both as integer or text")


def _check_online(problems: Problems, key: tuple[str, ...], table: Table, types: Mapping[str, Type]) -> None:
    """Refuse columns of a histogram that engines hold as something else than whole numbers, texts, booleans or days."""
    allowed = (Type.TEXT, Type.INTEGER, Type.BOOLEAN, Type.DATE)
    for name in table.online.columns if table.online is not None else ():
        if name in types and types[name] not in allowed:
            wrong = f"{quote_value(name)} is a column of type {types[name]}, which has no cells here"
            problems.add((*key, "online", "columns"), wrong, "take it out, or store it as integer, text or date")


def _check_keys(problems: Problems, key: tuple[str, ...], table: Table, types: Mapping[str, Type]) -> None:
    """Refuse keys of floats, and a unit of other tables that has the name of a column here."""
    for name in dict.fromkeys(name for each in table.unique for name in each):
        if types.get(name) is Type.FLOAT:
            wrong = f"{quote_value(name)} is a column of floats, which are no keys: those that print alike may differ"
            problems.add((*key, "unique"), wrong, "store it as integer or text, or take it out")
    if table.through is not None and table.unit is not None:
        for name in types:
            if name.casefold() == table.unit.casefold():
                wrong = f"the source has a column {quote_value(name)}, which is not the unit that through leads to"
                problems.add((*key, "unit"), wrong, 'give the unit another name here, such as unit = "customer"')


def check_people(policy: Policy, tables: tuple[Resolved, ...]) -> None:
    """Refuse tables that speak of the same people by unit columns of different types: they could never meet."""
    problems = Problems(policy.path)
    first: dict[str, Resolved] = {}
    for found in tables:
        if found.table.identifies is None:
            continue
        other = first.setdefault(found.table.identifies, found)
        if other.unit_type is not found.unit_type:
            wrong = (
                f"{quote_value(found.table.unit)} is {found.unit_type} here and {quote_value(other.table.unit)} is "
                f"{other.unit_type} in {quote_value(other.table.name)}, "
                f"yet both identify {quote_value(found.table.identifies)}"
            )
            problems.add(("tables", found.table.name, "unit"), wrong, "store both as one type, or change identifies")
    problems.refuse()


def _check_present(problems: Problems, key: tuple[str, ...], table: Table, schema: Schema) -> None:
    wanted: list[tuple[tuple[str, ...], str]] = [(("columns", column.name), column.name) for column in table.columns]
    wanted += [(("hidden",), name) for name in table.hidden]
    wanted += [(("unit",), table.unit)] if table.unit is not None and table.through is None else []
    wanted += [(("unique",), name) for each in table.unique for name in each]
    wanted += [(("through",), mine) for mine, _ in table.through.on] if table.through is not None else []
    for place, name in wanted:
        if name not in schema:
            problems.add((*key, *place), f"the source has no column {quote_value(name)}", _nearest(name, schema))
        elif schema[name] is None and place != ("hidden",) and table.format is not SourceFormat.CSV:
            remedy = "take it out of the policy, or store the column as another type"
            problems.add(
                (*key, *place), f"the column {quote_value(name)} has a type that discreet does not know", remedy
            )


def _types(problems: Problems, key: tuple[str, ...], table: Table, schema: Schema) -> dict[str, Type]:
    types = {}
    for name, found in schema.items():
        column = table.column(name)
        said = column.type if column else None
        if table.format is SourceFormat.CSV and not table.public:
            found = said
            if said is None:
                wrong, remedy = "has no type, and csv files bring none", 'write its type, such as type = "integer"'
                problems.add((*key, "columns", name), wrong, remedy)
        elif table.format is SourceFormat.CSV:
            found = said or found
        elif said is not None and found is not None and said is not found:
            wrong, remedy = f"type is {said} in the policy and {found} in the source", f"write type = {quote(found)}"
            problems.add((*key, "columns", name), wrong, remedy)
        if found is not None:
            types[name] = found
    return types


def _nearest(name: str, schema: Schema) -> str:
    folded = {other.casefold(): other for other in schema}
    near = difflib.get_close_matches(name.casefold(), list(folded), n=1, cutoff=0.6)
    return (
        f"did you mean {quote_value(folded[near[0]])}?" if near else "write a name that the source has, or take it out"
    )
