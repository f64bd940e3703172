"""Functions over released rows: windows beside groups, and aggregates over an answer.

They are read here only where a scope leads to released columns and to nothing else. Everywhere else a window is refused
with all that has no reader: in WHERE, inside an aggregate, in a subquery of rows, and where rows are not grouped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Expression, Literal
from discreet.plan.functions import call
from discreet.plan.windows import Across, Computed, Order, name_computed
from discreet.query.parse import quote_sql, refuse_other_parts
from discreet.query.scalars.expressions import Scope, translate
from discreet.query.scalars.refusals import explain_refusal
from discreet.query.select.from_clause import check_condition

NUMBERS: dict[type[exp.Expression], str] = {
    exp.Sum: "sum",
    exp.Avg: "avg",
    exp.Median: "median",
    exp.Stddev: "stddev_samp",
    exp.StddevSamp: "stddev_samp",
    exp.StddevPop: "stddev_pop",
    exp.Variance: "var_samp",
    exp.VariancePop: "var_pop",
}
"""Aggregates of numbers; all but sums are floats."""

EXTREMES: dict[type[exp.Expression], str] = {exp.Min: "min", exp.Max: "max"}
AGGREGATES: tuple[type[exp.Expression], ...] = (exp.Count, *NUMBERS, *EXTREMES)

RANKS: dict[type[exp.Expression], tuple[str, Type]] = {
    exp.RowNumber: ("row_number", Type.INTEGER),
    exp.Rank: ("rank", Type.INTEGER),
    exp.DenseRank: ("dense_rank", Type.INTEGER),
    exp.PercentRank: ("percent_rank", Type.FLOAT),
    exp.CumeDist: ("cume_dist", Type.FLOAT),
}
PLACED: dict[type[exp.Expression], str] = {
    exp.Lag: "lag",
    exp.Lead: "lead",
    exp.FirstValue: "first_value",
    exp.LastValue: "last_value",
}

LISTED = "COUNT, SUM, AVG, MIN, MAX, MEDIAN, STDDEV and VARIANCE are answered over released values"
WINDOWS = f"{LISTED}, and as windows ROW_NUMBER, RANK, DENSE_RANK, NTILE, LAG, LEAD, FIRST_VALUE and LAST_VALUE too"
FRAME = "a frame is ROWS or RANGE BETWEEN UNBOUNDED PRECEDING, CURRENT ROW, UNBOUNDED FOLLOWING; with ROWS also n"

ReadOrder = Callable[[exp.Expression, Scope], tuple[Order, ...]]


class ReleasedFunctions:
    """The functions over released rows that one SELECT asks for, in a stage of their own."""

    def __init__(self, stage: int, chosen: tuple[Expression, ...] = ()) -> None:
        self.stage, self.chosen = stage, chosen
        self.found: list[Computed] = []

    def add(self, made: Across) -> Computed:
        """Return the column of a function, which is added where it is new."""
        made = replace(made, chosen=self.chosen)
        for known in self.found:
            if known.made == made:
                return known
        self.found.append(name_computed(self.stage, len(self.found), made))
        return self.found[-1]

    def aggregate(self, node: exp.Expression, scope: Scope, keys: tuple[Expression, ...]) -> Computed | None:
        """Return an aggregate over groups of an answer, or nothing where the node is none.

        Its scope leads to released columns; the keys decide which rows are in a group, as those of a window do.
        """
        if not isinstance(node, exp.AggFunc | exp.Filter | exp.WithinGroup):
            return None
        inner, where = _split_filter(node, scope)
        if not isinstance(inner, AGGREGATES):
            raise QueryError(f"{quote_sql(node)}: {LISTED}")
        return self.add(replace(_read_aggregate(inner, scope), partition=keys, where=where, grouped=True))

    def window(self, node: exp.Expression, scope: Scope, read_order: ReadOrder) -> Computed:
        """Return a window; its scope leads to released columns and aggregates, and to no other window."""
        refuse_other_parts(
            node, {"this", "partition_by", "order", "spec", "over"}, {"alias": "write the window out after OVER"}
        )
        inner, where = _split_filter(node.this, scope)
        made = replace(_read_function(inner, scope), where=where)
        if where is not None and not isinstance(inner, AGGREGATES):
            raise QueryError(f"{quote_sql(node)}: FILTER stands after an aggregate only")
        partition = tuple(translate(each, scope) for each in node.args.get("partition_by") or [])
        return self.add(replace(made, partition=partition, order=read_order(node, scope), frame=_read_frame(node)))


def make_window_scope(scope: Scope, window: exp.Expression) -> Scope:
    """Return the scope inside a window: what leads to rows, and another window, is refused as windows over rows are."""

    def column(node: exp.Column) -> Expression:
        try:
            return scope.column(node)
        except QueryError:
            raise explain_refusal(window) from None

    def aggregate(node: exp.Expression) -> Expression | None:
        if isinstance(node, exp.Window):
            raise QueryError(f"{quote_sql(node)}: a window stands in no other; put it into a subquery in FROM")
        return scope.aggregate(node)

    return replace(scope, column=column, aggregate=aggregate)


def _split_filter(node: exp.Expression, scope: Scope) -> tuple[exp.Expression, Expression | None]:
    if not isinstance(node, exp.Filter):
        return node, None
    refuse_other_parts(node, {"this", "expression"})
    return node.this, check_condition("FILTER", translate(node.expression.this, scope))


def _read_function(node: exp.Expression, scope: Scope) -> Across:
    """Return what a window computes, without its rows."""
    kind = type(node)
    if kind in RANKS:
        refuse_other_parts(node, set())
        return Across(RANKS[kind][0], (), RANKS[kind][1])
    if kind is exp.Ntile:
        refuse_other_parts(node, {"this"})
        return Across("ntile", (_whole(node, node.this, scope, 1),), Type.INTEGER)
    if kind in (exp.Lag, exp.Lead):
        refuse_other_parts(node, {"this", "offset", "default"})
        steps, other = (node.args.get(name) for name in ("offset", "default"))
        arguments = [translate(node.this, scope)] + ([] if steps is None else [_whole(node, steps, scope, 0)])
        if other is not None:
            arguments.append(_constant(node, translate(other, scope), arguments[0].type))
        return Across(PLACED[kind], tuple(arguments), arguments[0].type)
    if kind in PLACED:
        refuse_other_parts(node, {"this"})
        value = translate(node.this, scope)
        return Across(PLACED[kind], (value,), value.type)
    if kind in AGGREGATES:
        return _read_aggregate(node, scope)
    raise QueryError(f"{quote_sql(node)}: {WINDOWS}")


def _read_aggregate(node: exp.Expression, scope: Scope) -> Across:
    kind, inner = type(node), node.this
    if kind is exp.Count:
        refuse_other_parts(node, {"this", "big_int"}, {"expressions": "COUNT takes one column, or *"})
        if inner is None or isinstance(inner, exp.Star):
            return Across("count", (), Type.INTEGER)
    else:
        refuse_other_parts(node, {"this"})
    distinct = isinstance(inner, exp.Distinct)
    if distinct:
        refuse_other_parts(inner, {"expressions"})
        if len(inner.expressions) != 1:
            raise QueryError(f"{quote_sql(node)}: DISTINCT takes one column")
        (inner,) = inner.expressions
    value = translate(inner, scope)
    value = call("as_float", value) if value.type is Type.DECIMAL else value
    if kind is exp.Count:
        return Across("count", (value,), Type.INTEGER, distinct=distinct)
    if kind in EXTREMES:
        return Across(EXTREMES[kind], (value,), value.type)
    if not value.type.numeric:
        raise QueryError(f"{quote_sql(node)}: {quote_sql(inner)} is {value.type}, and this needs numbers")
    whole = kind is exp.Sum and value.type is Type.INTEGER
    return Across(NUMBERS[kind], (value,), Type.INTEGER if whole else Type.FLOAT, distinct=distinct)


def _whole(node: exp.Expression, given: exp.Expression, scope: Scope, least: int) -> Literal:
    found = translate(given, scope)
    value = found.value if isinstance(found, Literal) and found.type is Type.INTEGER else None
    if not isinstance(value, int) or not least <= value < 1 << 31:
        raise QueryError(f"{quote_sql(node)}: a constant whole number is expected, {least} or more")
    return Literal(value, Type.INTEGER)


def _constant(node: exp.Expression, found: Expression, type_: Type) -> Literal:
    if not isinstance(found, Literal) or found.value is None or found.type is not type_:
        raise QueryError(f"{quote_sql(node)}: the last value is a constant of the type of the first")
    return found


def _read_frame(node: exp.Expression) -> str:
    """Return the frame, written from words of a closed list and whole numbers."""
    spec = node.args.get("spec")
    if spec is None:
        return ""
    refuse_other_parts(spec, {"kind", "start", "start_side", "end", "end_side"})
    kind = spec.args.get("kind")
    ends = [_write_end(spec, name, kind == "ROWS") for name in ("start", "end")]
    if kind not in ("ROWS", "RANGE") or None in ends:
        raise QueryError(f"{quote_sql(node)}: {FRAME}")
    return f"{kind} BETWEEN {ends[0]} AND {ends[1]}"


def _write_end(spec: exp.Expression, name: str, counts: bool) -> str | None:
    end, side = spec.args.get(name), spec.args.get(f"{name}_side")
    if end in (None, "CURRENT ROW"):
        return "CURRENT ROW"
    if side not in ("PRECEDING", "FOLLOWING"):
        return None
    if end == "UNBOUNDED":
        return f"UNBOUNDED {side}"
    text = str(end.this) if isinstance(end, exp.Literal) and not end.is_string else ""
    return f"{text} {side}" if counts and text.isdecimal() and len(text) < 10 else None
