"""By which order a unit's groups are kept: a hash of the unit and the key alone, the same on every engine.

Only `+ * %` on whole numbers below 2^63 and the md5 of texts are used, which every engine has. The hash need not be
hard to invert: what bounds a unit's contribution is how many groups are kept, not which.
"""

from __future__ import annotations

from collections.abc import Sequence

from discreet.base.types import Type
from discreet.engines.dialect import Dialect

PRIME = 2**31 - 1
UNITS, KEYS, ROUNDING = 1_583_458_089, 784_588_716, 48_271
"""Factors below the prime: of a unit's number, of a key's, and of a hash where it is used a second time."""

NUMBER = "__discreet_number"
HASH = "__discreet_hash"

Typed = tuple[str, Type]
"""A column and its type."""


def write_value(value: Typed, dialect: Dialect) -> str:
    """Return a value's text after its length, so that different contents have different texts; NULL has no length."""
    text = dialect.write_canonical(*value)
    length = dialect.typed(f"length({text})", Type.TEXT)
    return f"coalesce({length} || {dialect.text(':')} || {text}, {dialect.text('null')})"


def write_values(values: Sequence[Typed], dialect: Dialect) -> str:
    """Return the texts of several values in one; joined in halves, since engines refuse deep expressions."""
    if len(values) < 2:
        return write_value(values[0], dialect) if values else dialect.text("")
    first, second = (write_values(half, dialect) for half in (values[: len(values) // 2], values[len(values) // 2 :]))
    return f"({first} || {second})"


def hash_to_number(values: Sequence[Typed], dialect: Dialect) -> str:
    """Return the first 60 bits of the md5 of these values' texts."""
    return dialect.leading_bits(f"md5({write_values(values, dialect)})")


def order_by_hash(values: Sequence[Typed], dialect: Dialect) -> str:
    """Return the hash as a text that is in order, then the values: no two different keys are tied."""
    padded = f"lpad({dialect.typed(HASH, Type.TEXT)}, 10, {dialect.text('0')})"
    return f"{padded} || {write_values(values, dialect)}"


def write_part(unit: str, parts: int, dialect: Dialect) -> str:
    """Return to which of so many parts a unit belongs, from its number: from 0 on."""
    return f"((({dialect.bigint(unit)} % {PRIME}) * {UNITS} % {PRIME} + {PRIME}) % {PRIME} % {parts})"


def mix_numbers(numbers: Sequence[str], dialect: Dialect) -> str:
    """Return one number below the prime, on either side of 0, made of whole numbers; NULL counts as 0.

    They may be of 38 digits: what is left of them is small before it is cast.
    """
    if len(numbers) < 2:
        return f"coalesce({dialect.bigint(f'({numbers[0]} % {PRIME})')}, 0)" if numbers else "0"
    halves = (numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :])
    first, second = (mix_numbers(half, dialect) for half in halves)
    return f"(({first} * {ROUNDING} + {second}) % {PRIME})"


def add_hashes(source: str, unit: str, key: str, dialect: Dialect, name: str = HASH) -> str:
    """Return the rows of a FROM clause with their hash: x^5 mod p for x = unit * U + key * K mod p.

    5 and p - 1 have no common divisor, so that x -> x^5 is a bijection: the groups of a unit with numbers 0 <= key < p
    have different hashes, and no two are tied. It is not linear: with x alone, of three groups in a row the one in the
    middle would be the first of a quarter of all units only.
    """
    unit, key = (f"({dialect.bigint(each)} % {PRIME})" for each in (unit, key))
    x = f"(({unit} * {UNITS} + {key} * {KEYS}) % {PRIME} + {PRIME}) % {PRIME}"
    first, square = f"{name}_x", f"{name}_y"
    return (
        f"SELECT *, ({square} * {square} % {PRIME}) * {first} % {PRIME} AS {name} FROM (SELECT *, "
        f"{first} * {first} % {PRIME} AS {square} FROM (SELECT *, {x} AS {first} FROM {source}{dialect.fence}) "
        f"AS q{dialect.fence}) AS q"
    )
