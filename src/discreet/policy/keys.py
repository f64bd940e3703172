"""Keys of a table: columns of which a unit has one row for each value. Declared, and never trusted."""

from __future__ import annotations

from discreet.policy.model import Table
from discreet.policy.problems import quote_value
from discreet.policy.section import Section

REMEDY = 'write a list of keys, each a list of columns, such as unique = [["orderkey"]]'


def read_keys(section: Section, table: Table) -> tuple[tuple[str, ...], ...]:
    """Return the keys that a section declares; a list of names is one key of all of them.

    The unit's own column is left out of a key: rows are told apart by their unit anyway.
    """
    value = section.content.get("unique", [])
    keys = [value] if isinstance(value, list) and value and all(isinstance(each, str) for each in value) else value
    if not isinstance(keys, list) or not all(_is_key(key) for key in keys):
        section.wrong("unique", f"is {quote_value(value)}", REMEDY)
        return ()
    if keys and table.rows_are_units:
        section.wrong("unique", "is there with rows_are_units, and a unit has one row anyway", "take unique out")
    found: list[tuple[str, ...]] = []
    for key in keys:
        rest = tuple(name for name in key if name != table.unit or "through" in section)
        if not rest:
            wrong = f"{quote_value(table.unit)} is the unit, which would have one row"
            section.wrong("unique", wrong, "write max_rows = 1")
        for name in rest:
            if name in table.hidden:
                section.wrong("unique", f"{quote_value(name)} is hidden, so nobody can join on it", "take it out")
        if rest and rest not in found:
            found.append(rest)
    return tuple(found)


def _is_key(key: object) -> bool:
    """Say whether this is a list of different names."""
    names = key if isinstance(key, list) else []
    return bool(names) and all(isinstance(name, str) and name for name in names) and len(set(names)) == len(names)
