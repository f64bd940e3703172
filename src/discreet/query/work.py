"""A public bound on what one unit's rows can add to the time and the memory of a question.

How long an answer takes is seen by whoever asks, so no unit may decide it. Work is counted on the plan alone: the rows
that a unit can become at each step, times the steps and letters of the expressions over them (`plan.efforts`), as if
every row were the dearest that the policy allows. Above `MOST_TIME`, or where a unit's texts could take more than
`MOST_BYTES`, a question is refused before it is priced, and the message says what is dear and how to make it less.

Nothing here depends on data, so a refusal tells nothing. What is bounded is the work on the rows that the policy says a
unit has; rows beyond, which are read once before they are left out, add to it in proportion.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.bounded import Measure, Part, TableFacts
from discreet.plan.efforts import bound_letters, count_letters, count_steps
from discreet.plan.expressions import Call, Column, Expression, Literal, Reference, find_columns
from discreet.plan.functions import FUNCTIONS, HELD_COPIES, MOST_COPIED, count_nodes, may_overflow
from discreet.plan.keys import RowKey, find_keys, find_partners, keep_keys
from discreet.plan.lowering import lower
from discreet.plan.relations import (
    Block,
    Join,
    Lookup,
    Match,
    Nested,
    PerUnit,
    Scan,
    Source,
    Union,
    find_held,
    list_expressions,
    list_scans,
    list_sources,
)
from discreet.plan.rows_plan import DeclaredPlan, RowsPlan
from discreet.plan.words import describe_expression
from discreet.policy.model import USUAL_LONGEST, EngineKind, Policy

MOST_TIME = 100_000_000
"""Nanoseconds that one unit's rows may add."""

MOST_BYTES = 1 << 25
"""Bytes that the texts of one unit may take at once, at four for a letter."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Nanoseconds of one engine for a step and for a letter."""

    step: float
    letter: float


RATES = {
    EngineKind.DUCKDB: Rates(step=1, letter=20),
    EngineKind.POSTGRES: Rates(step=7, letter=40),
    EngineKind.SPARK: Rates(step=6, letter=40),
}
"""Measured by `bench/work.py` on each engine: no case takes longer, on the slowest texts.

The long form of `tests/hostile/test_clock.py` times all three.
"""

ROW = 250
"""Steps for a row that is read, joined or grouped, beside its expressions."""

BATCH = 2_048
"""Rows of which an engine holds what it computes at once, where nothing is grouped or sorted."""

JOINED = 32
"""Every so many letters of a row count where it is joined: its texts are copied as a whole."""

WRITTEN = 2
"""How often a measure's argument stands in a statement: once to see whether it is NULL."""

SORTED = 4
"""How often a letter counts of a text that is hashed, sorted and compared, as a key or to be counted once."""


@dataclass(frozen=True, slots=True)
class Work:
    """What one unit's rows take at one place: steps and letters for each row, and letters of all rows held at once."""

    rows: int
    steps: int
    letters: int
    held: int
    what: str

    def time(self, rates: Rates) -> float:
        """Return the nanoseconds that it takes."""
        return self.rows * (self.steps * rates.step + self.letters * rates.letter)

    @property
    def bytes(self) -> int:
        """The bytes of the texts that it holds."""
        return 4 * self.held


def check_work(plan: DeclaredPlan, policy: Policy) -> None:
    """Refuse a plan in which one unit's rows could take too long on the engine of its tables, or too much memory."""
    for kind in {policy.engine(policy.table(scan.table)).kind for scan in list_scans(plan.block)}:
        check_work_on(plan, kind)


def check_work_together(plans: Sequence[DeclaredPlan], policy: Policy) -> None:
    """Refuse plans of one answer in which one unit's rows could take too long in all: one runs after the other.

    Each by itself is refused by `check_work`; so is one that holds too much, since no two are held at once.
    """
    kinds = [policy.engine(policy.table(list_scans(plan.block)[0].table)).kind for plan in plans]
    time = sum(each.time(RATES[kind]) for plan, kind in zip(plans, kinds, strict=True) for each in list_work(plan))
    if time > MOST_TIME:
        raise QueryError(
            f"in all {len(plans)} parts of this answer together, one unit's rows could take {time / 1e6:,.0f} ms, and "
            f"{MOST_TIME // 10**6} are allowed, so that time would tell whether it is there; ask for fewer at once"
        )


