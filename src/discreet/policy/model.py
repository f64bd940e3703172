"""What an owner declared, as immutable values: every number exact, every default filled in."""

from __future__ import annotations

import glob
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from fractions import Fraction
from pathlib import Path

from discreet.base.showing import ShownAsText
from discreet.base.types import Digits, Type
from discreet.policy.problems import explain_problem, quote_value
from discreet.privacy.neighbours import Neighbours

Bound = Fraction | date
"""A bound of a column: an exact number, a date, or a datetime in UTC (which is a date to Python)."""

Value = str | int | bool | date
"""A category of a column: text, a whole number, a boolean, a date, or a datetime in UTC."""

USUAL_LONGEST, MOST_LONGEST = 1_024, 65_536
"""How many letters the texts of a column have at most where nothing is declared, and the most that can be declared.

A letter has up to four bytes, so that no text is longer than 256 KiB.
"""

LEAST_SHARE = Fraction(1, 10**6)
"""What part of the budget every question costs at least, where the owner says nothing."""

KEY_QUESTIONS = 1_000
"""How many questions with keys from the data the budget's delta is for, where the owner says nothing: half of it is for
such keys, in equal parts. A threshold on keys grows with the logarithm of this number only.
"""

LOUD_EPSILON = 20
"""A budget above this is allowed, and `warnings` says what it means."""

WHO = "say who asks with --analyst NAME, in Python with analyst=NAME"


class SourceFormat(StrEnum):
    """Where a table's rows come from."""

    PARQUET = "parquet"
    CSV = "csv"
    DUCKDB = "duckdb"
    TABLE = "table"
    """A table or view that an engine other than DuckDB knows by its name."""

    PYTHON = "python"
    """No source in the policy: the table is handed over from Python."""


class EngineKind(StrEnum):
    """What runs questions."""

    DUCKDB = "duckdb"
    SPARK = "spark"
    POSTGRES = "postgres"


DUCKDB = "duckdb"
"""The name of the engine in this process, which every policy has."""


@dataclass(frozen=True, slots=True)
class DeclaredEngine:
    """What is declared about an engine: one of `master` and `remote` for Spark, `dsn_env` for PostgreSQL."""

    name: str
    kind: EngineKind
    master: str | None = None
    remote: str | None = None
    dsn_env: str | None = None
    settings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class DeclaredColumn:
    """Public facts about a column. Bounds come in pairs, with lower < upper; a step only with numeric bounds.

    `longest` is how many letters its texts have at most: longer ones are NULL on every engine, where rows are read.
    `digits` are those of a decimal, in all and behind the point: numbers are rounded to them, and NULL where they have
    more. Of a decimal whose digits neither the policy nor the source tells, the nearest floats are read.
    """

    name: str
    type: Type | None = None
    lower: Bound | None = None
    upper: Bound | None = None
    step: Fraction | None = None
    values: tuple[Value, ...] | None = None
    longest: int | None = None
    digits: Digits | None = None

    @property
    def most_letters(self) -> int:
        """How many letters a text of it has at most: as declared, those of the longest category, or the usual number.

        >>> DeclaredColumn("ward", values=("north", "icu")).most_letters
        5
        """
        if self.longest is not None:
            return self.longest
        categories = [len(value) for value in self.values or () if isinstance(value, str)]
        return max(1, *categories) if categories else USUAL_LONGEST


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """How the rows of a table reach their units: by columns that equal those of another private table's rows.

    A row belongs to every unit that has such a row in the other table, and counts once for each of them.
    """

    table: str
    on: tuple[tuple[str, str], ...]
    """Columns of this table, and those of the other that they equal."""

    def __str__(self) -> str:
        return ", ".join(f"{mine} -> {self.table}.{theirs}" for mine, theirs in self.on)


@dataclass(frozen=True, slots=True)
class DeclaredOnline:
    """That counts of a table may be answered from earlier releases, and from a noisy histogram that is bought once.

    `columns` are those of the histogram, `epsilon` is the most that all histograms of the table may cost, and
    `confidence` where half-widths are compared: a cheaper way answers only where its own is no larger.
    """

    columns: tuple[str, ...]
    epsilon: Fraction
    confidence: Fraction = Fraction(19, 20)


