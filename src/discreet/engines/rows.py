"""The private side of a bounded plan as SQL: one row for every row that counts, with its unit.

Every SELECT here has the unit as a column of its own, from the scan on: no name that an analyst wrote can stand for it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from discreet.base.types import Type
from discreet.engines.contributions import write_contribution, write_grid_value, write_place
from discreet.engines.dialect import UNIT, Dialect
from discreet.engines.limiting.grouped_rows import name_measure
from discreet.engines.limiting.hashing import write_values
from discreet.engines.shapes import write_within
from discreet.plan.bounded import BoundedPlan, Key, KeySet, Measure
from discreet.plan.expressions import Call, Expression, find_columns
from discreet.plan.relations import (
    INNER_DISTINCT,
    INNER_MEANS,
    INNER_SUMS,
    Block,
    InnerAggregate,
    InnerKind,
    Lookup,
    Match,
    Nested,
    NumberKind,
    PerUnit,
    Scan,
    Source,
    Union,
    UnitCondition,
    list_expressions,
)
from discreet.plan.rows_plan import RowsPlan
from discreet.plan.scales import find_scale

Select = Callable[[str, frozenset[str]], str]
"""A table's name and the columns needed of it, to a SELECT that casts them to their types."""


WIDEST = 1 << 62
"""Whole sums of one unit are cut here, so that they are columns of 63 bits like all others."""


ENDS: dict[Type, tuple[dt.date, dt.date]] = {
    Type.DATE: (dt.date.min, dt.date.max),
    Type.TIMESTAMP: (dt.datetime.min.replace(tzinfo=dt.UTC), dt.datetime.max.replace(tzinfo=dt.UTC)),
}


def get_stored_type(expression: Expression) -> Type:
    """Return the type in which an engine has the values of an expression: decimals are whole numbers there."""
    return Type.INTEGER if expression.type is Type.DECIMAL else expression.type


def name_key(place: int) -> str:
    """Return the column of a key."""
    return f"__discreet_raw{place}"


def write_rows(
    plan: BoundedPlan, chosen: KeySet, source: Select, measures: list[Measure], unit: Type | None, dialect: Dialect
) -> str:
    """Return unit, keys and contributions of every row that the question is about; `unit` is the type of units."""
    columns = [(_key(plan.keys[place], dialect), name_key(place)) for place in chosen.keys]
    columns += [(write_contribution(measure, dialect), name_measure(place)) for place, measure in enumerate(measures)]
    writer = Writer(unit, source, dialect)
    used = [plan.keys[place].expression for place in chosen.keys]
    used += [each for measure in plan.measures for each in (measure.argument, measure.other) if each is not None]
    writer.note([*used, *list_expressions(plan.block)])
    return writer.block(plan.block, columns)


def write_plan_rows(plan: RowsPlan, source: Select, unit: Type | None, dialect: Dialect) -> str:
    """Return unit and grid points of every row of a plan of rows; a point is NULL where its value is missing."""
    columns = [
        (write_grid_value(each.expression, each.grid, dialect), name_measure(place))
        for place, each in enumerate(plan.columns)
    ]
    writer = Writer(unit, source, dialect)
    writer.note([*(each.expression for each in plan.columns), *list_expressions(plan.block)])
    return writer.block(plan.block, columns)


def _key(key: Key, dialect: Dialect) -> str:
    """Return a key; where it is data, dates and times beyond the years 1 to 9999, that Python lacks, are NULL."""
    value = dialect.write_sql(key.expression)
    if key.domain is None and key.type in ENDS:
        return write_within(value, *(dialect.write_constant(end, key.type) for end in ENDS[key.type]))
    return value


def _order(name: str, largest: bool, nulls_first: bool) -> list[str]:
    """Return terms of ORDER BY that put NULL where it is meant to be on every engine."""
    missing = f"CASE WHEN {name} IS NULL THEN {int(not nulls_first)} ELSE {int(nulls_first)} END"
    return [missing, f"{name}{' DESC' if largest else ''}"]


