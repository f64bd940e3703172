"""PostgreSQL's numbers for types, with their sizes, and which of them the types of answers become."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.base.types import Type

BOOL, BYTEA, CHAR, NAME, INT8, INT2, INT4, TEXT, OID = 16, 17, 18, 19, 20, 21, 23, 25, 26
FLOAT4, FLOAT8, UNKNOWN, BPCHAR, VARCHAR = 700, 701, 705, 1042, 1043
DATE, TIME, TIMESTAMP, TIMESTAMPTZ, INTERVAL, NUMERIC = 1082, 1083, 1114, 1184, 1186, 1700

SIZES = {
    BOOL: 1, CHAR: 1, NAME: 64, INT8: 8, INT2: 2, INT4: 4, OID: 4, FLOAT4: 4, FLOAT8: 8, DATE: 4, TIME: 8,
    TIMESTAMP: 8, TIMESTAMPTZ: 8, INTERVAL: 16, UNKNOWN: -2,
}  # fmt: skip
"""Bytes of a value; all others have a length of their own."""

ARRAYS = {
    1000: BOOL, 1001: BYTEA, 1002: CHAR, 1003: NAME, 1005: INT2, 1007: INT4, 1009: TEXT, 1014: BPCHAR, 1015: VARCHAR,
    1016: INT8, 1021: FLOAT4, 1022: FLOAT8, 1028: OID, 1115: TIMESTAMP, 1182: DATE, 1185: TIMESTAMPTZ, 1231: NUMERIC,
}  # fmt: skip
"""Types of arrays, and what they hold."""

ARRAY_OF = {held: array for array, held in ARRAYS.items()}
TEXTS = frozenset({TEXT, VARCHAR, BPCHAR, NAME, UNKNOWN, CHAR, 0})
WHOLE = frozenset({INT2, INT4, INT8, OID})
NUMBERS = WHOLE | {FLOAT4, FLOAT8, NUMERIC}

OF_TYPE = {
    Type.BOOLEAN: BOOL,
    Type.INTEGER: INT8,
    Type.DECIMAL: NUMERIC,
    Type.FLOAT: FLOAT8,
    Type.TEXT: TEXT,
    Type.DATE: DATE,
    Type.TIMESTAMP: TIMESTAMPTZ,
}
"""What the columns of answers are to clients."""


@dataclass(frozen=True, slots=True)
class WireColumn:
    """A column of what is sent."""

    name: str
    oid: int

    @property
    def shape(self) -> tuple[str, int, int]:
        """Its name, the number of its type, and how many bytes a value has (-1: each its own)."""
        return self.name, self.oid, SIZES.get(self.oid, -1)
