"""Answers as they travel: JSON that comes back as the same values."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from discreet.answers import Answer, Field, Receipt
from discreet.answers.accuracy import Accuracy
from discreet.answers.fields import Bounds, Number
from discreet.answers.left_out import LeftOut
from discreet.base.types import Type
from discreet.server.questions import Delivered

AskAgain = Callable[[float, bool], Answer]
"""Asks the same again at another confidence, single or simultaneous: what was paid for is free."""

Width = Callable[[float], float]
"""How far something errs, by the confidence."""

NOT_FINITE = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def to_answer(delivered: Delivered) -> Answer:
    """Return an answer whose intervals are those that were asked for."""
    said = (Receipt.from_dict(dict(delivered.receipt)), delivered.guarantee, delivered.question, delivered.notes)
    chosen = None
    if delivered.accuracy is not None:
        score, count, within = delivered.accuracy
        chosen = Accuracy(score, count, lambda confidence: within)
    left = None
    if delivered.left_out is not None:
        words, number, width = delivered.left_out
        left = LeftOut(words, number, lambda confidence: width)
    return Answer(
        delivered.fields, delivered.rows, *said, lambda confidence, simultaneous: delivered.bounds, chosen, left
    )


def read_answer(text: str, ask_again: AskAgain | None = None) -> Answer:
    """Return the answer that `Answer.to_json` wrote; intervals at other confidences come from asking again."""
    values = json.loads(text, parse_float=Decimal)
    fields = read_fields(values["columns"])
    rows = tuple(
        tuple(_read(value, field.type) for value, field in zip(row, fields, strict=True)) for row in values["rows"]
    )
    told = values["intervals"]
    bounds = tuple(tuple(_read_pair(pair) for pair in row) for row in told["rows"])
    there = (float(told["confidence"]), bool(told["simultaneous"]))

    def find(confidence: float, simultaneous: bool) -> tuple[Bounds, ...]:
        if ask_again is None or (confidence, simultaneous) == there:
            return bounds
        return ask_again(confidence, simultaneous).bounds_at(confidence, simultaneous)

    receipt = Receipt.from_dict(values["receipt"])
    said = (values["guarantee"], values["question"], tuple(values["notes"]))
    beside = (_read_accuracy(values.get("accuracy"), ask_again), _read_left_out(values.get("left_out"), ask_again))
    return Answer(fields, rows, receipt, *said, find, *beside)


def read_fields(told: Sequence[Mapping[str, Any]]) -> tuple[Field, ...]:
    """Return the columns that `describe_columns` wrote."""
    return tuple(Field(each["name"], Type(each["type"]), each["noisy"], each.get("interval", "")) for each in told)


def _read_accuracy(told: Any, ask_again: AskAgain | None) -> Accuracy | None:
    if told is None:
        return None

    def read(answer: Answer, confidence: float) -> float:
        assert answer.accuracy is not None
        return answer.accuracy.bound(confidence)

    return Accuracy(told["score"], told.get("count", 1), _find_width(told, ask_again, read))


def _read_left_out(told: Any, ask_again: AskAgain | None) -> LeftOut | None:
    if told is None:
        return None

    def read(answer: Answer, confidence: float) -> float:
        assert answer.left_out is not None
        return answer.left_out.half_width(confidence)

    return LeftOut(told["what"], int(told["value"]), _find_width(told, ask_again, read))


def _find_width(told: Any, ask_again: AskAgain | None, read: Callable[[Answer, float], float]) -> Width:
    """Return how far something errs at any confidence: at others than what was told from asking again."""
    there, within = float(told["confidence"]), float(_read_number(told["within"]))

    def find(confidence: float) -> float:
        if ask_again is None or confidence == there:
            return within
        return read(ask_again(confidence, False), confidence)

    return find


def _read(value: Any, kind: Type) -> object:
    if value is None:
        return None
    if kind is Type.FLOAT:
        return NOT_FINITE[value] if isinstance(value, str) else float(value)
    if kind is Type.DATE:
        return date.fromisoformat(value)
    return datetime.fromisoformat(value).replace(tzinfo=None) if kind is Type.TIMESTAMP else value


def _read_pair(pair: Any) -> tuple[Number, Number] | None:
    return None if pair is None else (_read_number(pair[0]), _read_number(pair[1]))


def _read_number(value: Any) -> Number:
    """Return an end of an interval: whole numbers stay whole, others are floats."""
    if isinstance(value, str):
        return NOT_FINITE[value]
    return float(value) if isinstance(value, Decimal) else int(value)
