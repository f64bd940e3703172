"""An outer SELECT around a whole question: it reads released values only, so it costs nothing more.

Its columns are those of the answer inside; with GROUP BY or an aggregate its rows are groups of released rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.plan.expressions import Expression, Literal, Reference, Slot, join_conditions
from discreet.plan.question import Finish, Question
from discreet.plan.windows import KEY, Across, Attached, Computed, Order, Stage
from discreet.query.catalog import suggest_name
from discreet.query.parse import check_clauses, quote_sql, refuse_other_parts
from discreet.query.scalars.expressions import Scope, translate
from discreet.query.select.columns import STARS, check_names, has_aggregate, is_star, name_apart, split_alias
from discreet.query.select.context import Context
from discreet.query.select.finishing import add_windows, read_limit, read_offset, read_order, read_terms
from discreet.query.select.from_clause import check_condition
from discreet.query.select.names import COLUMN, Names
from discreet.query.select.picking import is_computed
from discreet.query.select.scalar_subqueries import read_scalar
from discreet.query.select.windows import ReleasedFunctions, make_window_scope

CHOSEN = "MODE is chosen, and nothing about it is released: nothing is computed across what it shows; leave MODE out"
KEYS = (
    "answers are not aggregated again where they are keys alone: public ones say nothing about the data; write "
    "COUNT(DISTINCT key), or group by the unit inside, so that rows are aggregated within one unit first"
)

ReadColumn = Callable[[exp.Column], Expression]
ReadAggregate = Callable[[exp.Expression], Expression | None]


def wrap_question(select: exp.Select, inner: Question, reading: Context, names: Names | None = None) -> Question:
    """Return a question with an outer SELECT around it; `names` are those of all relations where it is joined."""
    check_clauses(select)
    return _Wrapper(select, inner, reading, names).question()


class _Wrapper:
    """One outer SELECT being read."""

    def __init__(self, select: exp.Select, inner: Question, reading: Context, names: Names | None) -> None:
        self.select, self.inner, self.reading, self.parameters = select, inner, reading, reading.parameters
        self.names = names
        self.columns = dict(inner.finish.outputs)
        self.folded = {name.casefold(): each for name, each in self.columns.items()}
        self.grouped = bool(select.args.get("group")) or has_aggregate(select)
        self.plain = Scope(self._column, self._plain, reading.parameters, finish=True)
        self.keys: list[tuple[exp.Expression, Computed]] = []
        self.outputs: list[tuple[str, Expression]] = []

    def question(self) -> Question:
        """Read the clauses in the order in which they bind."""
        best = self._best_key()
        if best is not None:
            return best
        inner, select = self.inner.finish, self.select
        where = select.args.get("where")
        outer = None if where is None else check_condition("WHERE", translate(where.this, self.plain))
        before = self.grouped or select.find(exp.Window) is not None
        if self.inner.pick is not None and before:
            raise QueryError(CHOSEN)
        if self.grouped and not self.inner.aggregates:
            raise QueryError(KEYS)
        if inner.cuts and (inner.limit is not None or inner.offset) and (before or outer or select.args.get("order")):
            cut = Stage(inner.having, (), False, inner.order, inner.limit, inner.offset)
            inner = replace(inner, having=None, limit=None, offset=0, stages=(*inner.stages, cut))
        kept = join_conditions([each for each in (inner.having, outer) if each is not None])
        inner = replace(inner, having=kept)
        made = self._group(inner) if self.grouped else self._select(inner)
        return replace(self.inner, finish=made)

    def _select(self, inner: Finish) -> Finish:
        """Read a SELECT whose rows are those of the answer inside."""
        if self.select.args.get("having"):
            raise QueryError(f"{quote_sql(self.select.args['having'])}: HAVING needs GROUP BY; use WHERE")
        windows = ReleasedFunctions(len(inner.stages), _find_choices(inner))
        scope = self._scope(self._column, _refuse_aggregate, windows)
        self._outputs(scope)
        offset, limit = read_offset(self.select, self.parameters), read_limit(self.select, self.parameters)
        kept = None if inner.limit is None else max(0, inner.limit - offset)
        limits = [each for each in (kept, limit) if each is not None]
        order = self._order(scope) or inner.order
        cut = (min(limits) if limits else None, inner.offset + offset)
        made = Finish(tuple(self.outputs), inner.having, order, *cut, inner.stages, inner.tables)
        return add_windows(made, windows)

    def _group(self, inner: Finish) -> Finish:
        """Read a SELECT whose rows are groups of the answer's rows: a stage of groups, and windows over them."""
        chosen = (*_find_choices(inner), *(() if inner.having is None else (inner.having,)))
        groups = ReleasedFunctions(len(inner.stages), chosen)
        windows = ReleasedFunctions(len(inner.stages) + 1, chosen)
        self._keys(groups)

        listed = tuple(key.made.arguments[0] for _, key in self.keys)

        def aggregate(node: exp.Expression) -> Expression | None:
            written = next((key for given, key in self.keys if given == node), None)
            return written if written is not None else groups.aggregate(node, self.plain, listed)

        scope = self._scope(self._group_column, aggregate, windows)
        self._outputs(scope)
        node = self.select.args.get("having")
        having = None if node is None else check_condition("HAVING", translate(node.this, self._named(scope)))
        order = self._order(scope)
        cut = (read_limit(self.select, self.parameters), read_offset(self.select, self.parameters))
        stage = Stage(inner.having, tuple(groups.found), grouped=True)
        made = Finish(tuple(self.outputs), having, order, *cut, (*inner.stages, stage), inner.tables)
        return add_windows(made, windows)

    def _keys(self, groups: ReleasedFunctions) -> None:
        """Read GROUP BY: columns of the answer, names and places of the SELECT's own columns, and expressions."""
        node = self.select.args.get("group")
        if node is None:
            return
        refuse_other_parts(node, {"expressions"})
        named = dict(split_alias(each) for each in self.select.expressions if not is_star(each))
        for each in node.expressions:
            if isinstance(each, exp.Rollup | exp.Cube | exp.GroupingSets):
                raise QueryError(f"{quote_sql(each)}: an answer is grouped once; write this inside the subquery")
            meant = each
            if isinstance(each, exp.Literal) and not each.is_string and str(each.this).isdecimal():
                listed = self.select.expressions
                if not 1 <= int(str(each.this)[:9]) <= len(listed):
                    raise QueryError(f"GROUP BY {each.this}: there is no such column in the SELECT")
                meant = split_alias(listed[int(str(each.this)) - 1])[1]
            elif isinstance(each, exp.Column) and not each.table and each.name.casefold() not in self.folded:
                meant = named.get(each.name, each)
            key = translate(meant, self.plain)
            if isinstance(key, Literal | Attached):
                raise QueryError(f"{quote_sql(each)}: GROUP BY takes columns of the subquery")
            self.keys.append((meant, groups.add(Across(KEY, (key,), key.type, grouped=True))))

    def _scope(self, column: ReadColumn, aggregate: ReadAggregate, windows: ReleasedFunctions) -> Scope:
        """Return the scope of the SELECT's own columns, in which windows may stand."""

        def read(node: exp.Expression) -> Expression | None:
            value = read_scalar(node, self.reading)
            if value is not None:
                return value
            if isinstance(node, exp.Window):
                return windows.window(node, make_window_scope(scope, node), read_terms)
            return aggregate(node)

        scope = Scope(column, read, self.parameters, finish=True)
        return scope

    def _named(self, scope: Scope) -> Scope:
        """Return the scope of clauses that see the names of the SELECT's own columns too."""
        aliases = {name.casefold(): each for name, each in self.outputs}

        def column(node: exp.Column) -> Expression:
            return scope.column(node) if node.table else aliases.get(node.name.casefold()) or scope.column(node)

        return replace(scope, column=column)

    def _outputs(self, scope: Scope) -> None:
        for node in self.select.expressions:
            if is_star(node):
                refuse_other_parts(node.this if isinstance(node, exp.Column) else node, set(), STARS)
                if self.grouped:
                    raise QueryError(f"{quote_sql(node)}: name the columns that are grouped by")
                self._star(node)
            else:
                name, meant = split_alias(node)
                name = name_apart(name, [each for each, _ in self.outputs])
                self.outputs.append((name, translate(meant, scope)))
        check_names([name for name, _ in self.outputs])

    def _star(self, node: exp.Expression) -> None:
        if self.names is None:
            self.outputs.extend(self.columns.items())
            return
        for each in self.names.all(node.table if isinstance(node, exp.Column) else ""):
            assert each.expression is not None
            self.outputs.append((name_apart(each.name, [name for name, _ in self.outputs]), each.expression))

    def _order(self, scope: Scope) -> tuple[Order, ...]:
        return read_order(self.select, [each for _, each in self.outputs], self._named(scope))

    def _column(self, node: exp.Column) -> Expression:
        refuse_other_parts(node, COLUMN)
        if self.names is not None:
            return self.names.column(node)
        found = self.folded.get(node.name.casefold())
        if found is None:
            raise QueryError(
                f"{quote_sql(node)}: the subquery has no such column; {suggest_name(node.name, list(self.columns))}"
            )
        return found

    def _plain(self, node: exp.Expression) -> Expression | None:
        return read_scalar(node, self.reading) or _refuse_window(node)

    def _group_column(self, node: exp.Column) -> Expression:
        found = self._column(node)
        for _, key in self.keys:
            if key.made.arguments == (found,):
                return key
        raise QueryError(
            f"{quote_sql(node)} is neither grouped by nor aggregated; add GROUP BY {node.name} or use an aggregate"
        )

    def _best_key(self) -> Question | None:
        """Return the question of ARG_MAX(key, score) over groups: the key whose score is the largest, or smallest."""
        select, inner = self.select, self.inner.finish
        outputs = [split_alias(node) for node in select.expressions if not is_star(node)]
        found = [(name, node) for name, node in outputs if isinstance(node, exp.ArgMax | exp.ArgMin)]
        if not found:
            return None
        name, node = found[0]
        remedy = {"count": "write ORDER BY score DESC LIMIT n around the subquery"}
        refuse_other_parts(node, {"this", "expression"}, remedy)
        others = ("where", "group", "having", "order", "limit", "offset")
        if len(select.expressions) != 1 or any(select.args.get(each) for each in others):
            raise QueryError(f"{quote_sql(node)} stands alone in its SELECT, over a subquery; put conditions inside")
        key, score = translate(node.this, self.plain), translate(node.expression, self.plain)
        if not isinstance(score, Reference) or score.slot is not Slot.AGGREGATE or is_computed(key):
            raise QueryError(
                f"{quote_sql(node)}: ARG_MAX(key, score) takes a key and an aggregate of a subquery that groups by the "
                "key"
            )
        if inner.limit is not None or inner.offset or inner.stages:
            raise QueryError(f"{quote_sql(node)}: leave LIMIT in the subquery out, and windows")
        order = Order(score, isinstance(node, exp.ArgMax), False)
        return replace(self.inner, finish=Finish(((name, key),), inner.having, (order,), 1))


def _find_choices(finish: Finish) -> tuple[Expression, ...]:
    """Return by what the stages of a finish chose rows."""
    return tuple(each for stage in finish.stages for each in stage.find_choices())


def _refuse_aggregate(node: exp.Expression) -> Expression | None:
    """An aggregate here would make groups of the rows: it is met only inside of a window's brackets."""
    if isinstance(node, exp.AggFunc | exp.Filter | exp.WithinGroup):
        raise QueryError(f"{quote_sql(node)}: an aggregate stands in SELECT, HAVING and ORDER BY, and in no other one")
    return None


def _refuse_window(node: exp.Expression) -> Expression | None:
    if isinstance(node, exp.Window):
        raise QueryError(f"{quote_sql(node)}: a window stands in SELECT and ORDER BY; put it into a subquery in FROM")
    return _refuse_aggregate(node)
