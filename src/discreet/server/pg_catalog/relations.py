"""The shape of PostgreSQL 15's catalog: its relations with their columns, and its types. Facts, read from two files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import pyarrow as pa

PG_CATALOG, PUBLIC, TOAST = 11, 2200, 99

ARROW = {
    "oid": pa.uint32(), "xid": pa.uint32(), "bool": pa.bool_(), "int2": pa.int16(), "int4": pa.int32(),
    "int8": pa.int64(), "cardinal_number": pa.int32(), "float4": pa.float32(), "float8": pa.float64(),
    "timestamptz": pa.timestamp("us"), "time_stamp": pa.timestamp("us"), "_oid": pa.list_(pa.uint32()),
    "oidvector": pa.list_(pa.uint32()), "int2vector": pa.list_(pa.int16()), "_int2": pa.list_(pa.int16()),
    "_bool": pa.list_(pa.bool_()), "_float4": pa.list_(pa.float32()), "_float8": pa.list_(pa.float64()),
    "interval": pa.string(), "numeric": pa.decimal128(38, 0),
}  # fmt: skip
"""What holds the values of a type; all others are texts, or lists of texts."""


@dataclass(frozen=True, slots=True)
class SystemRelation:
    """A table or view of the catalog: its number, and the columns with their types."""

    schema: str
    name: str
    oid: int
    kind: str
    row_type: int
    columns: tuple[tuple[str, str, bool], ...]
    """Name, type, and whether it is never NULL."""

    @property
    def arrow(self) -> pa.Schema:
        """The types in which rows are kept."""
        return pa.schema([(name, find_arrow(kind)) for name, kind, _ in self.columns])


@dataclass(frozen=True, slots=True)
class CatalogType:
    """A type, in the words of pg_type's columns."""

    values: dict[str, object]

    @property
    def oid(self) -> int:
        """Its number."""
        return int(str(self.values["oid"]))


def find_arrow(kind: str) -> pa.DataType:
    """Return what holds values of a type."""
    if kind in ARROW:
        return ARROW[kind]
    return pa.list_(pa.string()) if kind.startswith("_") or kind == "anyarray" else pa.string()


@cache
def list_relations() -> dict[str, SystemRelation]:
    """Return all relations by schema and name."""
    found = {}
    for line in _read("relations.txt"):
        schema, name, oid, kind, row_type, *columns = line.split()
        parts = tuple((*each.rstrip("!").split(":"), each.endswith("!")) for each in columns)
        relation = SystemRelation(schema, name, int(oid), kind, int(row_type), parts)  # type: ignore[arg-type]
        found[f"{schema}.{name}"] = relation
    return found


@cache
def list_types() -> tuple[CatalogType, ...]:
    """Return the types that every database has."""
    names = [
        "oid",
        "typname",
        "typlen",
        "typbyval",
        "typtype",
        "typcategory",
        "typispreferred",
        "typdelim",
        "typrelid",
        "typsubscript",
        "typelem",
        "typarray",
        "typinput",
        "typoutput",
        "typreceive",
        "typsend",
        "typmodin",
        "typmodout",
        "typanalyze",
        "typalign",
        "typstorage",
        "typnotnull",
        "typbasetype",
        "typtypmod",
        "typndims",
        "typcollation",
        "typnamespace",
    ]
    columns = {name: kind for name, kind, _ in list_relations()["pg_catalog.pg_type"].columns}
    found = []
    for line in _read("types.txt"):
        values = {name: _read_value(word, columns[name]) for name, word in zip(names, line.split(" "), strict=True)}
        found.append(CatalogType({**values, "typowner": 10, "typisdefined": True}))
    return tuple(found)


@cache
def find_type(name: str) -> CatalogType:
    """Return the type of that name."""
    return next(each for each in list_types() if each.values["typname"] == name)


@cache
def list_procedures() -> tuple[tuple[int, str, int, tuple[int, ...]], ...]:
    """Return the functions that read and write types: number, name, type of the result, types of the arguments."""
    found = []
    for line in _read("procedures.txt"):
        oid, name, result, given = line.split(" ")
        found.append((int(oid), name, int(result), tuple(int(each) for each in given.split(",") if each)))
    return tuple(found)


def list_keywords() -> list[str]:
    """Return the words of PostgreSQL's SQL."""
    return [word for line in _read("keywords.txt") for word in line.split()]


def _read_value(word: str, kind: str) -> object:
    if kind == "bool":
        return word == "t"
    return int(word) if kind in ("oid", "int2", "int4") else word


def _read(name: str) -> list[str]:
    text = (files("discreet.server.pg_catalog") / "data" / name).read_text("utf-8")
    return [line for line in text.splitlines() if line]
