"""FROM, joins and WHERE to a block of private rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Column, Expression, Literal, Slot, join_conditions
from discreet.plan.functions import call
from discreet.plan.lowering import refer_to
from discreet.plan.relations import Block, Join, Lookup, Match, Nested, Source, list_scans
from discreet.plan.scales import find_scale
from discreet.policy.schema import Resolved
from discreet.query.bounding.declared_keys import covers_declared_key, follows_path, use_keys
from discreet.query.bounding.limits import bound_unit_rows, cut_scans
from discreet.query.parse import quote_sql, refuse_other_parts, split_conjuncts
from discreet.query.scalars.expressions import Scope, translate
from discreet.query.select.context import Context
from discreet.query.select.names import Names, OutputColumn, RelationColumns, Selected, describe_table
from discreet.query.select.public_selects import PublicSelect, check_plain, find_public_select
from discreet.query.select.relations import Relation, check_same_people, read_alias, read_relation
from discreet.query.select.scalar_subqueries import refuse_scalar

JOINS = "JOIN and LEFT JOIN ON equal columns are answered, the private side first"


@dataclass
class FromClause:
    """A FROM being read: the private block so far, and public tables that stood before the first private one."""

    reading: Context
    names: Names = field(default_factory=Names)
    block: Block | None = None
    waiting: tuple[str, str, Resolved] | None = None
    """A public table in FROM whose private partner is still to come: its name here, its relation and itself."""
    late: list[Expression] = field(default_factory=list)
    """Conditions on that table."""

    @property
    def rows(self) -> Block:
        """The private rows; a question about public tables alone is refused."""
        if self.block is None:
            name = self.waiting[2].table.name if self.waiting else "nothing"
            raise QueryError(
                f"{name!r} is public: it costs nothing to read without asking; here it is joined to a private table, "
                f"by its name and not inside a subquery"
            )
        return self.block

    @property
    def scope(self) -> Scope:
        """Where expressions over one row are read."""
        return Scope(self.names.column, self._value, self.reading.parameters)

    def _value(self, node: exp.Expression) -> Expression | None:
        return refuse_scalar(node, self.reading) or refuse_aggregate(node)

    def add_first(self, node: exp.Expression) -> None:
        """Read what stands behind FROM."""
        public = find_public_select(node, self.reading)
        if public is not None:
            check_plain(public, node)
            name, place = read_alias(node) or node.name or "subquery", self.reading.counter.next()
            view, self.late = public.read(place, self.reading)
            self.waiting = (name, place, public.table)
            self.names.add(name, view)
            return
        found = read_relation(node, self.reading)
        if isinstance(found.meaning, Selected):
            self.block = found.meaning.block
            self.names.add(found.name, found.meaning.view)
            return
        place = self.reading.counter.next()
        if found.meaning.table.public:
            self.waiting = (found.name, place, found.meaning)
        else:
            self.block = Block(self.reading.catalog.scan(found.meaning, place))
        self.names.add(found.name, describe_table(found.meaning, place))

    def add_join(self, join: exp.Expression) -> None:
        """Read one join."""
        refuse_other_parts(
            join, {"this", "on", "using", "side", "kind"}, dict.fromkeys(("method", "hint", "match_condition"), JOINS)
        )
        side, kind = str(join.args.get("side") or ""), str(join.args.get("kind") or "")
        if side not in ("", "LEFT") or kind not in ("", "INNER", "OUTER") or (kind == "OUTER" and not side):
            raise QueryError(f"{quote_sql(join)}: {JOINS}")
        keep, public = side == "LEFT", find_public_select(join.this, self.reading)
        if public is not None:
            check_plain(public, join.this)
            name = read_alias(join.this) or join.this.name or "subquery"
            self._add_public(join, name, public.table, keep, public)
            return
        found = read_relation(join.this, self.reading)
        if isinstance(found.meaning, Resolved) and found.meaning.table.public:
            self._add_public(join, found.name, found.meaning, keep)
        elif self.block is None:
            self._add_late(join, found, keep)
        else:
            self._add_private(join, found, keep)

    def _add_public(
        self, join: exp.Expression, name: str, table: Resolved, keep: bool, inside: PublicSelect | None = None
    ) -> None:
        """Join a public table, or columns of its rows that meet conditions: an inner join leaves the same out later."""
        block, place = self.rows, self.reading.counter.next()
        view, conditions = (describe_table(table, place), []) if inside is None else inside.read(place, self.reading)
        if keep and not all(isinstance(each.expression, Column) for each in view.outputs):
            raise QueryError(
                f"{quote_sql(join)}: LEFT JOIN takes plain columns of a public table; put computed ones outside"
            )
        pairs, extra = self._pairs(join, name, view, keep, conditions)
        on = [(mine, theirs) for mine, theirs, _ in pairs]
        lookup = self._lookup(table, place, on, keep)
        self.names.add(name, _hide_failing(join, view, conditions, lookup) if keep else view)
        self._merge(join, name)
        self.block = self._looked_up(block, lookup)
        self._filter(extra)
        for each in conditions if not keep else ():
            self.add_condition(each)

    def _add_late(self, join: exp.Expression, found: Relation, keep: bool) -> None:
        """Join the first private relation to a public table that stood before it: the private side comes first."""
        assert self.waiting is not None
        name, place, public = self.waiting
        if keep:
            raise QueryError(
                f"{quote_sql(join)}: an outer join must keep the private side, or it would tell who is missing; "
                f"write FROM {found.name} LEFT JOIN {name}"
            )
        selected = self._opened(found)
        first = self.names
        self.names = Names({found.name.casefold(): (found.name, selected.view)})
        pairs, extra = self._pairs(join, name, first.views[name.casefold()][1], keep)
        self.names.add(name, first.views[name.casefold()][1])
        self._merge(join, name)
        on = [(mine, theirs) for mine, theirs, _ in pairs]
        self.block = self._looked_up(selected.block, self._lookup(public, place, on, keep))
        self.waiting = None
        self._filter(extra)
        for each in self.late:
            self.add_condition(each)

    def _lookup(self, table: Resolved, place: str, on: list[tuple[Expression, Expression]], keep: bool) -> Lookup:
        """Return the join to a public table; how many partners a row can have there is public."""
        name, columns = table.table.name, []
        for mine, theirs in on:
            if not isinstance(theirs, Column):
                raise QueryError(f"a column that is computed from {name!r} is not joined by; join by the table's own")
            if mine.type is not theirs.type:  # 2^53 and 2^53 + 1 are one float: a row would have more partners
                raise QueryError(
                    f"{theirs.name!r} of {name!r} is {theirs.type}, and {mine.type} is joined to it; "
                    f"join columns of one type"
                )
            if find_scale(mine) != find_scale(theirs):
                raise QueryError(
                    f"{theirs.name!r} of {name!r} has {find_scale(theirs)} digits behind the point, and a decimal with "
                    f"{find_scale(mine)} is joined to it; CAST that AS DECIMAL(18, {find_scale(theirs)})"
                )
            columns.append((mine, theirs.name))
        if not columns:
            raise QueryError(f"joining {name!r} needs ON with equal columns: otherwise every row meets all of them")
        fan_out = self.reading.catalog.fan_out(name, tuple(column for _, column in columns))
        return Lookup(name, place, tuple(columns), keep, fan_out)

    def _looked_up(self, block: Block, lookup: Lookup) -> Block:
        """Return the block joined to a public table; where rows have several partners, units are cut before."""
        joined = replace(block, joins=(*block.joins, lookup))
        return self._multiplied(joined) if lookup.fan_out > 1 else joined

    def _multiplied(self, block: Block) -> Block:
        """Return a block that a join multiplies rows in: units are cut before, and may not become too many rows.

        This is checked wherever the join stands: one row for each unit, or a condition, may be all that is left of it.
        """
        made = use_keys(cut_scans(block, self.reading.catalog), self.reading.catalog)
        bound_unit_rows(made, self.reading.catalog)
        return made

    def _add_private(self, join: exp.Expression, found: Relation, keep: bool) -> None:
        left, right = self.rows, self._opened(found)
        check_same_people([*list_scans(left), *list_scans(right.block)], self.reading)
        source, view = self._source(right, keep)
        pairs, extra = self._pairs(join, found.name, view, keep)
        on = tuple((mine, theirs) for mine, theirs, unit in pairs if not unit)
        for mine, theirs in on:
            call("eq", mine, theirs)
        match: Join = Match(source, on, keep)
        joined = self._multiplied(replace(left, joins=(*left.joins, match)))
        if not any(unit for _, _, unit in pairs):
            self._check_within_units(join, joined)
        visible = view
        if keep:  # its unit is NULL where there is no partner, so it is not whose row it is
            visible = RelationColumns(
                tuple(replace(each, unit=False) for each in view.outputs if each.expression), True
            )
        self.names.add(found.name, visible)
        self._merge(join, found.name)
        self.block = joined
        self._filter(extra)

    def add_match(self, match: Match) -> None:
        """Join rows of the same unit that no name stands for; units are cut before, as at every join."""
        left = self.rows
        self.block = self._multiplied(replace(left, joins=(*left.joins, match)))

    def _check_within_units(self, join: exp.Expression, joined: Block) -> None:
        """Refuse a join that does not name the unit, unless it follows what the policy declares: a path, or a key.

        Equality of the unit is added to every join of private tables. Along a path that leaves no pair out; by a key it
        leaves out those of different units, and the answer says so. Anything else may mean pairs of different people.
        """
        catalog, unit = self.reading.catalog, self.names.unit_word
        if follows_path(joined, catalog):
            return
        if not covers_declared_key(joined, catalog):
            raise QueryError(
                f"{quote_sql(join)}: private tables are joined on the unit, so that nobody's rows meet another's; "
                f"add {unit} to the columns of JOIN ... ON or USING"
            )
        self.reading.remarks.append(f"{quote_sql(join)}: only rows of the same {unit} are joined")

    def _opened(self, found: Relation) -> Selected:
        if isinstance(found.meaning, Selected):
            return found.meaning
        place = self.reading.counter.next()
        return Selected(Block(self.reading.catalog.scan(found.meaning, place)), describe_table(found.meaning, place))

    def _source(self, right: Selected, keep: bool) -> tuple[Source, RelationColumns]:
        """Return the right side as one source: itself where it is one, else its rows under names of their own."""
        plain = all(isinstance(each.expression, Column | None) for each in right.view.outputs)
        bare = not right.block.joins and right.block.where is None
        if bare and (plain or not keep):
            return right.block.source, right.view
        place = self.reading.counter.next()
        outputs: list[OutputColumn] = []
        expressions: list[Expression] = []
        for each in right.view.outputs:
            column = None
            if each.expression is not None:
                column = refer_to(each.expression, place, Slot.OUTPUT, len(expressions))
                expressions.append(each.expression)
            outputs.append(replace(each, expression=column))
        return Nested(place, right.block, tuple(expressions)), RelationColumns(tuple(outputs), True)

    def _pairs(
        self,
        join: exp.Expression,
        name: str,
        view: RelationColumns,
        keep: bool,
        inside: list[Expression] | None = None,
    ) -> tuple[list[tuple[Expression, Expression, bool]], list[exp.Expression]]:
        """Return what a join equates, (earlier, new, whether both are the unit), and conditions for WHERE.

        Conditions of a LEFT JOIN on the new relation alone are added to those `inside` it, where that is public.
        """
        pairs: list[tuple[Expression, Expression, bool]] = []
        new, extra = Names({name.casefold(): (name, view)}), []
        unread = Column("", "", Type.BOOLEAN)  # stands for a hidden unit, which only the join itself reads
        equal = [(exp.column(each.name), exp.column(each.name, name)) for each in join.args.get("using") or []]
        for part in split_conjuncts(join.args.get("on")):
            sides = [part.this, part.expression] if isinstance(part, exp.EQ) else []
            if len(sides) == 2 and self._only_of(sides[1], new) and not self._only_of(sides[0], new):
                equal.append((sides[0], sides[1]))
            elif len(sides) == 2 and self._only_of(sides[0], new) and not self._only_of(sides[1], new):
                equal.append((sides[1], sides[0]))
            elif keep and inside is not None and self._only_of(part, new):
                scope = Scope(new.column, self._value, self.reading.parameters)
                inside.append(check_condition("ON", translate(part, scope)))
            elif keep:
                raise QueryError(
                    f"{quote_sql(part)}: ON of a LEFT JOIN takes equal columns of {name!r} and of those before; "
                    f"put other conditions into CASE WHEN or FILTER"
                )
            else:
                extra.append(part)
        for mine, theirs in equal:
            if self.names.is_unit(mine) and new.is_unit(theirs):
                pairs.append((unread, unread, True))
                continue
            if not isinstance(theirs, exp.Column):
                if keep:
                    raise QueryError(f"{quote_sql(theirs)}: ON of a LEFT JOIN takes columns of {name!r}")
                extra.append(exp.EQ(this=mine.copy(), expression=theirs.copy()))
                continue
            pairs.append((translate(mine, self.scope), new.column(theirs), False))
        return pairs, extra

    def _only_of(self, node: exp.Expression, new: Names) -> bool:
        """Say whether every column in a node is one of the new relation's, by its table or as the only one so named."""
        columns = list(node.find_all(exp.Column))
        return bool(columns) and all(
            new.knows(each) and (each.table or not self.names.has(each.name)) for each in columns
        )

    def _merge(self, join: exp.Expression, name: str) -> None:
        self.names.merged |= {(name.casefold(), each.name.casefold()) for each in join.args.get("using") or []}

    def _filter(self, extra: list[exp.Expression]) -> None:
        """Add conditions of an inner join to WHERE, which is the same there."""
        for part in extra:
            self.add_condition(check_condition("ON", translate(part, self.scope)))

    def add_condition(self, found: Expression) -> None:
        """Keep only rows that fulfil a condition."""
        block = self.rows
        joined = join_conditions([each for each in (block.where, found) if each is not None])
        self.block = replace(block, where=joined)


