"""A parsed SELECT to a plan: names and types resolved, aggregates found, and what is done to the released table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.plan.beside import releases_same
from discreet.plan.expressions import Expression
from discreet.plan.question import Aggregate, Finish, Pick, Question, find_shown_type, refer_to_key, refer_to_value
from discreet.plan.widths import check_widths
from discreet.plan.windows import Order
from discreet.query.catalog import Catalog
from discreet.query.parse import check_clauses, quote_sql
from discreet.query.scalars.expressions import Scope, translate
from discreet.query.scalars.refusals import explain_refusal
from discreet.query.select.aggregates import read_aggregate, show_value
from discreet.query.select.columns import has_aggregate, is_star, name_apart, split_alias
from discreet.query.select.context import Context, add_with_names
from discreet.query.select.finishing import add_windows, read_limit, read_offset, read_order, read_terms
from discreet.query.select.from_clause import check_condition
from discreet.query.select.grouping_sets import read_grouping, read_grouping_sets
from discreet.query.select.joined_answers import find_joined, join_answers
from discreet.query.select.one_engine import check_one_engine
from discreet.query.select.per_unit import find_key, resolve_key
from discreet.query.select.picking import MODE_ALONE, find_pick, read_mode
from discreet.query.select.scalar_subqueries import read_scalar
from discreet.query.select.subqueries import read_select
from discreet.query.select.where_clause import read_rows
from discreet.query.select.windows import ReleasedFunctions, make_window_scope
from discreet.query.select.wrapping import wrap_question

MOST_SETS = 64
"""Groupings in one question."""


def build(
    select: exp.Select, catalog: Catalog, parameters: Mapping[str, Any] | None = None, views: int | None = None
) -> Question:
    """Return the plan of a SELECT, or refuse it with the text that cannot be answered; it sees so many views."""
    reading = Context(catalog, dict(parameters or {}), read_select, views=views, answer=_question)
    question = _question(select, reading)
    beside = tuple(each if releases_same(each, question) else find_pick(each) for each in reading.beside.questions)
    if not any(releases_same(each, question) for each in beside):  # what is released anyway needs no choice
        question = find_pick(question)
    for each in (question, *beside):
        check_one_engine(each.block, catalog)
    return replace(question, remarks=tuple(dict.fromkeys(reading.remarks)), beside=beside)


def _question(select: exp.Select, reading: Context) -> Question:
    reading = add_with_names(select, reading)
    inner = _answered(select, reading)
    if inner is not None:
        return wrap_question(select, _question(*inner), reading)
    joined = find_joined(select, reading, _find_answer)
    if joined is not None:
        return join_answers(select, joined, reading)
    return _Builder(select, reading).question()


def _answered(select: exp.Select, reading: Context) -> tuple[exp.Select, Context] | None:
    """Return the whole question that stands in FROM, such as SELECT * FROM (SELECT COUNT(*) ...) ORDER BY 1."""
    source = select.args.get("from_")
    return None if source is None or select.args.get("joins") else _find_answer(source.this, reading)


def _find_answer(node: exp.Expression, reading: Context) -> tuple[exp.Select, Context] | None:
    """Return the whole question that a relation in FROM is, and what it may see."""
    query: exp.Expression | None = None
    if isinstance(node, exp.Subquery):
        query = node.this
    elif isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
        named = reading.subquery(node.name)
        if named is not None:
            query, reading = named
    while isinstance(query, exp.Subquery):
        query = query.this
    if not isinstance(query, exp.Select):
        return None
    inside = add_with_names(query, reading)
    if _answered(query, inside) is not None or find_joined(query, inside, _find_answer) is not None:
        return query, reading
    if not has_aggregate(query) and not query.args.get("group"):
        return None
    check_clauses(query)
    rows = read_rows(query, inside.fresh())
    group = query.args.get("group")
    listed = [resolve_key(each, query, rows) for each in (group.expressions if group is not None else [])]
    return None if any(rows.names.is_unit(each) for each in listed) else (query, reading)


class _Builder:
    """One question being read: its rows, keys and aggregates as they are met."""

    def __init__(self, select: exp.Select, reading: Context) -> None:
        check_clauses(select)
        self.select, self.parameters, self.reading = select, reading.parameters, reading
        self.rows = read_rows(select, reading)
        self.rows.rows  # noqa: B018 - refuses a question about public tables alone
        self.keys: list[Expression] = []
        self.sets: list[tuple[int, ...]] = []
        self.aggregates: list[Aggregate] = []
        self.outputs: list[tuple[str, Expression]] = []
        self.mode: tuple[Expression, Aggregate] | None = None
        self.windows = ReleasedFunctions(0)

    def question(self) -> Question:
        """Read the clauses in the order in which they bind."""
        self._group()
        self._outputs()
        having = self._having()
        cut = (read_limit(self.select, self.parameters), read_offset(self.select, self.parameters))
        finish = add_windows(Finish(tuple(self.outputs), having, self._order(), *cut), self.windows)
        if not self.aggregates and self.mode is None and not self.keys:
            raise QueryError("the question has no aggregate: rows are not released; ask for COUNT(*), SUM, AVG, ...")
        keys, sets = tuple(self.keys), tuple(self.sets)
        made = Question(self.rows.rows, keys, tuple(self.aggregates), finish, sets)
        made = made if self.mode is None else self._add_mode(made, *self.mode)
        check_widths(made.expressions(), made.block)
        return made

    def _add_mode(self, question: Question, key: Expression, score: Aggregate) -> Question:
        """MODE(x) is the key x that has most rows: chosen among all its values, in each group."""
        if question.aggregates or len(question.sets) != 1 or key in question.keys or question.finish.stages:
            raise QueryError(MODE_ALONE)
        keys, pick = (*question.keys, key), Pick(each=bool(question.keys))
        return replace(question, keys=keys, aggregates=(score,), sets=(tuple(range(len(keys))),), pick=pick)

    def _group(self) -> None:
        """Read GROUP BY. Each grouping set is a grouping of its own; other keys are NULL in its rows."""
        node = self.select.args.get("group")
        sets = read_grouping_sets(node, self._key) if node is not None else [()]
        if len(sets) > MOST_SETS and node is not None:
            raise QueryError(f"{quote_sql(node)}: {len(sets)} groupings at once; at most {MOST_SETS} are answered")
        self.sets = list(dict.fromkeys(tuple(sorted(set(each))) for each in sets))

    def _known_key(self, node: exp.Expression) -> int:
        """Return the place of a key that is grouped by."""
        meant = resolve_key(node, self.select, self.rows)
        while isinstance(meant, exp.Paren):
            meant = meant.this
        key = None if self.rows.names.is_unit(meant) else translate(meant, self.rows.scope)
        if key is None or key not in self.keys:
            raise QueryError(f"{quote_sql(node)}: GROUPING takes columns of GROUP BY, and this is none of them")
        return self.keys.index(key)

    def _key(self, node: exp.Expression) -> int:
        """Return the place of a key, which is added where it is new."""
        meant = resolve_key(node, self.select, self.rows)
        while isinstance(meant, exp.Paren):
            meant = meant.this
        if self.rows.names.is_unit(meant):
            raise QueryError(
                f"{quote_sql(node)}: groups by the unit would be about single people; "
                f"aggregate them first inside a subquery, as in SELECT AVG(n) FROM (SELECT ... GROUP BY {meant.name})"
            )
        key = translate(meant, self.rows.scope)
        if key not in self.keys:
            self.keys.append(key)
        return self.keys.index(key)

    def _outputs(self) -> None:
        before: dict[str, Expression] = {}
        scope = self._finish_scope(before)
        for node in self.select.expressions:
            if is_star(node):
                raise QueryError(f"{quote_sql(node)}: rows are not released; name an aggregate such as COUNT(*)")
            name, inner = split_alias(node)
            name = name_apart(name, [other for other, _ in self.outputs])
            self.outputs.append((name, translate(inner, scope)))
            if not self.rows.names.has(name):  # a column of the table goes before a name that was given further left
                before[name.casefold()] = self.outputs[-1][1]

    def _finish_scope(self, aliases: Mapping[str, Expression]) -> Scope:
        def column(node: exp.Column) -> Expression:
            if not node.table and node.name.casefold() in aliases and not self._is_key(node):
                return aliases[node.name.casefold()]
            found = self.rows.names.column(node)
            if self.rows.names.is_unit(node) and found not in self.keys:
                raise QueryError(
                    f"{quote_sql(node)} says whose row it is, and rows are not released; "
                    f"write COUNT(DISTINCT {node.name})"
                )
            if found not in self.keys:
                raise QueryError(
                    f"{quote_sql(node)} is neither grouped by nor aggregated, and rows are not released; "
                    f"add GROUP BY {node.name} or use an aggregate"
                )
            return refer_to_key(self.keys.index(found), find_shown_type(found))

        def aggregate(node: exp.Expression) -> Expression | None:
            value = read_scalar(node, self.reading)
            if value is not None:
                return value
            if isinstance(node, exp.Window):
                return self._window(node, scope)
            if isinstance(node, exp.Grouping | exp.GroupingId):
                return read_grouping(node, self._known_key, self.sets)
            mode = read_mode(node, self.rows)
            if mode is not None:
                if self.mode not in (None, mode):
                    raise QueryError(MODE_ALONE)
                self.mode = mode
                return refer_to_key(len(self.keys), find_shown_type(mode[0]))
            found = read_aggregate(node, self.rows)
            if found is None:
                place = find_key(node, self.keys, self.rows)
                return None if place is None else refer_to_key(place, find_shown_type(self.keys[place]))
            if found not in self.aggregates:
                self.aggregates.append(found)
            return show_value(node, refer_to_value(self.aggregates.index(found), found), self.rows)

        scope = Scope(column, aggregate, self.parameters, finish=True)
        return scope

    def _window(self, node: exp.Expression, scope: Scope) -> Expression:
        """Return a window over groups; one over rows is refused."""
        if not self.select.args.get("group") and not has_aggregate(self.select):
            raise explain_refusal(node)
        return self.windows.window(node, make_window_scope(scope, node), read_terms)

    def _is_key(self, node: exp.Column) -> bool:
        return self.rows.names.knows(node) and self.rows.names.column(node) in self.keys

    def _aliases(self) -> dict[str, Expression]:
        return {name.casefold(): expression for name, expression in self.outputs}

    def _having(self) -> Expression | None:
        node = self.select.args.get("having")
        return (
            None
            if node is None
            else check_condition("HAVING", translate(node.this, self._finish_scope(self._aliases())))
        )

    def _order(self) -> tuple[Order, ...]:
        return read_order(self.select, [each for _, each in self.outputs], self._finish_scope(self._aliases()))


def find_parameters(select: exp.Select) -> set[str]:
    """Return the names of the parameters that a SELECT uses."""
    inner = [node.this for node in select.find_all(exp.Placeholder, exp.Parameter)]
    return {name if isinstance(name, str) else str(getattr(name, "name", "")) for name in inner}