@dataclass(frozen=True, slots=True)
class Table:
    """A table. A private one has either a `unit` or `rows_are_units`; a public one has neither.

    `unit` is a column of its own; with `through` it is no column, but the name that the unit has in questions.
    `unique` are keys: a unit has one row for each of their values. They are never trusted; joins that rest on one keep
    one such row. `max_rows` bounds a unit's rows in the whole table, `max_groups` and `max_rows_per_group` in one
    question. A table with a unit has the first or both others.
    """

    name: str
    source: str | None = None
    format: SourceFormat = SourceFormat.PYTHON
    database_table: str | None = None
    engine: str = DUCKDB
    public: bool = False
    unit: str | None = None
    rows_are_units: bool = False
    identifies: str | None = None
    size: int | None = None
    version: str | None = None
    max_rows: int | None = None
    max_groups: int | None = None
    max_rows_per_group: int | None = None
    min_count: int | None = None
    columns: tuple[DeclaredColumn, ...] = ()
    hidden: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    through: ForeignKey | None = None
    online: DeclaredOnline | None = None

    @property
    def whose(self) -> str:
        """Whose rows they are, in words: the unit's name, and how rows reach it where that is no column of theirs."""
        if self.public or self.unit is None:
            return "nobody" if self.public else "each row"
        return self.unit if self.through is None else f"{self.unit} (through {self.through})"

    def column(self, name: str) -> DeclaredColumn | None:
        """Return what is declared about a column, by its exact name; None where nothing is."""
        return next((column for column in self.columns if column.name == name), None)

    def most_letters(self, name: str) -> int:
        """Return how many letters a text of a column has at most."""
        return (self.column(name) or DeclaredColumn(name)).most_letters


@dataclass(frozen=True, slots=True)
class Analyst:
    """A person who asks, and the most that all their answers may cost; never more than the budget."""

    name: str
    epsilon: Fraction
    delta: Fraction
    tables: tuple[str, ...] | None = None
    """The tables and views that they may name in a question; None: all. What a view reads need not be among them."""


@dataclass(frozen=True, slots=True)
class DeclaredView:
    """A question's rows under a name: a SELECT over tables and views before it, that questions may begin with."""

    name: str
    sql: str


@dataclass(frozen=True, slots=True)
class LedgerServer:
    """A ledger on PostgreSQL: in this schema of the database whose connection string an environment variable holds."""

    dsn_env: str
    schema: str


@dataclass(frozen=True, slots=True)
class DeclaredServer:
    """What an owner says of a server: its names, its processes, and how much may be sent and spent at once."""

    hosts: tuple[str, ...] = ()
    """Names by which it is reached, beside those of this computer itself; requests for others are refused."""

    workers: int = 2
    rate: int = 120
    """Requests of one analyst in a minute."""

    login_epsilon: Fraction | None = None
    """The most that one login may spend, a brake for programs that ask by themselves; None: the analyst's own cap."""

    patience: Fraction = Fraction(1)
    """How much longer than usual answers wait for their public time, for a slow or busy machine."""

    session_hours: Fraction = Fraction(12)
    """How long a login lasts."""


