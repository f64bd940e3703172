"""Attributes, recodes, zeros and queries of a census spec: read from TOML, what is wrong is noted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from discreet.base.errors import ParameterError
from discreet.policy.columns import find_misfits
from discreet.policy.model import DeclaredColumn, Table
from discreet.policy.problems import quote_value
from discreet.policy.section import Section
from discreet.topdown.spec.queries import Query
from discreet.topdown.spec.recodes import AnswerAxis, CategoryValue, Recode, find_part
from discreet.topdown.spec.schema import Attribute, CensusSchema

MOST_CELLS = 1 << 22
"""Combinations of values: an area's counts are held as an array of them."""

Axes = dict[str, tuple[AnswerAxis, ...]]


def read_attributes(root: Section, table: Table | None) -> tuple[Attribute, ...] | None:
    """Return the attributes, in their order; None where one is wrong."""
    section = root.section("attributes", None)
    if not section.content:
        section.wrong((), "there is none", 'write each with its values, such as adult = ["no", "yes"]')
        return None
    found = [_read_attribute(section, name, table) for name in section.content]
    return tuple(each for each in found if each is not None) if None not in found else None


def _read_attribute(section: Section, name: str, table: Table | None) -> Attribute | None:
    values = read_values(section, name)
    if values is None:
        return None
    declared = None if table is None else table.column(name)
    if table is not None and name.casefold() in (each.casefold() for each in table.hidden):
        section.wrong(name, f"is a hidden column of {table.name}", "take it out, or show it in the policy")
        return None
    if table is not None and name == table.unit:
        section.wrong(name, f"is the unit of {table.name}: who somebody is, never counted", "take it out")
        return None
    misfits = list(find_value_misfits(declared, values)) if declared is not None else []
    for wrong, remedy in misfits:
        section.wrong(name, wrong, remedy)
    if misfits:
        return None
    if declared is not None and declared.values is not None and set(declared.values) != set(values):
        odd = sorted(map(str, set(declared.values) ^ set(values)))
        wrong = f"the policy has other values for this column: {quote_value(odd[0])} is only in one of the two"
        section.wrong(name, wrong, "write the same values here and there")
        return None
    return Attribute(name, values)


def find_value_misfits(column: DeclaredColumn, values: tuple[CategoryValue, ...]) -> Iterator[tuple[str, str]]:
    """Yield (what is wrong, remedy) for values that a column cannot hold, by its type, its bounds or its letters."""
    if column.type is not None:
        yield from find_misfits(DeclaredColumn(column.name, values=values), column.type)
    for value in values:
        if isinstance(value, str) and column.longest is not None and len(value) > column.longest:
            wrong = f"{quote_value(value)} has more letters than the policy's longest = {column.longest} of this column"
            yield wrong, "raise it there, or take the value out: longer texts are NULL"
        if isinstance(value, int) and not _is_within(column, value):
            wrong = f"{value} is outside of the policy's bounds of this column"
            yield wrong, "widen lower and upper there, or take the value out"


def _is_within(column: DeclaredColumn, value: int) -> bool:
    """Say whether a number is within the bounds of its column, where it has any."""
    low, high = column.lower, column.upper
    return not isinstance(low, Fraction) or not isinstance(high, Fraction) or low <= value <= high


def read_values(section: Section, name: str) -> tuple[CategoryValue, ...] | None:
    """Return a list of different values of one kind, or note what is wrong."""
    values = section.content.get(name)
    remedy = f'write values of one kind, such as {name} = ["no", "yes"]'
    if not isinstance(values, list) or not values:
        section.wrong(name, f"is {quote_value(values)}", remedy)
        return None
    if len({type(value) for value in values}) > 1 or type(values[0]) not in (str, int, bool):
        section.wrong(name, "has values that are not all texts, whole numbers or booleans", remedy)
        return None
    twice = [value for value, count in Counter(values).items() if count > 1]
    for value in twice:
        section.wrong(name, f"{quote_value(value)} is there twice", "write each value once")
    return None if twice else tuple(values)


def read_recodes(root: Section, attributes: tuple[Attribute, ...]) -> tuple[Recode, ...] | None:
    """Return the named groupings; None where one is wrong."""
    section = root.section("recodes", None)
    names = [each.name for each in attributes]
    found: list[Recode | None] = []
    for name, part in section.sections(("attribute", "groups")):
        if name in names:
            part.wrong((), "has the name of an attribute", "give it another name")
        of = part.text("attribute", f"write one of {', '.join(names)}")
        if of not in names:
            known = f"write one of {', '.join(names)}"
            part.wrong("attribute", "is missing" if of is None else f"is {quote_value(of)}, no attribute", known)
            found.append(None)
            continue
        found.append(_read_recode(name, part, attributes[names.index(str(of))], names.index(str(of))))
    return tuple(each for each in found if each is not None) if None not in found else None


def _read_recode(name: str, part: Section, attribute: Attribute, place: int) -> Recode | None:
    groups = part.section("groups", None)
    if not groups.content:
        part.wrong("groups", "is missing", 'write each group with its values, such as groups = { few = ["1", "2"] }')
        return None
    holders: dict[CategoryValue, int] = {}
    right = True
    for number, label in enumerate(groups.content):
        values = read_values(groups, label)
        right &= values is not None
        for value in values or ():
            if not _is_value(attribute, value):
                groups.wrong(label, f"{quote_value(value)} is no value of {attribute.name}", "take it out")
                right = False
            elif value in holders:
                groups.wrong(label, f"{quote_value(value)} is in two groups", "write each value in one group")
                right = False
            holders[value] = number
    left = [value for value in attribute.values if value not in holders]
    if right and left:
        part.wrong("groups", f"{quote_value(left[0])} of {attribute.name} is in no group", "write it in one")
        right = False
    return (
        Recode(name, place, tuple(holders[each] for each in attribute.values), tuple(groups.content)) if right else None
    )


