"""The SQL of a finish: one SELECT over the released table, with a SELECT inside for each stage.

Every name in it is a column of the released table or of a stage; words come from a closed list, and constants are
written as everywhere else. Rows keep the number of a released row: of a group, that of its first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from discreet.engines.duck.forms import write_sql
from discreet.engines.duck.literals import quote_name
from discreet.plan.expressions import Expression, Literal
from discreet.plan.question import Finish
from discreet.plan.windows import KEY, RELEASED, Across, Computed, Order, Stage, StageJoin

NUMBER = f"{RELEASED}.number"

AS_FLOATS = ("avg", "median", "stddev_samp", "stddev_pop", "var_samp", "var_pop")
"""Functions whose values are floats: so are their arguments."""

STEPS = {"ntile": 0, "lag": 1, "lead": 1}
"""Which argument is a number of steps, which DuckDB takes as a small one only."""

BY_ROW = ("row_number", "ntile", "lag", "lead", "first_value")
"""Functions that tell rows of equal order apart: they take them by number."""

ENDS = ("low", "high")
"""The ends of what an argument can be: columns such as w0_low of the released table."""


def write_finish(finish: Finish, bounded: Computed | None = None, extras: Sequence[str] = ()) -> str:
    """Return the SQL over the released table; `extras` are columns of it that come first, after the number.

    With `bounded`, the rows are the same, and hold what the interval of that column is made from: its value, how many
    rows and how many values it was computed from, and the same function of the ends of its argument.
    """
    if bounded is None:
        shown = [f"{write_sql(expression)} AS {quote_name(name)}" for name, expression in finish.outputs]
    else:
        shown = [f"{RELEASED}.{name}" for name in (bounded.name, *_name_helpers(bounded))]
    source, numbers = RELEASED, [NUMBER]
    for stage in finish.stages:
        if stage.join is not None:
            source = f"({_write_join(stage.join, source)}) AS {RELEASED}"
            numbers = [*numbers, f"{RELEASED}.j{stage.join.table}_number"]
            continue
        source = f"({_write_stage(stage, source, bounded, numbers)}) AS {RELEASED}"
        numbers = [NUMBER] if stage.grouped else numbers
    cut = _write_cut(finish.order, finish.limit, finish.offset, numbers)
    listed = [NUMBER, *(f"{RELEASED}.{each}" for each in extras), *shown]
    return f"SELECT {', '.join(listed)} FROM {source}{_write_where(finish.having)}{cut}"


def count_joined(finish: Finish, most: int) -> str:
    """Return the SQL that counts the rows that joins make, up to one more than so many."""
    source = RELEASED
    for stage in finish.stages:
        if stage.join is not None:
            source = f"({_write_join(stage.join, source)}) AS {RELEASED}"
    return f"SELECT count(*) FROM (SELECT 1 FROM {source} LIMIT {most + 1})"


def _write_join(join: StageJoin, source: str) -> str:
    """Return rows with the columns of their partners in another table, which have names of their own."""
    name = f"j{join.table}"
    pairs = [(write_sql(mine), write_sql(replace(theirs, relation=name))) for mine, theirs in join.on]
    on = " AND ".join(f"{mine} = {theirs}" for mine, theirs in pairs)
    return f"SELECT {RELEASED}.*, {name}.* FROM {source} {'LEFT ' if join.keep else ''}JOIN {name} ON {on}"


def _write_stage(stage: Stage, source: str, bounded: Computed | None, numbers: list[str]) -> str:
    columns = [f"{_write_across(each.made, numbers)} AS {each.name}" for each in stage.columns]
    if bounded in stage.columns and bounded is not None:
        columns += _write_helpers(bounded, numbers)
    where = _write_where(stage.having)
    if not stage.grouped:
        cuts = stage.limit is not None or stage.offset
        cut = _write_cut(stage.order, stage.limit, stage.offset, numbers) if cuts else ""
        return f"SELECT {', '.join(['*', *columns])} FROM {source}{where}{cut}"
    keys = [write_sql(each.made.arguments[0]) for each in stage.columns if each.made.function == KEY]
    group = f" GROUP BY {', '.join(f'({each})' for each in keys)}" if keys else ""
    return f"SELECT {', '.join([f'min({NUMBER}) AS number', *columns])} FROM {source}{where}{group}"


def _name_helpers(column: Computed) -> list[str]:
    return [f"{column.name}_{each}" for each in ("rows", "values", *(f"of_{end}" for end in ENDS))]


def _write_helpers(column: Computed, numbers: list[str]) -> list[str]:
    """Return how many rows and values a column is computed from, and what it is for the ends of its argument."""
    made = column.made
    within = _write_within(made, numbers)
    rows = f"count(*){within}"
    values = f"count({write_sql(made.arguments[0])}){within}"
    rest = "".join(f", {each}" for each in _write_arguments(made)[1:])
    ends = [f"{made.function}({RELEASED}.{column.name}_{end}{rest}){within}" for end in ENDS]
    return [f"{text} AS {name}" for text, name in zip((rows, values, *ends), _name_helpers(column), strict=True)]


def _write_across(made: Across, numbers: list[str]) -> str:
    if made.function == KEY:
        return write_sql(made.arguments[0])
    listed = ", ".join(_write_arguments(made)) or ("*" if made.function == "count" else "")
    return f"{made.function}({'DISTINCT ' if made.distinct else ''}{listed}){_write_within(made, numbers)}"


def _write_arguments(made: Across) -> list[str]:
    found = [write_sql(each) for each in made.arguments]
    if made.function in AS_FLOATS:
        found[0] = f"CAST({found[0]} AS DOUBLE)"
    place = STEPS.get(made.function, len(found))
    return [f"CAST({each} AS BIGINT)" if at == place else each for at, each in enumerate(found)]


def _write_within(made: Across, numbers: list[str]) -> str:
    """Return which rows a function is computed over: FILTER and OVER."""
    kept = f" FILTER (WHERE {write_sql(made.where)})" if made.where is not None else ""
    if made.grouped:
        return kept
    by = ", ".join(f"({write_sql(each)})" for each in made.partition)
    terms = [_write_term(term) for term in made.order]
    if made.function in BY_ROW or made.frame.startswith("ROWS"):
        terms += numbers
    parts = [f"PARTITION BY {by}" if by else "", f"ORDER BY {', '.join(terms)}" if terms else "", made.frame]
    return f"{kept} OVER ({' '.join(part for part in parts if part)})"


def _write_where(condition: Expression | None) -> str:
    return "" if condition is None else f" WHERE {write_sql(condition)}"


def _write_cut(order: tuple[Order, ...], limit: int | None, offset: int, numbers: list[str]) -> str:
    """Return ORDER BY, LIMIT and OFFSET. Constants order nothing, and DuckDB refuses them or reads them as places."""
    terms = ", ".join([*(_write_term(term) for term in order if not isinstance(term.by, Literal)), *numbers])
    kept = f" LIMIT {limit}" if limit is not None else ""
    return f" ORDER BY {terms}{kept}{f' OFFSET {offset}' if offset else ''}"


def _write_term(term: Order) -> str:
    way = "DESC" if term.descending else "ASC"
    return f"{write_sql(term.by)} {way} NULLS {'FIRST' if term.nulls_first else 'LAST'}"
