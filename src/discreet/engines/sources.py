"""Where rows come from, as far as all engines agree: each column in its type, within its public ends, and the unit."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction

from discreet.base.errors import PolicyError
from discreet.base.types import Digits, Type
from discreet.engines.dialect import UNIT, Dialect
from discreet.engines.rows import ENDS
from discreet.engines.shapes import write_within
from discreet.plan.expressions import Constant
from discreet.policy.model import Policy, Table
from discreet.policy.problems import explain_problem
from discreet.policy.schema import Resolved, check_schema


def parse_digits(kind: str) -> Digits | None:
    """Return the digits of an engine's type of decimals; None for other types.

    >>> parse_digits("DECIMAL(15,2)"), parse_digits("decimal(9,2)[]"), parse_digits("DOUBLE")
    ((15, 2), None, None)
    """
    found = re.fullmatch(r"decimal\(([0-9]+),([0-9]+)\)", kind.lower())
    return None if found is None else (int(found[1]), int(found[2]))


class TableSource(ABC):
    """One table's rows as a SELECT from `clause`: what questions see of them, whatever the source holds.

    Values that do not fit their type are NULL. So are days and times outside the years 1 to 9999, where engines have
    different calendars and Python none, and texts with more letters than the policy says. Texts are compared byte by
    byte, whatever collation they have.
    """

    clause: str

    def __init__(self, policy: Policy, table: Table, dialect: Dialect) -> None:
        self.policy, self.table, self.dialect = policy, table, dialect
        self.types: dict[str, Type] = {}
        """Types that policy and source agree on, set once the schema is checked."""
        self.digits: dict[str, Digits] = {}
        """Those of decimal columns that are read exactly; of others, the nearest floats are."""

    def resolve(self, schema: Mapping[str, Type | None]) -> Resolved:
        """Return the table with what its source says, and remember what columns are read as."""
        found = check_schema(self.policy, self.table, schema, self.read_digits())
        self.types = dict(found.source_types)
        self.digits = {column.name: column.digits for column in found.columns if column.digits is not None}
        return found

    def select(self, columns: frozenset[str], keys: Sequence[str] = ()) -> str:
        """Return a SELECT of these columns, of the unit where the table has its column, and of keys by their places.

        Keys are written like units, so that no two of them become one.
        """
        name = self.dialect.quote_name
        listed = [f"{self.write_value(each)} AS {name(each)}" for each in self.types if each in columns]
        listed += [f"{self.write_unit(each)} AS {name_key(place)}" for place, each in enumerate(keys)]
        if self.table.unit is not None and self.table.through is None:
            listed.append(f"{self.write_unit(self.table.unit)} AS {UNIT}")
        return f"SELECT {', '.join(listed) or '1'} FROM {self.clause}"

    def write_value(self, name: str) -> str:
        """Return a column in its type."""
        kind = self.types[name]
        if kind is Type.TEXT:
            return self.write_text(name, self.table.most_letters(name))
        if name in self.digits:
            return self.write_places(name, *self.digits[name])
        value = self.write_cast(name)
        if kind in ENDS:
            return write_within(value, *(self.dialect.write_constant(end, kind) for end in ENDS[kind]))
        return value

    def write_unit(self, name: str) -> str:
        """Return whose row it is; NULL for a text that is too long: no two of them become one, and the row is dropped.

        Wide numbers become texts: as floats, two units could be one. The zeros at their ends go, so that 1.0 and 1.00
        in two tables are one unit.
        """
        return self.write_decimal(name) if self.types[name] is Type.DECIMAL else self.write_value(name)

    @abstractmethod
    def write_cast(self, name: str) -> str:
        """Return a column of any type but text in the type that questions see, NULL where it does not fit."""

    @abstractmethod
    def write_places(self, name: str, digits: int, scale: int) -> str:
        """Return a column of decimals as whole numbers of their last places.

        What has more digits behind the point is rounded; what has more before it is NULL, and so is what is no number.
        """

    @abstractmethod
    def read_digits(self) -> dict[str, Digits]:
        """Return the digits of decimal columns, as far as the source tells them; its schema was read before."""

    @abstractmethod
    def write_text(self, name: str, most: int) -> str:
        """Return a column of texts that are compared byte by byte, NULL where one has more letters than `most`."""

    def count_places(self, name: str, value: Constant) -> Constant:
        """Return a value of a column as it is meant: of decimals, engines return how many last places it has."""
        return Fraction(value, 10 ** self.digits[name][1]) if name in self.digits and isinstance(value, int) else value

    @abstractmethod
    def write_decimal(self, name: str) -> str:
        """Return a column of wide numbers as texts, without zeros at the end of what stands behind the point."""

    def explain(self, key: str, wrong: str, remedy: str) -> PolicyError:
        """Return an error about one key of this table in the policy; it never quotes what the source holds."""
        return explain_problem(self.policy.path, ("tables", self.table.name, key), wrong, remedy)


def name_key(place: int) -> str:
    """Return the column of a key, by which rows of tables meet."""
    return f"__discreet_step{place}"


def write_select(
    sources: Mapping[str, TableSource], table: str, columns: frozenset[str], keys: Sequence[str] = ()
) -> str:
    """Return a SELECT of columns of a table, of keys and of the unit.

    Where the unit lies across foreign keys, a row is there once for each unit that has a row with its key in the next
    table, however many; one that no unit reaches is not there. So what a unit has here follows from the rows that it
    has there, and no unit adds or takes a row of another's.
    """
    source = sources[table]
    through = source.table.through
    if through is None:
        return source.select(columns, keys)
    mine, theirs = zip(*through.on, strict=True)
    rows = source.select(columns, (*keys, *mine))
    steps = [name_key(place) for place in range(len(theirs))]
    reached = write_select(sources, through.table, frozenset(), theirs)
    units = f"SELECT DISTINCT {UNIT}, {', '.join(steps)} FROM ({reached}) AS q WHERE {UNIT} IS NOT NULL"
    listed = [source.dialect.quote_name(each) for each in source.types if each in columns]
    listed += [name_key(place) for place in range(len(keys))]
    equal = " AND ".join(f"a.{name_key(len(keys) + place)} = b.{step}" for place, step in enumerate(steps))
    written = ", ".join([*(f"a.{each}" for each in listed), f"b.{UNIT}"])
    return f"SELECT {written} FROM ({rows}) AS a JOIN ({units}) AS b ON {equal}"