class Writer:
    """Writes blocks. `needed` are the columns that are read of each relation: others are never touched."""

    def __init__(self, unit: Type | None, source: Select, dialect: Dialect) -> None:
        self.unit, self.source, self.dialect = unit, source, dialect
        self.needed: dict[str, dict[str, Type]] = {}

    def note(self, expressions: Iterable[Expression]) -> None:
        """Note which columns expressions read."""
        for expression in expressions:
            for column in find_columns(expression):
                self.needed.setdefault(column.relation, {})[column.name] = get_stored_type(column)

    def block(self, block: Block, columns: list[tuple[str, str]]) -> str:
        """Return a SELECT of the unit and of these (expression, name), over a block's rows."""
        first = self.dialect.quote_name(block.source.relation)
        tables = [f"{self.relation(block.source)} AS {first}"]
        conditions = []
        for join in block.joins:
            if isinstance(join, Lookup):
                tables.append(self._lookup(join))
            elif isinstance(join, Match):
                tables.append(self._match(join, first))
            else:
                conditions.append(self._among(join, first))
        if block.where is not None:
            conditions.append(self.dialect.write_sql(block.where))
        listed = [f"{expression} AS {name}" for expression, name in columns]
        if self.unit:
            listed.insert(0, f"{first}.{UNIT} AS {UNIT}")
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        return f"SELECT {', '.join(listed) or '1'} FROM {' '.join(tables)}{where}"

    def relation(self, source: Source) -> str:
        """Return a source as a SELECT in brackets."""
        if isinstance(source, Scan):
            return f"({self._scan(source)})"
        if isinstance(source, Nested) and source.numbers:
            return f"({self._numbered(source)})"
        if isinstance(source, Nested):
            columns = self._outputs(source.relation, source.outputs, None)
            return f"({self.block(source.block, columns)})"
        if isinstance(source, Union):
            sides = [
                self.block(block, self._outputs(source.relation, each, source.types)) for block, each in source.branches
            ]
            return f"({' UNION ALL '.join(sides)})"
        return f"({self._per_unit(source)})"

    def _numbered(self, source: Nested) -> str:
        """Return rows with their numbers among those of their unit.

        Rows that tie in the order are told apart by the hash of their content, which is all that is read of them, and
        then by that itself; those that are equal in it are alike, so which of them comes first makes no difference to
        one number. With several it would: whether equal rows have 1 and 2 by one order and 1 and 2 or 2 and 1 by
        another. So they are numbered by their content first, each unit's by themselves, and then all orders tell rows
        that tie apart by that one number.
        """
        columns = self._outputs(source.relation, source.outputs, None)
        assert self.unit is not None
        wanted = [(UNIT, self.unit)]
        wanted += [(name, get_stored_type(source.outputs[int(name[1:])])) for _, name in columns]
        read = list(dict.fromkeys(each for number in source.numbers for each in number.read))
        names = {each: f"o{place}" for place, each in enumerate(read)}
        columns += [(self._one_zero(each), name) for each, name in names.items()]
        wanted += [(name, get_stored_type(each)) for each, name in names.items()]
        content = f"md5({write_values(wanted, self.dialect)}) AS __discreet_content"
        hashed = f"SELECT *, {content} FROM ({self.block(source.block, columns)}) AS q"
        apart = ["__discreet_content", *(name for name, _ in wanted)]
        if sum(number.kind is NumberKind.ROW for number in source.numbers) > 1:
            first = f"row_number() OVER (PARTITION BY {UNIT} ORDER BY {', '.join(apart)})"
            hashed, apart = f"SELECT *, {first} AS __discreet_copy FROM ({hashed}) AS q", ["__discreet_copy"]
        listed = [name for name, _ in wanted if not name.startswith("o")]
        for place, number in enumerate(source.numbers):
            by = ", ".join([UNIT, *(names[each] for each in number.partition)])
            terms = [term for each, largest, first in number.order for term in _order(names[each], largest, first)]
            terms += apart if number.kind is NumberKind.ROW else []
            window = f"{number.kind.value}() OVER (PARTITION BY {by} ORDER BY {', '.join(terms)})"
            listed.append(f"{self.dialect.bigint(window)} AS a{place}")
        return f"SELECT {', '.join(listed)} FROM ({hashed}) AS q"

    def _outputs(
        self, relation: str, outputs: tuple[Expression, ...], types: tuple[Type, ...] | None
    ) -> list[tuple[str, str]]:
        """Return the columns c0, c1, ... that are needed; of a union, each in the type that all its sides have."""
        found = []
        for place, each in enumerate(outputs):
            if f"c{place}" in self.needed.get(relation, ()):
                kind = types[place] if types is not None else each.type
                value = self.dialect.write_sql(each)
                if types is not None:
                    whole = kind in (Type.INTEGER, Type.DECIMAL)
                    value = self.dialect.whole(value) if whole else self.dialect.typed(value, kind)
                found.append((value, f"c{place}"))
        return found

    def _scan(self, scan: Scan) -> str:
        """Return a table's rows that have a unit; where the unit keeps only some, those with the least hash of content.

        Likewise for each value of a key one row is kept before; NULL is no value. Contents of one hash, which somebody
        could make up, are told apart by their columns; rows that are equal in all of these are alike, so which of them
        is kept makes no difference.
        """
        types = self.needed.get(scan.relation, {}) | {each.name: get_stored_type(each) for each in scan.content}
        select = self.source(scan.table, frozenset(types))
        if self.unit is None:
            return select
        kept = f"SELECT * FROM ({select}) AS q WHERE {UNIT} IS NOT NULL"
        if scan.rows is None and not scan.unique:
            return kept
        wanted = [(UNIT, self.unit), *((self.dialect.quote_name(name), types[name]) for name in sorted(types))]
        columns = ", ".join(name for name, _ in wanted)
        hashed = f"SELECT *, md5({write_values(wanted, self.dialect)}) AS __discreet_content FROM ({kept}) AS q"
        order = f"ORDER BY __discreet_content, {columns}"
        for key in scan.unique:
            hashed = self._keep_one(hashed, [self.dialect.quote_name(name) for name in key], order, columns)
        if scan.rows is None:
            return f"SELECT {columns} FROM ({hashed}) AS q"
        ranked = f"SELECT *, row_number() OVER (PARTITION BY {UNIT} {order}) AS __discreet_rank FROM ({hashed}) AS q"
        return f"SELECT {columns} FROM ({ranked}) AS q WHERE __discreet_rank <= {scan.rows}"

    def _keep_one(self, rows: str, key: list[str], order: str, columns: str) -> str:
        """Return the rows without those that have the unit and the key of one before them; NULL equals nothing."""
        number = f"row_number() OVER (PARTITION BY {', '.join([UNIT, *key])} {order})"
        numbered = f"SELECT *, {number} AS __discreet_copy FROM ({rows}) AS q"
        missing = " OR ".join(f"{name} IS NULL" for name in key)
        kept = f"SELECT * FROM ({numbered}) AS q WHERE __discreet_copy = 1 OR {missing}"
        return f"SELECT {columns}, __discreet_content FROM ({kept}) AS q"

    def _lookup(self, join: Lookup) -> str:
        """Return the join to a public table.

        Rows without a unit cannot be cut afterwards, so the fan-out that was charged is enforced here: the public table
        may have grown since.
        """
        quoted, sql = self.dialect.quote_name, self.dialect.write_sql
        name = quoted(join.relation)
        wanted = frozenset({*self.needed.get(join.relation, {}), *(column for _, column in join.on)})
        on = " AND ".join(f"{sql(mine)} = {name}.{quoted(column)}" for mine, column in join.on)
        select = self.source(join.table, wanted)
        if self.unit is None:
            columns = ", ".join(quoted(column) for _, column in join.on)
            rank = f"row_number() OVER (PARTITION BY {columns} ORDER BY {columns})"
            ranked = f"SELECT *, {rank} AS __discreet_rank FROM ({select}) AS q"
            select = f"SELECT * FROM ({ranked}) AS q WHERE __discreet_rank <= {join.fan_out}"
        return f"{'LEFT JOIN' if join.keep else 'JOIN'} ({select}) AS {name} ON {on}"

    def _match(self, join: Match, first: str) -> str:
        name = self.dialect.quote_name(join.source.relation)
        equal = (self.dialect.write_sql(Call("eq", pair, Type.BOOLEAN)) for pair in join.on)
        on = [f"{first}.{UNIT} = {name}.{UNIT}", *equal]
        return f"{'LEFT JOIN' if join.keep else 'JOIN'} {self.relation(join.source)} AS {name} ON {' AND '.join(on)}"

    def _among(self, join: UnitCondition, first: str) -> str:
        """Return whether the unit is among those of a block, which are never NULL."""
        among = f"SELECT 1 FROM ({self.block(join.block, [])}) AS a WHERE a.{UNIT} = {first}.{UNIT}"
        return f"{'NOT EXISTS' if join.anti else 'EXISTS'} ({among})"

    def _per_unit(self, source: PerUnit) -> str:
        """Return one row for each unit and key."""
        wanted = self.needed.get(source.relation, {})
        first = [(self._one_zero(each), f"k{place}") for place, each in enumerate(source.keys)]
        inner = self.block(source.block, [*first, *self._arguments(source, wanted)])
        keys = [UNIT, *(name for _, name in first)]
        listed = [*keys]
        for place, each in enumerate(source.aggregates):
            if f"a{place}" in wanted:
                listed.append(f"{self._inside(each, place)} AS a{place}")
        return f"SELECT {', '.join(listed)} FROM ({inner}) AS q GROUP BY {', '.join(keys)}"

    def _arguments(self, source: PerUnit, wanted: Mapping[str, Type]) -> list[tuple[str, str]]:
        """Return what is aggregated: grid points for sums, so that their order cannot matter, and values otherwise."""
        found = []
        for place, each in enumerate(source.aggregates):
            if each.argument is None or f"a{place}" not in wanted:
                continue
            value = self._one_zero(each.argument)
            if each.argument.type is Type.FLOAT:
                value = f"(CASE WHEN {self.dialect.is_nan(self.dialect.double(value))} THEN NULL ELSE {value} END)"
            if each.kind in (*INNER_SUMS, *INNER_MEANS):
                assert each.grid is not None
                at = write_place(each.argument, each.grid, self.dialect, value)
                value = f"(CASE WHEN {value} IS NULL THEN NULL ELSE {at} END)"
            found.append((value, f"x{place}"))
        return found

    def _inside(self, each: InnerAggregate, place: int) -> str:
        name, dialect = f"x{place}", self.dialect
        if each.kind is InnerKind.ROWS:
            return "count(*)"
        if each.kind is InnerKind.VALUES:
            return f"count({name})"
        if each.kind is InnerKind.DISTINCT:
            return f"count(DISTINCT {name})"
        if each.kind in (InnerKind.LEAST, InnerKind.GREATEST):
            return f"{'min' if each.kind is InnerKind.LEAST else 'max'}({name})"
        assert each.grid is not None
        once = each.kind in INNER_DISTINCT
        total, step = dialect.summed_once(name) if once else dialect.total(name), each.grid.step
        if each.kind in INNER_SUMS and each.type in (Type.INTEGER, Type.DECIMAL):
            assert each.argument is not None
            step *= 10 ** find_scale(each.argument)
            assert step.denominator == 1
            steps = self._held(total, -(-WIDEST // step.numerator))  # so that the product cannot overflow
            return f"(CASE WHEN count({name}) > 0 THEN {self._held(f'{steps} * {step.numerator}', WIDEST)} END)"
        count = f"count({'DISTINCT ' if once else ''}{name})" if each.kind in INNER_MEANS else None
        return self._inside_float(total, count, step)

    def _inside_float(self, total: str, count: str | None, step: Fraction) -> str:
        """Return a sum of points, or with a count their mean, as the nearest float to the whole numbers that it is of.

        Multiplying by a step such as 0.1, which is no float, would round twice, and 0.3 would not be 0.3.
        """
        dialect = self.dialect
        whole = dialect.double(total)
        if step.numerator >= 1 << 53 or step.denominator >= 1 << 53:
            whole = whole if count is None else f"({whole} / {dialect.double(f'nullif({count}, 0)')})"
            return dialect.product(whole, dialect.write_number(step))
        above = f"{whole} * {dialect.write_number(Fraction(step.numerator))}"
        below = dialect.write_number(Fraction(step.denominator))
        many = "" if count is None else f"{dialect.double(f'nullif({count}, 0)')} * "
        return f"(({above}) / ({many}{below}))"

    def _held(self, value: str, most: int) -> str:
        """Return a whole number cut at `most` on both sides; `least` and `greatest` leave NULL out on every engine."""
        low, high = (self.dialect.whole(self.dialect.text(str(end))) for end in (-most, most))
        return f"least(greatest({value}, {low}), {high})"

    def _one_zero(self, expression: Expression) -> str:
        """Return the SQL of an expression whose equal values are alike: -0.0 equals 0.0, and ATAN2 tells them apart.

        Otherwise which of them stands for a group would be a matter of the order of rows.
        """
        value = self.dialect.write_sql(expression)
        if expression.type is Type.FLOAT:
            return f"(CASE WHEN {value} = 0 THEN {self.dialect.write_number(Fraction(0))} ELSE {value} END)"
        return value
