"""The worst values of every type, and how they lie in Arrow tables."""

from __future__ import annotations

import random
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa

from discreet.base.types import Type

NAN, INF = float("nan"), float("inf")

LISTED = ["north", "south", "icu"]
TEXTS: list[Any] = [*LISTED, "North", "", " ", "north ", "null", "NULL", "a'b", 'q"t', "é", "e\u0301", "\U0001f600"]
TEXTS += ["2020-02-29", "-1.5e3", "123", "%_", "true", "infinity", "0x10", "a\nb", "\t", "x" * 300, None]
WHOLES: list[Any] = [0, 1, 2, 3, 5, 7, 9, -1, 10, 11, 2**31, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), None]
SMALL: list[Any] = [0, 1, 2, 3, 5, 7, 9, -1, 10, 11, 127, -128, None]
FLOATS: list[Any] = [0.0, -0.0, 0.5, 1.5, 2.25, 99.9, 12.0, 47.3, -3.0, 1 / 3, NAN, INF, -INF, 1e308, -1e308, 5e-324]
FLOATS += [2.0**53, 2.0**63, -(2.0**63), None]
DAYS: list[Any] = [0, 18262, 18263, 18266, 18271, 18321, -1, -719162, -719163, 2932896, 2932897, 106751991, 2**31 - 2]
DAYS += [-(2**31) + 2, 2**31 - 1, -(2**31) + 1, None]
"""Days since 1970: the first days of 2020, the ends of Python's calendar, of times' and of dates', and infinity."""

NOW = 1_577_836_800_000_000
MOMENTS: list[Any] = [0, -1, NOW, NOW + 1, NOW + 3_600_000_000, NOW + 90_000_000_000, 253402300799999999]
MOMENTS += [
    253402300800000000,
    -62135596800000000,
    -62135596800000001,
    2**63 - 1,
    -(2**63) + 1,
    2**63 - 2,
    -(2**63) + 2,
    -(2**63),
    None,
]
SECONDS: list[Any] = [
    0,
    -1,
    NOW // 10**6,
    NOW // 10**6 + 3600,
    253402300799,
    253402300800,
    -62135596801,
    2**62,
    -(2**63),
    None,
]
PRICES: list[Any] = [Decimal(each) for each in ("0", "0.01", "-0.5", "1.25", "99.9900", "12", "123456789.1234")]
TRUTHS: list[Any] = [True, False, None]


@dataclass(frozen=True)
class Kind:
    """A physical type of a column: the type that a policy calls it, and values that it can hold."""

    arrow: Any
    type: Type
    pool: list[Any]

    def array(self, values: list[Any]) -> Any:
        return pa.array(values, self.arrow)


KINDS: dict[str, list[Kind]] = {
    "whole": [
        Kind(pa.int64(), Type.INTEGER, WHOLES),
        Kind(pa.int64(), Type.INTEGER, WHOLES),
        Kind(pa.int8(), Type.INTEGER, SMALL),
        Kind(pa.uint32(), Type.INTEGER, [0, 1, 2, 7, 2**32 - 1, None]),
    ],
    "float": [
        Kind(pa.float64(), Type.FLOAT, FLOATS),
        Kind(pa.float64(), Type.FLOAT, FLOATS),
        Kind(pa.float32(), Type.FLOAT, [0.0, -0.0, 0.5, 12.25, NAN, INF, -INF, 3e38, None]),
    ],
    "decimal": [
        Kind(pa.decimal128(18, 4), Type.DECIMAL, [*PRICES, None, Decimal("9" * 14), Decimal("-99999999999999.9999")]),
        Kind(pa.decimal128(38, 0), Type.DECIMAL, [Decimal(0), Decimal(5), Decimal("9" * 38), Decimal("-" + "9" * 38)]),
        Kind(pa.uint64(), Type.DECIMAL, [0, 1, 30, 2**53 + 1, 2**64 - 1, None]),
    ],
    "text": [Kind(pa.string(), Type.TEXT, TEXTS), Kind(pa.large_string(), Type.TEXT, TEXTS)],
    "truth": [Kind(pa.bool_(), Type.BOOLEAN, TRUTHS)],
    "day": [Kind(pa.date32(), Type.DATE, DAYS)],
    "moment": [
        Kind(pa.timestamp("us"), Type.TIMESTAMP, MOMENTS),
        Kind(pa.timestamp("us", tz="Asia/Tokyo"), Type.TIMESTAMP, MOMENTS),
        Kind(pa.timestamp("s"), Type.TIMESTAMP, SECONDS),
        Kind(pa.timestamp("ms", tz="UTC"), Type.TIMESTAMP, SECONDS),
        Kind(pa.timestamp("ns"), Type.TIMESTAMP, [0, 1, NOW * 1000 + 999, 2**63 - 2, -(2**63) + 2, None]),
    ],
}

UNITS: dict[str, tuple[list[Any], list[Any]]] = {
    "whole": ([pa.int64(), pa.int64()], [1, 2, 3, 5, 8, -7, 0, 2**63 - 1, -(2**63), 2**53, 2**53 + 1]),
    "text": (
        [pa.string(), pa.large_string()],
        ["a", "a ", "A", "", "null", "é", "e\u0301", "b'", '"', "0", "\U0001f600"],
    ),
    "day": ([pa.date32(), pa.date32()], [0, 1, -1, 18321, 2**31 - 2, 2**31 - 1, -(2**31) + 1, -719163, 2932897, 5]),
    "decimal": (
        [pa.decimal128(38, 2), pa.decimal128(20, 10)],
        [Decimal(each) for each in ("0", "1", "1.5", "-1", "10", "100", "0.01", "9999999999", "123456.78", "-0.5")],
    ),
    "moment": ([pa.timestamp("us"), pa.timestamp("us", tz="UTC")], [0, 1, -1, NOW, 2**63 - 1, -(2**63) + 1, NOW + 1]),
}
"""Physical types of units, by table, and who there is."""


def some(random_: random.Random, pool: list[Any], usual: list[Any], odds: float) -> Any:
    """Return a usual value, or one of the worst."""
    return random_.choice(usual) if random_.random() >= odds else random_.choice(pool)
