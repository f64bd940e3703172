"""What a statement gives, before it is written into messages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from discreet.answers.fields import Field
from discreet.answers.left_out import LeftOut
from discreet.base.types import Type
from discreet.server.pg_catalog.catalog import LookedUp
from discreet.server.questions import Delivered
from discreet.server.wire import oids
from discreet.server.wire.commands import CopyOut
from discreet.server.wire.encoding import round_outwards
from discreet.server.wire.oids import WireColumn
from discreet.server.wire.settings import WireSettings

WireRow = Sequence[object]

DUCK = {
    "BOOLEAN": oids.BOOL, "TINYINT": oids.INT2, "SMALLINT": oids.INT2, "INTEGER": oids.INT4, "BIGINT": oids.INT8,
    "UTINYINT": oids.INT2, "USMALLINT": oids.INT4, "UINTEGER": oids.OID, "UBIGINT": oids.NUMERIC,
    "HUGEINT": oids.NUMERIC, "UHUGEINT": oids.NUMERIC, "FLOAT": oids.FLOAT4, "DOUBLE": oids.FLOAT8,
    "DECIMAL": oids.NUMERIC, "VARCHAR": oids.TEXT, "DATE": oids.DATE, "TIMESTAMP": oids.TIMESTAMPTZ,
    "TIMESTAMP WITH TIME ZONE": oids.TIMESTAMPTZ,
}  # fmt: skip
"""What the columns of look-ups are to clients; all others are texts."""


@dataclass(frozen=True, slots=True)
class WireOutcome:
    """Columns and rows, or none, and the tag that ends it. Notices are for people."""

    tag: str
    columns: tuple[WireColumn, ...] | None = None
    rows: Sequence[WireRow] = ()
    notices: tuple[str, ...] = ()
    copy: CopyOut | None = None
    reports: tuple[tuple[str, str], ...] = field(default=())
    """Settings that changed and that clients are told of."""


def list_columns(fields: Sequence[Field], settings: WireSettings) -> tuple[WireColumn, ...]:
    """Return the columns of an answer: with intervals, two more beside every noisy number."""
    wide = oids.NUMERIC if settings.own("integers") == "numeric" else oids.INT8
    found: list[WireColumn] = []
    taken = {each.name for each in fields}
    for each in fields:
        found.append(WireColumn(each.name, wide if each.type is Type.INTEGER else oids.OF_TYPE[each.type]))
        if settings.intervals and has_interval(each):
            for word in ("low", "high"):
                name = f"{each.name}_{word}"
                while name in taken:
                    name += "_"
                taken.add(name)
                found.append(WireColumn(name, oids.FLOAT8))
    return tuple(found)


def has_interval(each: Field) -> bool:
    """Say whether a column of an answer may have intervals."""
    return each.noisy and each.type.numeric


def show_answer(answer: Delivered, settings: WireSettings) -> WireOutcome:
    """Return an answer's rows; ends of intervals are floats, rounded outwards."""
    columns = list_columns(answer.fields, settings)
    rows: Sequence[WireRow] = answer.rows
    if settings.intervals:
        rows = [_add_intervals(answer, place) for place in range(len(answer.rows))]
    notices = (answer.guarantee, *answer.notes, _describe_left_out(answer, settings), _describe_cost(answer))
    return WireOutcome(f"SELECT {len(rows)}", columns, rows, tuple(each for each in notices if each))


def _add_intervals(answer: Delivered, place: int) -> list[object]:
    bounds = answer.bounds[place] if answer.bounds else (None,) * len(answer.fields)
    row: list[object] = []
    for each, value, pair in zip(answer.fields, answer.rows[place], bounds, strict=True):
        row.append(value)
        if has_interval(each):
            row += [None, None] if pair is None else [round_outwards(pair[0], False), round_outwards(pair[1], True)]
    return row


def _describe_left_out(answer: Delivered, settings: WireSettings) -> str:
    if answer.left_out is None:
        return ""
    words, value, width = answer.left_out
    return LeftOut(words, value, lambda confidence: width).describe(settings.terms()["confidence"])


def _describe_cost(answer: Delivered) -> str:
    paid, receipt = answer.receipt.get("paid"), answer.receipt.get("receipt")
    return f"{paid}; receipt {receipt}" if paid and receipt else ""


def show_look_up(found: LookedUp) -> WireOutcome:
    """Return the rows of a look-up."""
    columns = tuple(WireColumn(name, _find_oid(kind)) for name, kind in found.columns)
    rows = [tuple(_plain(value, column.oid) for value, column in zip(row, columns, strict=True)) for row in found.rows]
    return WireOutcome(f"SELECT {len(found.rows)}", columns, rows)


def _find_oid(kind: str) -> int:
    if kind.endswith("[]"):
        return oids.ARRAY_OF.get(_find_oid(kind[:-2]), oids.ARRAY_OF[oids.TEXT])
    return DUCK.get(re.sub(r"\(.*\)", "", kind), oids.TEXT)


def _plain(value: object, oid: int) -> object:
    return str(value) if oid == oids.TEXT and value is not None and not isinstance(value, str) else value


def show_text(name: str, lines: Sequence[str], tag: str) -> WireOutcome:
    """Return lines of text as rows of one column."""
    return WireOutcome(tag, (WireColumn(name, oids.TEXT),), [(line,) for line in lines])
