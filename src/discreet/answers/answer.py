"""Answers: noisy values with their intervals, what they promise and the receipt of what they cost."""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.answers.accuracy import Accuracy
from discreet.answers.export import (
    choose_format,
    describe_columns,
    save_parquet,
    save_text,
    write_json,
    write_json_document,
)
from discreet.answers.fields import Bounds, Field, Number, Row, check_bounds
from discreet.answers.html import render_html
from discreet.answers.left_out import LeftOut
from discreet.answers.picture import draw_picture
from discreet.answers.receipt import Receipt
from discreet.answers.sheet import Sheet
from discreet.answers.table import AnswerTable
from discreet.answers.text import render_text
from discreet.base import check
from discreet.base.errors import DiscreetError, ParameterError
from discreet.base.rounding import float_down, float_up
from discreet.base.types import Type
from discreet.privacy.charges import Charge

CONFIDENCE = 0.95
SHOWN_ROWS = 60


def no_bounds(confidence: float, simultaneous: bool) -> tuple[Bounds, ...]:
    """Give no intervals: the bounds of an answer that has none."""
    return ()


@dataclass(frozen=True)
class Answer(AnswerTable):
    """A table of noisy values. `bounds` gives every row's intervals at a confidence, single or simultaneous.

    A single interval holds the value without noise with that probability; simultaneous ones hold all at once with it,
    so they hold for rows that were chosen by their noisy values as well. Neither covers the bias of clamping.
    """

    receipt: Receipt
    guarantee: str
    question: str = ""
    notes: tuple[str, ...] = ()
    bounds: Callable[[float, bool], tuple[Bounds, ...]] = field(default=no_bounds, compare=False, repr=False)
    accuracy: Accuracy | None = field(default=None, compare=False, repr=False)
    """How far what was chosen may fall short of the best, where rows were chosen by a score."""
    left_out: LeftOut | None = field(default=None, compare=False, repr=False)
    """What limits left out, where it was asked for."""

    @property
    def cost(self) -> Charge:
        """The price of the answer; the receipt says who bore it."""
        return self.receipt.charge

    @property
    def value(self) -> object:
        """The value of an answer with one row and one column."""
        if (len(self.rows), len(self.fields)) != (1, 1):
            raise DiscreetError(
                f"value is for answers of one row and one column; this has {len(self.rows):,} and {len(self.fields)}: "
                'write answer["name"] for a column, or iterate over the rows'
            )
        return self.rows[0][0]

    def bounds_at(self, confidence: float = CONFIDENCE, simultaneous: bool = False) -> tuple[Bounds, ...]:
        """Return every row's intervals, a pair or None per column."""
        sure = float_up(check.confidence(confidence))
        if sure >= 1:
            raise ParameterError("confidence", confidence, "a number that is below 1 as a float as well")
        return check_bounds(self.fields, self.rows, self.bounds(sure, check.flag("simultaneous", simultaneous)))

    def sheet(self, confidence: float = CONFIDENCE, simultaneous: bool = False) -> Sheet:
        """Return what is drawn or written of the answer at this confidence."""
        bounds = self.bounds_at(confidence, simultaneous)
        said = (self.receipt, self.guarantee, self.question, self.notes)
        accuracy = "" if self.accuracy is None else self.accuracy.describe(float(confidence))
        left = "" if self.left_out is None else self.left_out.describe(float(confidence))
        return Sheet(self.fields, self.rows, bounds, float(confidence), simultaneous, *said, accuracy, left)

    def intervals(self, confidence: float = CONFIDENCE, simultaneous: bool = False) -> Intervals:
        """Return the table with `name_low` and `name_high` beside every noisy number."""
        bounds = self.bounds_at(confidence, simultaneous)
        fields: list[Field] = []
        columns: list[list[object]] = []
        taken = set(self.names)
        for place, column in enumerate(self.fields):
            fields.append(column)
            columns.append([row[place] for row in self.rows])
            if column.noisy and column.type.numeric:
                pairs = [row[place] for row in bounds]
                kind = _kind(pairs, column.type)
                for side, word in enumerate(("low", "high")):
                    fields.append(Field(_free(f"{column.name}_{word}", taken), kind, True))
                    columns.append([None if pair is None else _end(pair, side, kind) for pair in pairs])
        rows: tuple[Row, ...] = tuple(zip(*columns, strict=True))
        return Intervals(tuple(fields), rows, self, float(confidence), simultaneous)

    def about(self) -> dict[str, str]:
        """Return the guarantee, the receipt, the notes and the question, as Parquet files carry them."""
        chosen = {} if self.accuracy is None else {"discreet.accuracy": write_json(self.accuracy.to_dict(CONFIDENCE))}
        left = {} if self.left_out is None else {"discreet.left_out": write_json(self.left_out.to_dict(CONFIDENCE))}
        return {
            **chosen,
            **left,
            "discreet.guarantee": self.guarantee,
            "discreet.receipt": write_json(self.receipt.to_dict()),
            "discreet.notes": write_json(self.notes),
            "discreet.question": self.question,
        }

    def text(
        self,
        width: int | None = None,
        confidence: float = CONFIDENCE,
        simultaneous: bool = False,
        encoding: str = "utf-8",
        rows: int | None = None,
    ) -> str:
        """Return the answer as plain text, as wide as the terminal unless told; `rows` is the most to show."""
        columns = shutil.get_terminal_size((100, 24)).columns if width is None else width
        return render_text(self.sheet(confidence, simultaneous), columns, encoding, rows)

    def __str__(self) -> str:
        return self.text(encoding=getattr(sys.stdout, "encoding", None) or "utf-8", rows=SHOWN_ROWS)

    def __repr__(self) -> str:
        return str(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        return render_html(self.sheet())

    def plot(self, path: str | Path | None = None, confidence: float = CONFIDENCE, simultaneous: bool = False) -> Any:
        """Draw lines over time, bars in groups or bars, one panel per noisy column; saved where a path is given."""
        return draw_picture(self.sheet(confidence, simultaneous), None if path is None else Path(path))

    def to_csv(self, confidence: float = CONFIDENCE, simultaneous: bool = False) -> str:
        """Return comma-separated values with the columns name, name_low and name_high."""
        return self.intervals(confidence, simultaneous).to_csv()

    def to_json(self, confidence: float = CONFIDENCE, simultaneous: bool = False) -> str:
        """Return all of the answer as one JSON object.

        `rows` and the rows of `intervals` are lists in the order of `columns`; an interval is [low, high] or null. The
        numbers of `cost` are rounded up; the receipt has them exactly.
        """
        bounds = self.bounds_at(confidence, simultaneous)
        receipt = self.receipt.to_dict()
        beside = {"accuracy": self.accuracy, "left_out": self.left_out}
        told = {name: each.to_dict(float(confidence)) for name, each in beside.items() if each is not None}
        return write_json_document(
            {
                "question": self.question,
                "columns": describe_columns(self.fields),
                "rows": self.rows,
                "intervals": {"confidence": float(confidence), "simultaneous": simultaneous, "rows": bounds},
                "guarantee": self.guarantee,
                "cost": {name: _number(getattr(self.cost, name)) for name in ("epsilon", "rho", "delta")},
                "receipt": receipt,
                "notes": self.notes,
                **told,
            }
        )

    def save(
        self,
        path: str | Path,
        format: str | None = None,
        confidence: float = CONFIDENCE,
        simultaneous: bool = False,
    ) -> None:
        """Write the answer with its intervals: `csv`, `json` or `parquet`, by the file's ending unless named."""
        file = Path(path)
        match choose_format(file, format):
            case "csv":
                save_text(self.to_csv(confidence, simultaneous), file)
            case "json":
                save_text(self.to_json(confidence, simultaneous), file)
            case _:
                save_parquet(self.intervals(confidence, simultaneous).to_arrow(), file)


def _number(value: float | Fraction) -> float | None:
    """Return a part of a cost as a JSON number, rounded up; None where it is infinite."""
    return float_up(Fraction(value)) if math.isfinite(value) else None


@dataclass(frozen=True)
class Intervals(AnswerTable):
    """An answer's table with the low and the high end of an interval beside every noisy number."""

    answer: Answer
    confidence: float
    simultaneous: bool

    def about(self) -> dict[str, str]:
        """Return what is said of the answer, and at which confidence the ends are."""
        sure = {"confidence": self.confidence, "simultaneous": self.simultaneous}
        return {**self.answer.about(), "discreet.intervals": write_json(sure)}

    def __str__(self) -> str:
        columns = shutil.get_terminal_size((100, 24)).columns
        plain = Answer(self.fields, self.rows, self.answer.receipt, self.answer.guarantee, notes=self.answer.notes)
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        return render_text(plain.sheet(self.confidence, self.simultaneous), columns, encoding, SHOWN_ROWS)

    def __repr__(self) -> str:
        return str(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        plain = Answer(self.fields, self.rows, self.answer.receipt, self.answer.guarantee, notes=self.answer.notes)
        return render_html(plain.sheet(self.confidence, self.simultaneous))


def _kind(pairs: list[tuple[Number, Number] | None], own: Type) -> Type:
    """Return the type of a column's interval ends: whole where all are whole, exact where all are exact."""
    ends = [end for pair in pairs if pair is not None for end in pair]
    if not ends:
        return own
    if any(isinstance(end, float) for end in ends):
        return Type.FLOAT
    return Type.INTEGER if all(isinstance(end, int) for end in ends) else Type.DECIMAL


def _end(pair: tuple[Number, Number], side: int, kind: Type) -> Number:
    """Return one end of an interval in that type; an end that no float is equal to is rounded outwards."""
    end = pair[side]
    if kind is not Type.FLOAT or isinstance(end, float):
        return end
    return float_up(Fraction(end)) if side else float_down(Fraction(end))


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name
