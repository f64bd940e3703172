"""Read a census spec from TOML: exact, complete, or refused with everything that is wrong with it.

The file stands beside the policy. Nothing is charged and no private row is read: all of it is public.
"""

from __future__ import annotations

from pathlib import Path

from discreet.base.errors import ParameterError, PolicyError
from discreet.base.types import Type
from discreet.policy.load import load, load_raw
from discreet.policy.model import Policy, Table
from discreet.policy.problems import Problems, quote_value
from discreet.policy.section import Section
from discreet.topdown.spec.census_spec import CensusSpec, count_rows_of_unit
from discreet.topdown.spec.files import PublicFolder
from discreet.topdown.spec.propagation import LevelInvariants, propagate
from discreet.topdown.spec.queries import Query
from discreet.topdown.spec.reading_areas import note_error, read_levels, read_spine
from discreet.topdown.spec.reading_invariants import InvariantOutline, InvariantReader
from discreet.topdown.spec.reading_schema import (
    Axes,
    read_attributes,
    read_queries,
    read_recodes,
    read_schema,
)
from discreet.topdown.spec.reading_shares import make_allocation, read_budget, read_shares, read_targets
from discreet.topdown.spec.recodes import Recode
from discreet.topdown.spec.schema import CensusSchema

SECTIONS = (
    "census",
    "budget",
    "geography",
    "attributes",
    "recodes",
    "zeros",
    "queries",
    "levels",
    "invariants",
    "targets",
)
POLICY = "policy.toml"
"""The policy's name, beside the spec, where the spec says none."""

CountedParts = tuple[CensusSchema, tuple[Recode, ...], tuple[Query, ...], Axes]


def read_spec(path: str | Path) -> CensusSpec:
    """Return the census spec in that file, with its policy and its public files; or raise one PolicyError.

    The error has a line for everything that is wrong, as far as one mistake does not hide another: the file, the key,
    and what to write instead. Whether the table has the columns is known when it is opened (`measure.columns`).
    """
    path = Path(path)
    if not path.is_file():
        raise PolicyError(f"{path}: there is no such file; name the census.toml of a release")
    problems = Problems(path)
    root = Section(problems, (), load_raw(path), SECTIONS)
    census = root.section("census", ("policy", "table", "area"))
    policy, wrong_policy = _load_policy(census, path.parent)
    table = None if policy is None else _find_table(census, policy)
    area = _find_area(census, table)
    counted = _read_counted(root, table)
    levels = read_levels(root)
    folder = None if policy is None else PublicFolder(path.parent, policy)
    column = None if table is None or area is None else table.column(area)
    spine = None if folder is None or not levels else read_spine(root, levels, folder, column)
    budget = read_budget(root, table)
    names = [each.name for each in counted[2]] if counted else _list_names(root, "queries")
    shares = read_shares(root, levels, names) if levels and names else None
    targets = read_targets(root, levels, names) if levels and names else {}
    outline = InvariantOutline(
        levels, _list_names(root.section("geography", None), "regroup"), names, policy.neighbours if policy else None
    )
    stated = list(outline.read_all(root)) if levels and names else []
    if policy is None or folder is None:
        _refuse_all(problems, wrong_policy)
        raise PolicyError(wrong_policy)
    if counted is None or spine is None or table is None or area is None:
        problems.refuse()
        raise PolicyError(f"{path}: cannot be read; write all of its sections")
    schema, recodes, queries, axes = counted
    invariants = InvariantReader(folder, spine, queries, axes).read_all(stated)
    known: tuple[LevelInvariants, ...] = ()
    try:
        known = propagate(spine.geography, schema, invariants)
    except ParameterError as error:
        note_error(problems, error)
    problems.refuse()
    if budget is None or shares is None:
        raise PolicyError(f"{path}: budget: cannot be read; write rho and the shares as numbers")
    return CensusSpec(
        path,
        policy,
        table.name,
        area,
        schema,
        recodes,
        queries,
        axes,
        spine,
        make_allocation(budget, shares),
        invariants,
        known,
        targets,
    )


def _load_policy(census: Section, folder: Path) -> tuple[Policy | None, str]:
    """Return the policy, or what is wrong with it; one without a delta pays for no Gaussian noise."""
    name = census.text("policy", f'write its file, such as policy = "{POLICY}"') or POLICY
    try:
        policy = load(folder / name)
    except PolicyError as error:
        return None, str(error)
    if not policy.delta:
        wrong = f"{policy.path} has no budget.delta, and a release needs one: its noise is Gaussian"
        census.wrong("policy", wrong, "write delta in its [budget], such as delta = 1e-9")
    return policy, ""


def _refuse_all(problems: Problems, wrong_policy: str) -> None:
    """Refuse a spec and its policy together, with what is wrong with both."""
    try:
        problems.refuse()
    except PolicyError as error:
        raise PolicyError(f"{wrong_policy}\n{error}") from None


def _list_names(root: Section, name: str) -> list[str]:
    """Return the keys of a section, whatever they hold."""
    content = root.content.get(name)
    return list(content) if isinstance(content, dict) else []


def _find_table(census: Section, policy: Policy) -> Table | None:
    """Return the private table that is counted."""
    private = [table.name for table in policy.tables if not table.public]
    remedy = f"write a private table of the policy: {', '.join(private) or 'there is none'}"
    name = census.text("table", remedy)
    if name is None:
        census.wrong("table", "is missing", remedy)
        return None
    if name.casefold() not in (each.casefold() for each in private):
        census.wrong("table", f"is {quote_value(name)}, no private table of {policy.path}", remedy)
        return None
    table = policy.table(name)
    try:
        count_rows_of_unit(table)
    except ParameterError as error:
        census.wrong("table", f"is {quote_value(name)}", f"declare {error.allowed}")
        return None
    return table


def _find_area(census: Section, table: Table | None) -> str | None:
    """Return the column of the smallest area."""
    remedy = 'write the column of the private table with the smallest area, such as area = "block"'
    area = census.text("area", remedy)
    if "area" not in census:
        census.wrong("area", "is missing", remedy)
    if area is None or table is None:
        return area
    if area.casefold() in (each.casefold() for each in table.hidden):
        census.wrong("area", f"is a hidden column of {table.name}", "name another, or show it in the policy")
        return None
    if area == table.unit:
        census.wrong("area", f"is the unit of {table.name}: who somebody is, not where", "name another column")
    declared = table.column(area)
    if declared is not None and declared.type not in (None, Type.TEXT, Type.INTEGER):
        wrong = f"{quote_value(area)} is a column of type {declared.type}"
        census.wrong("area", wrong, "name one of texts or of whole numbers")
    return area


def _read_counted(root: Section, table: Table | None) -> CountedParts | None:
    """Return what is counted: the schema, its recodes and the queries."""
    attributes = read_attributes(root, table)
    recodes = None if attributes is None else read_recodes(root, attributes)
    if attributes is None or recodes is None:
        return None
    schema = read_schema(root, attributes, recodes)
    found = read_queries(root, schema or CensusSchema(attributes), recodes)
    return None if schema is None or found is None else (schema, recodes, *found)
