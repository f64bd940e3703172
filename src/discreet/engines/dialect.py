"""How an engine writes SQL: all in which the statements of a bounded plan differ from one engine to the next.

The statements themselves (`rows`, `contributions`, `keeping` and what it uses) are the same text on every engine but
for what a `Dialect` writes. So each rule about what a unit keeps stands once, and the same numbers come out of all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.base.types import Type
from discreet.engines.shapes import Form
from discreet.plan.expressions import Call, Column, Constant, Expression

UNIT = "__discreet_unit"
"""The column of a source that says whose row it is. Names of this kind need no quotes, and policies refuse them."""

LOW, HALVED = 1 << 15, 1 << 30
"""Where whole numbers are cut in two halves, and which are small enough for it."""

_FLOAT = Column("", "", Type.FLOAT)


@dataclass(frozen=True, slots=True)
class Dialect:
    """One engine's SQL. Every function takes and returns SQL, and is total: no value in a row makes it raise."""

    types: Mapping[Type, str]
    """What columns are where they are read; decimals are whole numbers of last places, or else the nearest floats."""

    wide: str
    """The type of whole numbers of 38 digits."""

    once: str
    """The word in `WITH x AS ... (SELECT ...)` that keeps x from being run twice; empty where there is none."""

    forms: Mapping[str, Form]
    """The total form of every allowed function."""

    write_sql: Callable[[Expression], str]
    """An expression over one row."""

    quote_name: Callable[[str], str]
    """A name as an identifier, whatever it holds."""

    write_constant: Callable[[object, Type], str]
    """A constant of a type."""

    write_number: Callable[[Fraction], str]
    """A float constant: the nearest one."""

    is_nan: Callable[[str], str]
    """Whether a float is NaN."""

    write_canonical: Callable[[str, Type], str]
    """A value's canonical text, letter by letter the same on every engine, and different for different values.

    Whole numbers are written in decimal, dates as in ISO 8601, points in time as microseconds since 1970, floats as the
    whole number with their 64 bits (NaN is one value; -0.0 is not 0.0), text as it is.
    """

    leading_bits: Callable[[str], str]
    """The first 15 digits of a hexadecimal text, as a whole number of 60 bits."""

    quotient: Callable[[str, str], str]
    """a / b for whole numbers of which b > 0, and a >= 0 or a multiple of b: rounded down."""

    total: Callable[[str], str]
    """The sum of whole numbers of 63 bits over the rows of a group, in the wide type."""

    halves: Callable[[str], tuple[str, str]] | None = None
    """The sums, in 64 bits, of x // 2^15 and of x mod 2^15 over the rows of a group, for whole numbers x.

    Where an engine adds 64 bits up much faster than the wide type. Each part is below 2^15 for |x| < 2^30, so that
    their sums over 2^48 rows fit.
    """

    sends_rows: bool = False
    """Whether rows travel to the desk as fast as their counts: where cells are many, these are counted there."""

    heavy_first: bool = False
    """Whether units that may be over a limit are found first, where an engine joins faster than it sorts all groups."""

    tame: Callable[[str, Fraction], str] = lambda value, most: value
    """A float that the engine can subtract, multiply and divide by public numbers without raising.

    Those beyond `most` may be held there, and those nearer to 0 than 1e-290 may become 0.
    """

    fence: str = ""
    """What ends a subquery whose columns are computed once, where an engine would write them out at every use."""

    longest: int | None = None
    """How many letters of SQL the rows of a question may take, domains not counted; planning takes too long beyond."""

    domain: Callable[[Sequence[Constant], Type], str] | None = None
    """A table of the values of a domain and their places, where an engine is slow at VALUES (...), (...), ..."""

    parts: int = 1
    """In how many parts units are numbered, each in a window of its own: more where one for all would be one task."""

    def summed(self, value: str, reach: int) -> str:
        """Return the sum, in the wide type, of whole numbers of which none is beyond `reach`."""
        if self.halves is None or reach >= HALVED:
            return self.total(value)
        high, low = self.halves(value)
        return f"({self.whole(high)} * {LOW} + {low})"

    def summed_once(self, value: str) -> str:
        """Return the sum, in the wide type, of whole numbers, each that is there added once."""
        return f"sum(DISTINCT {self.whole(value)})"

    def typed(self, value: str, type_: Type) -> str:
        """Return a value cast to the type that columns have."""
        return f"CAST({value} AS {self.types[type_]})"

    def double(self, value: str) -> str:
        """Return a number as a float."""
        return self.typed(value, Type.FLOAT)

    def whole(self, value: str) -> str:
        """Return a whole number in the wide type."""
        return f"CAST({value} AS {self.wide})"

    def whole_constant(self, value: int) -> str:
        """Return a constant whole number: plain digits where 64 bits hold it, so that columns need no cast."""
        return str(value) if abs(value) < 1 << 63 else self.write_constant(value, Type.INTEGER)

    def bigint(self, value: str) -> str:
        """Return a whole number in 64 bits, into which it must fit."""
        return self.typed(value, Type.INTEGER)

    def text(self, value: str) -> str:
        """Return a text constant."""
        return self.write_constant(value, Type.TEXT)

    def product(self, first: str, second: str) -> str:
        """Return the product of two floats, whatever they are."""
        return self.forms["mul"]([first, second], Call("mul", (_FLOAT, _FLOAT), Type.FLOAT))