def read_from(query: exp.Select, reading: Context) -> FromClause:
    """Read FROM and the joins of a SELECT."""
    rows = FromClause(reading)
    source = query.args.get("from_")
    if source is None:
        several = query.find(exp.Subquery) is not None
        beside = "; several answers: SELECT COUNT(*), (SELECT COUNT(*) FROM patients) FROM visits" if several else ""
        raise QueryError(f"the question has no FROM; name a table, as in SELECT COUNT(*) FROM visits{beside}")
    rows.add_first(source.this)
    for join in query.args.get("joins") or []:
        rows.add_join(join)
    return rows


def _hide_failing(
    join: exp.Expression, view: RelationColumns, conditions: list[Expression], lookup: Lookup
) -> RelationColumns:
    """Return the columns of a public table that is left-joined, NULL in rows of it that fail conditions.

    So such a row is no partner, where a row has one at most: with several, each that fails would still be one.
    """
    test = join_conditions(conditions)
    if test is None:
        return view
    if lookup.fan_out > 1:
        raise QueryError(
            f"{quote_sql(join)}: rows have several partners in {lookup.table!r}, and conditions inside a LEFT JOIN are "
            "answered for one; put them into CASE WHEN or FILTER"
        )
    outputs = []
    for each in view.outputs:
        assert each.expression is not None
        shown = call("case", test, each.expression, Literal(None, each.expression.type))
        outputs.append(replace(each, expression=shown))
    return RelationColumns(tuple(outputs), False)


def check_condition(clause: str, found: Expression) -> Expression:
    """Return a condition, or refuse what is none."""
    if found.type is not Type.BOOLEAN:
        raise QueryError(f"{clause} takes a condition, and this is {found.type}; compare it, as in age >= 18")
    return found


def refuse_aggregate(node: exp.Expression) -> Expression | None:
    """Refuse aggregates where rows are read one by one."""
    if isinstance(node, exp.AggFunc | exp.Filter | exp.WithinGroup):
        raise QueryError(
            f"{quote_sql(node)}: an aggregate cannot stand here; in WHERE use columns, in HAVING aggregates"
        )
    return None