def _is_value(attribute: Attribute, value: CategoryValue) -> bool:
    return value in attribute.values and type(value) is type(attribute.values[0])


def read_schema(root: Section, attributes: tuple[Attribute, ...], recodes: tuple[Recode, ...]) -> CensusSchema | None:
    """Return the schema with its zeros: combinations of values of attributes, or of groups of recodes."""
    section = root.section("zeros", None)
    bare = CensusSchema(attributes)
    if bare.cells > MOST_CELLS:
        wrong = f"have {bare.cells:,} combinations of values"
        root.wrong("attributes", wrong, f"write fewer or coarser attributes: at most {MOST_CELLS:,}")
        return None
    names = [*(each.name for each in attributes), *(each.name for each in recodes)]
    zeros = [_read_zero(section.section(name, names), bare, recodes) for name in section.content]
    if None in zeros:
        return None
    try:
        return CensusSchema(attributes, tuple(zero for zero in zeros if zero is not None))
    except ParameterError as error:
        section.wrong((), "leave no combination that can be", f"write {error.allowed}")
        return None


def _read_zero(part: Section, schema: CensusSchema, recodes: tuple[Recode, ...]) -> dict[str, frozenset[int]] | None:
    """Return one combination that cannot be: by attribute, the places of its values; None where it is wrong."""
    found = [_find_places(part, name, schema, recodes) for name in part.content]
    if None in found:
        return None
    zero: dict[str, frozenset[int]] = {}
    for places in found:
        if places is not None:
            key = schema.attributes[places[0]].name
            zero[key] = zero.get(key, places[1]) & places[1]
    if not zero or not all(zero.values()):
        part.wrong((), "names no combination of values", 'write one that cannot be, such as kind = ["prison"]')
        return None
    return zero


def _find_places(
    part: Section, name: str, schema: CensusSchema, recodes: tuple[Recode, ...]
) -> tuple[int, frozenset[int]] | None:
    """Return the attribute that a line of a zero speaks of, and the places of its values that it names."""
    try:
        of, axis = find_part(schema, recodes, name)
    except ParameterError:
        return None  # noted as an unknown key
    values = read_values(part, name)
    if values is None:
        return None
    unknown = [each for each in values if each not in axis.labels or type(each) is not type(axis.labels[0])]
    for value in unknown:
        part.wrong(name, f"{quote_value(value)} is no value of {name}", f"write some of {_list(axis)}")
    if unknown:
        return None
    wanted = {axis.labels.index(value) for value in values}
    return of.attribute, frozenset(place for place, group in enumerate(of.groups) if group in wanted)


def read_queries(
    root: Section, schema: CensusSchema, recodes: tuple[Recode, ...]
) -> tuple[tuple[Query, ...], Axes] | None:
    """Return the queries in their order, and what their answers stand for; None where one is wrong."""
    section = root.section("queries", None)
    if not section.content:
        section.wrong((), "there is none", 'write each with its attributes, such as total = [] and age = ["adult"]')
        return None
    queries: list[Query] = []
    axes: Axes = {}
    right = True
    for name, content in section.content.items():
        parts = _read_parts(section, name, content, schema, recodes)
        if parts is None:
            right = False
            continue
        query = Query(name, schema, tuple(part for part, _ in parts))
        same = [each.name for each in queries if each.parts == query.parts]
        if same:
            section.wrong(name, f"asks for the same as {quote_value(same[0])}", "write each query once")
        queries.append(query)
        axes[name] = tuple(axis for _, axis in parts)
    return (tuple(queries), axes) if right else None


def _read_parts(
    section: Section, name: str, content: object, schema: CensusSchema, recodes: tuple[Recode, ...]
) -> list[tuple[Any, AnswerAxis]] | None:
    """Return the parts of a query by rising attribute, each with its axis."""
    names = [*(each.name for each in schema.attributes), *(each.name for each in recodes)]
    if not isinstance(content, list) or not all(isinstance(each, str) for each in content):
        wrong = f"is {quote_value(content)}"
        section.wrong(name, wrong, f"write a list of {', '.join(names)}; an empty one counts everybody")
        return None
    unknown = [each for each in content if each not in names]
    for each in unknown:
        section.wrong(name, f"{quote_value(each)} is no attribute or recode", f"write some of {', '.join(names)}")
    if unknown:
        return None
    parts = sorted((find_part(schema, recodes, each) for each in content), key=lambda pair: pair[0].attribute)
    places = [part.attribute for part, _ in parts]
    if len(set(places)) < len(places):
        twice = next(schema.attributes[each].name for each in places if places.count(each) > 1)
        section.wrong(name, f"counts by {quote_value(twice)} twice", "write each attribute, or one recode of it, once")
        return None
    return parts


def _list(axis: AnswerAxis) -> str:
    shown = [str(each).lower() if isinstance(each, bool) else str(each) for each in axis.labels]
    return ", ".join(shown if len(shown) <= 8 else [*shown[:6], "...", shown[-1]])
