"""An answer as plain text: a table whose noisy columns read as dot plots, and below it what the answer promises."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from discreet.answers.bars import Marks, Scale, choose_marks, draw_text_bar
from discreet.answers.fields import Field
from discreet.answers.numbers import format_interval, format_value
from discreet.answers.sheet import Sheet
from discreet.answers.words import NO_ROWS, describe, to_one_line
from discreet.base import check
from discreet.base.types import Type

LEAST_WIDTH = 20
ROOM = ((None, 21), (None, 13), (32, 13), (24, 13), (16, 9), (32, 0), (16, 0), (8, 0))
"""How a table gives way to a narrow terminal: the longest text and the width of a bar, tried in this order."""


@dataclass(frozen=True, slots=True)
class _Look:
    """How wide texts and bars may be, and which characters there are."""

    longest: int | None
    bar: int
    marks: Marks
    encoding: str


def render_text(sheet: Sheet, width: int, encoding: str, most: int | None) -> str:
    """Return the answer as lines of at most `width` columns.

    A number is never cut: where the table has no room, each row is a paragraph, and a number wider than the terminal
    stands on a line of its own. Nor is the receipt, which must be copied whole.
    """
    width = max(check.integer("width", width, least=1), LEAST_WIDTH)
    marks = choose_marks(encoding)
    count = len(sheet.rows) if most is None else check.integer("rows", most, least=0)
    lines: list[str] = []
    for longest, bar in ROOM:
        lines = _table(sheet, count, _Look(longest, bar, marks, encoding))
        if all(_cells(line) <= width for line in lines):
            break
    else:
        lines = _paragraphs(sheet, count, width, _Look(None, 0, marks, encoding))
    left = len(sheet.rows) - count
    if not sheet.rows:
        lines.append(NO_ROWS)
    if left > 0:
        lines.append(f"and {left:,} more row" + ("s" if left > 1 else ""))
    lines.append("")
    for label, words in describe(sheet):
        line = to_one_line(f"{label}: {words}" if label else words, encoding)
        lines += [line] if label == "receipt" else _wrapped(line, width)
    return "\n".join(line.rstrip() for line in lines)


def _table(sheet: Sheet, count: int, look: _Look) -> list[str]:
    columns = [_column(sheet, place, field, count, look) for place, field in enumerate(sheet.fields)]
    rule = [look.marks.rule * _cells(column[0]) for column in columns]
    ruled = [[column[0], line, *column[1:]] for column, line in zip(columns, rule, strict=True)]
    return ["  ".join(parts) for parts in zip(*ruled, strict=True)]


def _column(sheet: Sheet, place: int, field: Field, count: int, look: _Look) -> list[str]:
    """Return a column's heading and cells, all of one width."""
    scale = Scale.of(sheet.rows[:count], sheet.bounds[:count], place)
    rows = list(
        zip((row[place] for row in sheet.rows[:count]), (row[place] for row in sheet.bounds[:count]), strict=True)
    )
    values = [_value(field, value, pair, look) for value, pair in rows]
    heading = _cut(to_one_line(field.name, look.encoding), look)
    right = field.type.numeric
    if field.noisy and field.type is Type.FLOAT:
        values = _pointed(values)
    beside = [format_interval(value, pair, look.marks.plus_minus) for value, pair in rows]
    if not any(beside):
        return _padded([heading, *values], right)
    values, beside = _padded(values, right), _padded(beside, right=False)
    cells = [f"{value} {words}" for value, words in zip(values, beside, strict=True)]
    if look.bar:
        bars = [draw_text_bar(value, pair, scale, look.bar, look.marks) for value, pair in rows]
        cells = [f"{cell}  {bar}" for cell, bar in zip(cells, bars, strict=True)]
    return _padded([" " * (_cells(values[0]) - _cells(heading)) + heading, *cells], right=False)


def _paragraphs(sheet: Sheet, count: int, width: int, look: _Look) -> list[str]:
    lines: list[str] = []
    for row, pairs in zip(sheet.rows[:count], sheet.bounds, strict=False):
        for field, value, pair in zip(sheet.fields, row, pairs, strict=True):
            name, words = to_one_line(field.name, look.encoding), format_interval(value, pair, look.marks.plus_minus)
            number = _value(field, value, pair, look)
            whole = f"{name}: {number} {words}".rstrip()
            whole_fits = _cells(whole) <= width
            lines += [whole] if whole_fits else [*_wrapped(f"{name}:", width), *_pieces(field, number, words, width)]
        lines.append("")
    return lines[:-1]


def _pieces(field: Field, number: str, words: str, width: int) -> list[str]:
    """Return a value and its interval on lines of their own; only text is ever broken."""
    if not field.type.numeric:
        return _wrapped(f"  {number}", width)
    both = f"  {number} {words}".rstrip()
    return [both] if _cells(both) <= width else [f"  {part}" for part in (number, words) if part]


def _value(field: Field, value: object, pair: tuple[object, object] | None, look: _Look) -> str:
    if isinstance(value, str):
        return _cut(to_one_line(value, look.encoding), look) or '""'
    return format_value(value, pair, field.noisy)  # type: ignore[arg-type]


def _pointed(values: list[str]) -> list[str]:
    """Return numbers with their points below one another, where none is in scientific notation."""
    after = [len(value) - value.index(".") if "." in value else 0 for value in values]
    if any("e" in value for value in values):
        return values
    return [value + " " * (max(after) - own) for value, own in zip(values, after, strict=True)]


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _cut(text: str, look: _Look) -> str:
    from rich.cells import set_cell_size

    if look.longest is None or _cells(text) <= look.longest:
        return text
    return set_cell_size(text, look.longest - 1) + look.marks.cut


def _padded(texts: list[str], right: bool) -> list[str]:
    width = max((_cells(text) for text in texts), default=0)
    return [" " * (width - _cells(text)) + text if right else text + " " * (width - _cells(text)) for text in texts]


def _wrapped(line: str, width: int) -> list[str]:
    """Return the line broken at words; wide characters count twice, so their lines are broken at half the length."""
    narrow = width if _cells(line) == len(line) else width // 2
    return textwrap.wrap(line, max(narrow, 8), subsequent_indent="  ", drop_whitespace=True) or [""]