@dataclass(frozen=True, slots=True, repr=False)
class Policy(ShownAsText):
    """All that an owner declared.

    Guaranteed by `load`: epsilon > 0; 0 <= question_delta <= delta < 1; where delta > 0 every private table has a size
    and delta * size <= 0.01; 0 < least_share <= 1; key_delta is above 0 and at most question_delta; no analyst's share
    is above the budget; names differ by more than their case; foreign keys lead to a private table with a unit column,
    on one engine and in no circle. `least_share` is the part of the budget that every question costs at least.
    """

    path: Path
    epsilon: Fraction
    delta: Fraction
    question_delta: Fraction
    neighbours: Neighbours = Neighbours.ADD_REMOVE
    tables: tuple[Table, ...] = ()
    analysts: tuple[Analyst, ...] = ()
    views: tuple[DeclaredView, ...] = ()
    engines: tuple[DeclaredEngine, ...] = (DeclaredEngine(DUCKDB, EngineKind.DUCKDB),)
    ledger: LedgerServer | None = None
    deadline: Fraction | None = None
    """Seconds after which nobody waits for an answer any more; the run goes on, and is counted as an overrun."""
    least_share: Fraction = LEAST_SHARE
    key_delta: Fraction | None = None
    """The delta of one question whose keys come from the data, where the owner says; at most question_delta."""

    server: DeclaredServer = DeclaredServer()

    @property
    def usual_key_delta(self) -> Fraction:
        """The delta of keys from the data in a question that names none: never more than one question may have."""
        usual = self.delta / (2 * KEY_QUESTIONS) if self.key_delta is None else self.key_delta
        return min(self.question_delta, usual)

    def table(self, name: str) -> Table:
        """Return the table of that name; as in SQL, upper and lower case are the same."""
        for table in self.tables:
            if table.name.casefold() == name.casefold():
                return table
        raise explain_problem(self.path, ("tables", name), "no such table is declared", "declare it or ask for another")

    def analyst(self, name: str | None) -> Analyst | None:
        """Return who asks. Where the policy has analysts, one of them must be named; None where it has none."""
        if name is None and not self.analysts:
            return None
        if name is None:
            raise explain_problem(self.path, ("analysts",), "this policy has analysts and none was named", WHO)
        for analyst in self.analysts:
            if analyst.name == name:
                return analyst
        raise explain_problem(
            self.path, ("analysts", name), f"{quote_value(name)} is no analyst here", "add them to the policy"
        )

    def list_path(self, table: Table) -> tuple[Table, ...]:
        """Return the tables through which the rows of a table reach their units, the one that holds these last."""
        found: list[Table] = []
        while table.through is not None:
            table = self.table(table.through.table)
            found.append(table)
        return tuple(found)

    def engine(self, table: Table) -> DeclaredEngine:
        """Return the engine that holds a table."""
        return next(engine for engine in self.engines if engine.name == table.engine)

    def __str__(self) -> str:
        delta = f", delta {float(self.delta):g}" if self.delta else ""
        lines = [f"{self.path}: epsilon {float(self.epsilon):g}{delta}, neighbours {self.neighbours}"]
        lines += [f"  {table.name}: {_describe_units(table)}" for table in self.tables]
        lines += [f"  {view.name}: a view" for view in self.views]
        return "\n".join([*lines, *(f"  analyst {analyst.name}" for analyst in self.analysts)])

    def location(self, table: Table) -> str | None:
        """Return a table's source: an address, or an absolute path or pattern (from the policy's folder)."""
        if table.source is None:
            return None
        if "://" in table.source:
            return table.source
        folder = str(self.path.parent.absolute())
        return str(Path(glob.escape(folder) if glob.has_magic(table.source) else folder) / table.source)

    def warnings(self) -> tuple[str, ...]:
        """Return what is allowed but should not surprise anybody later."""
        if self.epsilon <= LOUD_EPSILON:
            return ()
        from discreet.privacy import PureLoss
        from discreet.privacy.risk import PRIORS, assess

        belief = assess(PureLoss(float(min(self.epsilon, Fraction(700))))).belief[0]
        sure = min(99.9999, 100 * belief)
        return (
            f"{self.path}: budget.epsilon: when all of it is spent, somebody who thought it {PRIORS[0]:.0%} likely "
            f"that a person is in the data may be {sure:.4f} % sure of it; {LOUD_EPSILON} or less is usual",
        )


def _describe_units(table: Table) -> str:
    """Say whom a table's rows are about."""
    if table.public:
        return "public"
    if table.unit is None:
        return "each row is a unit"
    return f"unit {table.whose}" + ("" if table.max_rows is None else f", max_rows {table.max_rows}")
