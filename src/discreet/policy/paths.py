"""Units that lie across foreign keys: how the rows of a table without a unit column reach whom they are about."""

from __future__ import annotations

from dataclasses import replace

from discreet.policy.model import ForeignKey, Table
from discreet.policy.problems import quote, quote_value
from discreet.policy.section import Section

REMEDY = 'write its columns and those of another table, such as through = "orderkey -> orders.orderkey"'


def read_paths(section: Section, tables: tuple[Table, ...]) -> tuple[Table, ...]:
    """Return the tables, each that declares `through` with its foreign key, and with the unit to which that leads.

    A foreign key leads to a private table on the same engine, which has a unit column or a foreign key itself. What is
    wrong is noted.
    """
    keyed = {table.name: _with_key(section, table, tables) for table in tables}
    return tuple(_with_unit(section, table, keyed) for table in keyed.values())


def _part(section: Section, table: Table) -> Section:
    return Section(section.problems, (*section.key, table.name), section.content[table.name], None)


def _with_key(section: Section, table: Table, tables: tuple[Table, ...]) -> Table:
    """Return the table with the foreign key that it declares, if any."""
    part = _part(section, table)
    if "through" not in part or table.public or table.rows_are_units:
        return table
    value = part.content["through"]
    steps = [value] if isinstance(value, str) else value
    if not isinstance(steps, list) or not steps or not all(isinstance(step, str) for step in steps):
        part.wrong("through", f"is {quote_value(value)}", REMEDY)
        return table
    found = [_read_step(part, table, step, tables) for step in steps]
    read = [step for step in found if step is not None]
    if len(read) < len(found):
        return table
    if len({other.name for _, other, _ in read}) > 1:
        wrong = "leads to several tables: those columns that lead on from the next one are that table's to declare"
        part.wrong("through", wrong, f"write the rest as through = ... in [tables.{read[0][1].name}]")
        return table
    other = read[0][1]
    return replace(table, through=ForeignKey(other.name, tuple((mine, theirs) for mine, _, theirs in read)))


def _read_step(part: Section, table: Table, step: str, tables: tuple[Table, ...]) -> tuple[str, Table, str] | None:
    """Return a column of this table, the other table and its column, or note what is wrong with `a -> t.b`."""
    sides = [side.strip() for side in step.split("->")]
    if len(sides) != 2 or not all(sides):
        part.wrong("through", f"is {quote_value(step)}", REMEDY)
        return None
    named = _find_table(sides[1], tables)
    if named is None:
        names = ", ".join(other.name for other in tables if other.name != table.name) or "none"
        wrong = f"{quote_value(sides[1])} is no column of a table of this policy"
        part.wrong("through", wrong, f"write TABLE.COLUMN behind the arrow; other tables: {names}")
        return None
    other, theirs = named
    mine = _find_table(sides[0], (table,))
    elsewhere = _find_table(sides[0], tables)
    if mine is None and elsewhere is not None:
        wrong = f"{quote_value(step)} begins at {quote_value(elsewhere[0].name)}"
        part.wrong("through", wrong, f"write it as through in [tables.{elsewhere[0].name}]; here begin with a column")
        return None
    return (mine[1] if mine else sides[0]), other, theirs


def _find_table(text: str, tables: tuple[Table, ...]) -> tuple[Table, str] | None:
    """Return the table and the column that `table.column` names; names may hold points themselves."""
    fitting = [table for table in tables if text.casefold().startswith(f"{table.name.casefold()}.")]
    found = max(fitting, key=lambda table: len(table.name), default=None)
    column = text[len(found.name) + 1 :].strip() if found is not None else ""
    return (found, column) if found is not None and column else None


def _with_unit(section: Section, table: Table, tables: dict[str, Table]) -> Table:
    """Return the table with the unit that its path leads to; the name of the unit may be its own."""
    if table.through is None:
        return table
    part, seen, end = _part(section, table), [table.name], table
    while end.through is not None:
        other = tables[end.through.table]
        seen.append(other.name)
        if other.name in seen[:-1]:
            part.wrong("through", f"goes in a circle: {' -> '.join(seen)}", "lead to a table with a unit column")
            return table
        if not _can_lead(part, table, other):
            return table
        end = other
    said = part.content.get("identifies")
    if said is not None and said != end.identifies:
        wrong = f"is {quote_value(said)}, and the rows are those of {quote_value(end.identifies)} in {end.name}"
        part.wrong("identifies", wrong, "take it out: the path says whom the rows are about")
    return replace(table, unit=table.unit or end.unit, identifies=end.identifies)


def _can_lead(part: Section, table: Table, other: Table) -> bool:
    """Note what is wrong with a table on a path, and say whether the path may go on."""
    name = quote_value(other.name)
    if other.public:
        part.wrong("through", f"leads to {name}, which is public: it is about nobody", "lead to a private table")
    elif other.rows_are_units:
        wrong = f"leads to {name}, whose rows are units of their own and carry no name of one"
        part.wrong("through", wrong, f"declare a unit column in [tables.{other.name}]")
    elif other.engine != table.engine:
        wrong = f"leads to {name} on another engine: no private row is copied between engines"
        part.wrong("through", wrong, f"put both tables on one engine, as in engine = {quote(table.engine)}")
    else:
        return other.unit is not None or other.through is not None  # else what is wrong is said there
    return False
