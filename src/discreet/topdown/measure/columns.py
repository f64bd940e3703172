"""Whether a table has the columns of a spec, and can hold in them what the spec says: known before anything is charged.

Names and types are public facts, which the policy or the source's own description tells. No row is read. What is wrong
is told all at once, with the file and the key.
"""

from __future__ import annotations

from discreet.base.errors import ParameterError
from discreet.policy.model import DeclaredColumn
from discreet.policy.problems import Problems, quote_value
from discreet.policy.schema import Resolved
from discreet.topdown.measure.area_codes import AreaColumn, place_areas
from discreet.topdown.measure.people import find_column
from discreet.topdown.spec.census_spec import CensusSpec
from discreet.topdown.spec.reading_schema import find_value_misfits


def check_columns(spec: CensusSpec, table: Resolved) -> AreaColumn:
    """Return how the areas of a spec become numbers; or refuse it with everything that its table lacks."""
    problems = Problems(spec.path)
    for attribute in spec.schema.attributes:
        key = ("attributes", attribute.name)
        column = _find(problems, key, table, attribute.name)
        for wrong, remedy in () if column is None else find_value_misfits(column, attribute.values):
            problems.add(key, wrong, remedy)
    areas = _place(problems, spec, _find(problems, ("census", "area"), table, spec.area))
    problems.refuse()
    assert areas is not None
    return areas


def _find(problems: Problems, key: tuple[str, ...], table: Resolved, name: str) -> DeclaredColumn | None:
    try:
        return find_column(table, name)
    except ParameterError as error:
        problems.add(key, f"there is no column {quote_value(name)} in {table.table.name}", f"name {error.allowed}")
        return None


def _place(problems: Problems, spec: CensusSpec, column: DeclaredColumn | None) -> AreaColumn | None:
    if column is None:
        return None
    try:
        return place_areas(column, spec.geography.leaves.areas)
    except ParameterError as error:
        got = str(error).rpartition("; got ")[2]
        wrong = f"{quote_value(column.name)} cannot hold the areas of geography.file: {got} is not {error.allowed}"
        problems.add(("census", "area"), wrong, "name another column, or write the areas as it has them")
        return None