def check_work_on(plan: DeclaredPlan, kind: EngineKind) -> None:
    """Refuse a plan in which one unit's rows could take too long on this engine, or too much of its memory."""
    found, rates = list_work(plan), RATES[kind]
    time, held = sum(each.time(rates) for each in found), sum(each.bytes for each in found)
    if time <= MOST_TIME and held <= MOST_BYTES:
        return
    if time > MOST_TIME:
        dearest = max(found, key=lambda each: each.time(rates))
        wrong = f"could take {time / 1e6:,.0f} ms, and {MOST_TIME // 10**6} are allowed"
    else:
        dearest = max(found, key=lambda each: each.bytes)
        wrong = f"could hold texts of {held >> 20:,} MiB, and {MOST_BYTES >> 20} are allowed"
    raise QueryError(
        f"one unit's rows {wrong}, so that time and memory would tell whether it is there. The most is for "
        f"{dearest.what}: {dearest.rows:,} rows, each {dearest.letters:,} letters and {dearest.steps:,} steps; "
        f"{_advise(dearest)}"
    )


def _advise(dearest: Work) -> str:
    advice = ["declare a smaller max_rows in the policy"]
    if dearest.letters * RATES[EngineKind.DUCKDB].letter > dearest.steps:
        advice.insert(0, "declare a shorter `longest` for its texts, call fewer functions on them")
    return f"{', '.join(advice)}, or join fewer tables or on more columns"


