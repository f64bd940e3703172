"""The rows that a census counts, as one SELECT: the code of each person's smallest area, and the cell they lie in.

Everybody is counted whose area is one of the geography's and whose every attribute has a value of the schema's. All
other rows are **left out**: they are counted nowhere, at no level, and nothing that is released tells how many there
are (the owner may look, `inspecting.py`). That is a rule about one row alone, so it changes nothing about what a person
can move. A combination of values that the schema calls impossible is counted in its cell like any other: estimates hold
such cells at 0, measurements need not know of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.base.errors import ParameterError
from discreet.policy.model import DeclaredColumn
from discreet.policy.schema import Resolved
from discreet.query.catalog import suggest_name
from discreet.topdown.measure.area_codes import AreaColumn, quote_name
from discreet.topdown.spec.schema import Attribute, CensusSchema


def find_column(table: Resolved, name: str) -> DeclaredColumn:
    """Return a column of the private table, or refuse what is none."""
    known = {column.name: column for column in table.columns if column.name != table.table.unit}
    if name not in known:
        raise ParameterError(
            "column", name, f"a column of {table.table.name} that questions may use ({suggest_name(name, list(known))})"
        )
    return known[name]


def write_people(table: str, areas: AreaColumn, schema: CensusSchema) -> tuple[str, Mapping[str, Any]]:
    """Return a SELECT of a code and a cell for each row, and its parameters; NULL where a row is left out."""
    parameters: dict[str, Any] = {}
    codes = ", ".join(f"{code} AS code{at}" for at, code in enumerate(areas.write_codes(parameters)))
    return f"SELECT {codes}, {_write_cell(schema, parameters)} AS cell FROM {quote_name(table)}", parameters


def write_everybody(table: str, areas: AreaColumn, schema: CensusSchema) -> tuple[str, Mapping[str, Any]]:
    """Return the same SELECT without leaving a row out: for the owner's look at the rows, and for no measurement.

    Where a row has no code, it has a number that is in none. A value that the schema lacks has the place after all
    others, so that cells are those of an array with one place more along each attribute.
    """
    parameters: dict[str, Any] = {}
    codes = ", ".join(
        f"COALESCE({code}, {areas.no_code}) AS code{at}" for at, code in enumerate(areas.write_codes(parameters))
    )
    places = [f"COALESCE({_write_place(each, parameters)}, {len(each.values)})" for each in schema.attributes]
    cell = _number_cell(places, [size + 1 for size in schema.shape])
    return f"SELECT {codes}, {cell} AS cell FROM {quote_name(table)}", parameters


def _write_cell(schema: CensusSchema, parameters: dict[str, Any]) -> str:
    """Return the number of a row's cell, the last attribute fastest, as in the schema's flattened arrays."""
    return _number_cell([_write_place(each, parameters) for each in schema.attributes], schema.shape)


def _number_cell(places: Sequence[str], shape: Sequence[int]) -> str:
    first, *rest = places
    for place, size in zip(rest, shape[1:], strict=True):
        first = f"({first}) * {size} + {place}"
    return first


def _write_place(attribute: Attribute, parameters: dict[str, Any]) -> str:
    """Return a CASE over an attribute's values: NULL for any other."""
    name, parts = quote_name(attribute.name), []
    for place, value in enumerate(attribute.values):
        key = f"value{len(parameters)}"
        parameters[key] = value
        parts.append(f"WHEN {name} = ${key} THEN {place}")
    return f"CASE {' '.join(parts)} END"
