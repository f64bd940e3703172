"""Attributes, recodes, zeros and queries of a census spec: read from TOML, what is wrong is noted."""

from __future__ import annotations

from collections import Counter
from typing import Any

from discreet.base.errors import ParameterError
from discreet.policy.model import Table
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
    if declared is not None and declared.values is not None and set(declared.values) != set(values):
        odd = sorted(map(str, set(declared.values) ^ set(values)))
        wrong = f"the policy has other values for this column: {quote_value(odd[0])} is only in one of the two"
        section.wrong(name, wrong, "write the same values here and there")
        return None
    return Attribute(name, values)


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
    found = []
    for name, part in section.sections(("attribute", "groups")):
        if name in names:
            part.wrong((), "has the name of an attribute", "give it another name")
        of = part.text("attribute", f"write one of {', '.join(names)}")
        if of not in names:
            known = f"write one of {', '.join(names)}"
            part.wrong("attribute", "is missing" if of is None else f"is {quote_value(of)}, no attribute", known)
            return None
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
    zeros = []
    for name in section.content:
        part = section.section(name, [*(each.name for each in attributes), *(each.name for each in recodes)])
        zero: dict[str, frozenset[int]] = {}
        for of in part.content:
            places = _find_places(part, of, bare, recodes)
            if places is None:
                return None
            key = attributes[places[0]].name
            zero[key] = zero.get(key, places[1]) & places[1]
        if not zero or not all(zero.values()):
            part.wrong((), "names no combination of values", 'write one that cannot be, such as kind = ["prison"]')
            return None
        zeros.append(zero)
    try:
        return CensusSchema(attributes, tuple(zeros))
    except ParameterError as error:
        section.wrong((), "leave no combination that can be", f"write {error.allowed}")
        return None


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
    for value in values:
        if value not in axis.labels or type(value) is not type(axis.labels[0]):
            part.wrong(name, f"{quote_value(value)} is no value of {name}", f"write some of {_list(axis)}")
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
    for name, content in section.content.items():
        parts = _read_parts(section, name, content, schema, recodes)
        if parts is None:
            return None
        query = Query(name, schema, tuple(part for part, _ in parts))
        same = [each.name for each in queries if each.parts == query.parts]
        if same:
            section.wrong(name, f"asks for the same as {quote_value(same[0])}", "write each query once")
        queries.append(query)
        axes[name] = tuple(axis for _, axis in parts)
    return tuple(queries), axes


def _read_parts(
    section: Section, name: str, content: object, schema: CensusSchema, recodes: tuple[Recode, ...]
) -> list[tuple[Any, AnswerAxis]] | None:
    """Return the parts of a query by rising attribute, each with its axis."""
    names = [*(each.name for each in schema.attributes), *(each.name for each in recodes)]
    if not isinstance(content, list) or not all(isinstance(each, str) for each in content):
        wrong = f"is {quote_value(content)}"
        section.wrong(name, wrong, f"write a list of {', '.join(names)}; an empty one counts everybody")
        return None
    for each in content:
        if each not in names:
            section.wrong(name, f"{quote_value(each)} is no attribute or recode", f"write some of {', '.join(names)}")
            return None
    parts = sorted((find_part(schema, recodes, each) for each in content), key=lambda pair: pair[0].attribute)
    places = [part.attribute for part, _ in parts]
    if len(set(places)) < len(places):
        twice = next(schema.attributes[each].name for each in places if places.count(each) > 1)
        section.wrong(name, f"counts by {quote_value(twice)} twice", "write each attribute, or one recode of it, once")
        return None
    return parts


def _list(axis: AnswerAxis) -> str:
    shown = [str(each) for each in axis.labels]
    return ", ".join(shown if len(shown) <= 8 else [*shown[:6], "...", shown[-1]])