def list_work(plan: DeclaredPlan) -> list[Work]:
    """Return the work of one unit's rows, place by place; every set of keys is a statement of its own."""
    if isinstance(plan, RowsPlan):
        return _list_reading(plan)
    expressions = [key.expression for key in plan.keys]
    expressions += [each for measure in plan.measures for each in _arguments(measure)]
    counted = _Counter(plan.block, plan.tables, expressions)
    for chosen in plan.sets:
        rows = counted.add_block(plan.block)
        keys = [plan.keys[place].expression for place in chosen.keys]
        counted.compute(rows, keys)
        counted.sort(rows, keys)
        for measure in plan.measures:
            counted.compute(rows, _arguments(measure), times=WRITTEN)
            if measure.part in (Part.DISTINCT, Part.DISTINCT_SUM):
                counted.sort(rows, _arguments(measure))
        counted.found.append(Work(rows, ROW * (1 + len(plan.measures) // 4), 0, 0, "rows that are grouped"))
    return counted.found


def _list_reading(plan: RowsPlan) -> list[Work]:
    """Return the work of reading one unit's rows: each column is computed, hashed and compared with others."""
    expressions = [column.expression for column in plan.columns]
    counted = _Counter(plan.block, plan.tables, expressions)
    rows = counted.add_block(plan.block)
    counted.compute(rows, expressions, times=WRITTEN)
    counted.found.append(Work(rows, ROW * (1 + len(expressions)), 0, 0, "rows that are read by their unit"))
    return counted.found


def _arguments(measure: Measure) -> list[Expression]:
    return [each for each in (measure.argument, measure.other) if each is not None]


@dataclass
class _Counter:
    """Goes through a plan once and notes the work of every place."""

    block: Block
    tables: tuple[TableFacts, ...]
    expressions: list[Expression]
    """Those beside the block's own."""

    found: list[Work] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._tables: dict[str, TableFacts] = {each.table: each for each in self.tables}
        self._relations = {each.relation: each for each in list_sources(self.block)}
        self._lengths: dict[Column, int] = {}
        self._read: dict[str, set[Column]] = {}
        for column in self._list_columns():
            self._read.setdefault(column.relation, set()).add(column)

    def _list_columns(self) -> Iterator[Column]:
        """Yield every column that some expression reads."""
        for each in (*list_expressions(self.block), *self.expressions):
            yield from find_columns(each)

    def add_block(self, block: Block) -> int:
        """Note the work of a block's rows, and return how many of them a unit can have."""
        rows, carried = self._add_source(block.source), self._carry(block.source)
        keys = find_keys(block.source)
        for join in block.joins:
            rows = self._add_join(join, rows, keys)
            if isinstance(join, Lookup | Match):
                keys = keep_keys(keys, join)
                carried += self._carry(join.source if isinstance(join, Match) else join)
                self.found.append(Work(rows, ROW, -(-carried // JOINED), 0, "rows that are joined"))
        if block.where is not None:
            self.compute(rows, [block.where])
        return rows

    def _add_join(self, join: Join, rows: int, keys: tuple[RowKey, ...]) -> int:
        if isinstance(join, Lookup):
            self.compute(rows, [mine for mine, _ in join.on])
            return rows * max(join.fan_out, 1)
        if isinstance(join, Match):
            others = self._add_source(join.source)
            self.compute(rows, [mine for mine, _ in join.on])
            self.compute(others, [other for _, other in join.on])
            return find_partners(keys, join).count_rows(rows, others, join.keep)
        self.add_block(join.block)
        return rows

    def _add_source(self, source: Source) -> int:
        """Note the work of a source's rows, and return how many of them a unit can have."""
        if isinstance(source, Scan):
            facts = self._tables.get(source.table)
            rows = max(source.rows or 0, facts.rows if facts else 0, 1)
            texts = sum(letters for _, letters in facts.letters) if facts else 0
            self.found.append(Work(rows, ROW, -(-texts // 4), rows * texts, f"rows of {source.table} that are read"))
            for key in source.unique:
                names = [letters for name, letters in (facts.letters if facts else ()) if name in key]
                self.found.append(Work(rows, ROW, SORTED * sum(names), 0, f"one row of {source.table} for each key"))
            self._add_path(source)
            return source.rows or rows
        if isinstance(source, Nested):
            rows = self.add_block(source.block)
            self.compute(rows, source.outputs)
            for number in source.numbers:  # sorted by what is read of them, and that is hashed
                self.compute(rows, number.read)
                self.sort(rows, [*number.read, *self._read.get(source.relation, ())])
            if len(source.numbers) > 1:  # by all of it first, so that equal rows have one order
                read = [each for number in source.numbers for each in number.read]
                self.sort(rows, [*dict.fromkeys(read), *self._read.get(source.relation, ())])
            return rows
        if isinstance(source, Union):
            total = 0
            for block, outputs in source.branches:
                rows = self.add_block(block)
                self.compute(rows, outputs)
                total += rows
            return total
        rows = self.add_block(source.block)
        inside = [each.argument for each in source.aggregates if each.argument is not None]
        self.compute(rows, source.keys)
        self.compute(rows, inside, times=WRITTEN)
        self.sort(rows, [*source.keys, *inside])
        self.found.append(Work(rows, ROW, 0, 0, "rows that are grouped"))
        return rows if source.keys else 1

    def _add_path(self, scan: Scan) -> None:
        """Note the work of the tables through which rows reach their units: all of a unit's rows there are read."""
        for table in scan.through:
            facts = self._tables.get(table)
            rows = max(facts.rows if facts else 0, 1)
            texts = sum(letters for _, letters in facts.letters) if facts else 0
            self.found.append(Work(rows, 2 * ROW, texts, rows * texts, f"rows of {table}, to which {scan.table} leads"))

    def _carry(self, source: Source | Lookup) -> int:
        """Return the letters of a source's texts that are read."""
        return sum(self.measure(each) for each in self._read.get(source.relation, ()) if each.type is Type.TEXT)

    def compute(self, rows: int, expressions: Iterable[Expression], times: int = 1) -> None:
        """Note the work of expressions over so many rows."""
        for expression in expressions:
            seen: dict[int, int] = {}
            word = describe_expression(expression, self.block)
            for made, copies in _list_calls(lower(expression), {}, times):
                given = [self.measure(argument, seen) for argument in made.arguments]
                result = self.measure(made, seen)
                steps, letters = count_steps(made.function), count_letters(made, given, result)
                what = f"{FUNCTIONS[made.function].word} in {word}"
                self.found.append(Work(rows, copies * steps, copies * letters, min(rows, BATCH) * result, what))

    def sort(self, rows: int, expressions: Iterable[Expression]) -> None:
        """Note the work of expressions by which rows are grouped, hashed or counted once."""
        for expression in expressions:
            letters = self.measure(expression)
            word = f"grouping by {describe_expression(expression, self.block)}"
            self.found.append(Work(rows, ROW, SORTED * letters, rows * letters, word))

    def measure(self, expression: Expression, seen: dict[int, int] | None = None) -> int:
        """Return how many letters a text has at most; 0 for everything else."""
        if expression.type is not Type.TEXT:
            return 0
        if isinstance(expression, Literal):
            return len(expression.value) if isinstance(expression.value, str) else 0
        if isinstance(expression, Column):
            if expression not in self._lengths:
                self._lengths[expression] = self._measure_column(expression)
            return self._lengths[expression]
        seen = {} if seen is None else seen
        if id(expression) not in seen:
            given = [self.measure(argument, seen) for argument in expression.arguments]
            seen[id(expression)] = bound_letters(expression, given)
        return seen[id(expression)]

    def _measure_column(self, column: Column) -> int:
        source = self._relations.get(column.relation)
        if isinstance(source, Scan | Lookup):
            facts = self._tables.get(source.table)
            return dict(facts.letters).get(column.name, USUAL_LONGEST) if facts else USUAL_LONGEST
        if source is None or not isinstance(column, Reference):
            return USUAL_LONGEST
        held = find_held(source, column)
        if not held and isinstance(source, PerUnit):
            argument = source.aggregates[column.index].argument
            held = () if argument is None else (argument,)
        return max((self.measure(each) for each in held), default=0)


def _list_calls(expression: Expression, sizes: dict[int, int], times: int = 1) -> Iterator[tuple[Call, int]]:
    """Yield every call of an expression, with how often an engine may compute it: forms write short arguments again."""
    if isinstance(expression, Call):
        yield expression, times
        copies = max(FUNCTIONS[expression.function].copies, HELD_COPIES if may_overflow(expression) else 1)
        for argument in expression.arguments:
            short = count_nodes(argument, sizes) <= MOST_COPIED
            yield from _list_calls(argument, sizes, times * copies if short else times)
