"""Which types the parameters of a statement have, where the client does not say: from what stands beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from discreet.base.types import Type
from discreet.curator.owner.tables import Tables
from discreet.policy.model import DeclaredColumn
from discreet.server.wire import oids
from discreet.server.wire.reading import read_parameter

CASTS = {
    "BOOLEAN": oids.BOOL, "SMALLINT": oids.INT2, "INT": oids.INT4, "BIGINT": oids.INT8, "INT128": oids.NUMERIC,
    "FLOAT": oids.FLOAT4, "DOUBLE": oids.FLOAT8, "DECIMAL": oids.NUMERIC, "TEXT": oids.TEXT, "VARCHAR": oids.VARCHAR,
    "DATE": oids.DATE, "TIMESTAMP": oids.TIMESTAMP, "TIMESTAMPTZ": oids.TIMESTAMPTZ, "CHAR": oids.BPCHAR,
    "NAME": oids.NAME, "OID": oids.OID, "UINTEGER": oids.OID, "UINT": oids.OID,
}  # fmt: skip
"""What casts to a type ask for."""

SAMPLES: dict[int, object] = {
    oids.BOOL: True, oids.INT2: 1, oids.INT4: 1, oids.INT8: 1, oids.OID: 1, oids.FLOAT4: 0.5, oids.FLOAT8: 0.5,
    oids.NUMERIC: 1, oids.DATE: date(2000, 1, 1), oids.TIMESTAMP: datetime(2000, 1, 1, tzinfo=UTC),
    oids.TIMESTAMPTZ: datetime(2000, 1, 1, tzinfo=UTC),
}  # fmt: skip
"""Values that stand for a parameter while only the columns of an answer are asked for."""


def infer_types(tree: exp.Expr, count: int, declared: Sequence[int], tables: Tables) -> tuple[int, ...]:
    """Return the types of `$1`, `$2`, ...: as the client declares them, else by the column or cast beside each.

    What stands beside nothing that has a type is a text, as in PostgreSQL.
    """
    found = dict.fromkeys(range(1, max(count, len(declared)) + 1), 0)
    for place, oid in enumerate(declared, 1):
        found[place] = 0 if oid == oids.UNKNOWN else oid
    for number, node in _list_parameters(tree):
        if not found.get(number):
            found[number] = _find_oid(node, tables)
    return tuple(found[place] or oids.TEXT for place in sorted(found))


def choose_samples(tree: exp.Expr, types: Sequence[int], tables: Tables) -> dict[str, object]:
    """Return public values to describe a question with: a declared one of the column beside, or any of the type."""
    chosen: dict[str, object] = {str(at): SAMPLES.get(oid, "") for at, oid in enumerate(types, 1)}
    for number, node in _list_parameters(tree):
        column = _find_column(_find_partner(node), tables)
        if (
            column is not None
            and number <= len(types)
            and oids.OF_TYPE.get(column.type or Type.TEXT) == types[number - 1]
        ):
            sample = column.values[0] if column.values else column.lower
            chosen[str(number)] = _plain(sample, column) if sample is not None else chosen[str(number)]
    used = {str(number) for number, _ in _list_parameters(tree)}
    return {name: value for name, value in chosen.items() if name in used}


def name_values(values: Sequence[object], tree: exp.Expr) -> dict[str, object]:
    """Return the values of parameters by their names, as questions know them; only those that are used."""
    used = {str(number) for number, _ in _list_parameters(tree)}
    return {str(at): _simplify(value) for at, value in enumerate(values, 1) if str(at) in used}


def _simplify(value: object) -> object:
    """Return a number of a question: whole where it is, as its nearest float where no other form is read."""
    if isinstance(value, Decimal) and value.is_finite():
        return int(value) if value == value.to_integral_value() else float(value)
    return value


def _plain(sample: object, column: DeclaredColumn) -> object:
    if isinstance(sample, Fraction):
        return int(sample) if sample.denominator == 1 else float(sample)
    return sample


def _list_parameters(tree: exp.Expr) -> list[tuple[int, exp.Expr]]:
    found = [(read_parameter(node), node) for node in tree.find_all(exp.Placeholder, exp.Parameter)]
    return [(int(name), node) for name, node in found if name.isdigit()]


def _find_partner(node: exp.Expr) -> exp.Expr | None:
    """Return what a parameter is compared with, or added to."""
    parent = node.parent
    while isinstance(parent, exp.Paren | exp.Neg | exp.Tuple):
        node, parent = parent, parent.parent
    if isinstance(parent, exp.Between | exp.In):
        compared: exp.Expr = parent.this
        return compared
    if isinstance(parent, exp.Binary):
        return parent.right if parent.left is node else parent.left
    return None


def _find_oid(node: exp.Expr, tables: Tables) -> int:
    parent = node.parent
    if isinstance(parent, exp.Cast):
        name = parent.to.this.name if isinstance(parent.to.this, exp.DataType.Type) else ""
        if name == "ARRAY":
            inner = parent.to.expressions[0].this.name if parent.to.expressions else ""
            return oids.ARRAY_OF.get(CASTS.get(inner, oids.TEXT), 1009)
        return CASTS.get(name, oids.TEXT)
    if isinstance(parent, exp.Like | exp.ILike | exp.RegexpLike):
        return oids.TEXT
    if isinstance(parent, exp.Limit | exp.Offset):
        return oids.INT8
    outer = parent.parent if isinstance(parent, exp.Paren) else parent
    if isinstance(outer, exp.Any | exp.All) or (
        isinstance(outer, exp.Anonymous) and outer.name.lower() in ("any", "all")
    ):
        return oids.ARRAY_OF[oids.TEXT]
    partner = _find_partner(node)
    column = _find_column(partner, tables)
    if column is not None and column.type is not None:
        return oids.OF_TYPE[column.type]
    if isinstance(partner, exp.Literal):
        return oids.TEXT if partner.is_string else oids.INT8 if partner.name.isdigit() else oids.FLOAT8
    if isinstance(partner, exp.Cast) and isinstance(partner.to.this, exp.DataType.Type):
        return CASTS.get(partner.to.this.name, oids.TEXT)
    if isinstance(partner, exp.Count):
        return oids.INT8
    if isinstance(partner, exp.AggFunc):
        return oids.FLOAT8
    return CATALOG_OIDS.get(partner.name.lower(), oids.TEXT) if isinstance(partner, exp.Column) else oids.TEXT


CATALOG_OIDS: Mapping[str, int] = {
    **dict.fromkeys(
        ("oid", "attrelid", "relnamespace", "typelem", "typarray", "indrelid", "conrelid", "atttypid"), oids.OID
    ),
    "attnum": oids.INT2,
}
"""Columns of the catalog that clients compare parameters with, and that hold no text."""


def _find_column(node: exp.Expr | None, tables: Tables) -> DeclaredColumn | None:
    """Return the column of that name; of several tables with one, the first whose type the others share."""
    if not isinstance(node, exp.Column):
        return None
    found = [column for resolved in tables if (column := resolved.column(node.name)) is not None]
    return found[0] if found and len({column.type for column in found}) == 1 else None


def fill_samples(tree: exp.Expr, types: Sequence[int]) -> exp.Expr:
    """Return a look-up with a value of the right type for each of its parameters, to see its columns."""

    def fill(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Placeholder | exp.Parameter):
            return node
        place = int(read_parameter(node) or 0)
        oid = types[place - 1] if 0 < place <= len(types) else oids.TEXT
        kind, sample = LOOK_UP_SAMPLES.get(oids.ARRAYS.get(oid, oid), ("VARCHAR", exp.Literal.string("")))
        if oid in oids.ARRAYS:
            return exp.Cast(this=exp.Array(expressions=[]), to=exp.DataType.build(f"{kind}[]", dialect="duckdb"))
        return exp.Cast(this=sample.copy(), to=exp.DataType.build(kind, dialect="duckdb"))

    return tree.transform(fill)


_ZERO, _DAY = exp.Literal.number(0), exp.Literal.string("2000-01-01")
LOOK_UP_SAMPLES: dict[int, tuple[str, exp.Expr]] = {
    oids.INT2: ("SMALLINT", _ZERO), oids.INT4: ("INT", _ZERO), oids.INT8: ("BIGINT", _ZERO),
    oids.OID: ("UINTEGER", _ZERO), oids.BOOL: ("BOOLEAN", _ZERO), oids.FLOAT8: ("DOUBLE", _ZERO),
    oids.FLOAT4: ("REAL", _ZERO), oids.NUMERIC: ("DECIMAL(38,9)", _ZERO), oids.DATE: ("DATE", _DAY),
    oids.TIMESTAMP: ("TIMESTAMP", _DAY), oids.TIMESTAMPTZ: ("TIMESTAMP", _DAY),
}  # fmt: skip
"""What stands for a parameter of a look-up."""
