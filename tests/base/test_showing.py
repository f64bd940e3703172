"""What people look at is what `str` makes of it, in a console, a notebook and a log."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.base.showing import ShownAsText
from support.clinic import open_clinic


@dataclass(frozen=True, slots=True, repr=False)
class Note(ShownAsText):
    text: str

    def __str__(self) -> str:
        return self.text


class Printer:
    def __init__(self) -> None:
        self.said = ""

    def text(self, words: str) -> None:
        self.said += words


def printed(value: Any) -> str:
    printer = Printer()
    value._repr_pretty_(printer, False)
    return printer.said


def test_a_shown_value_is_its_str_and_nothing_in_it_is_markup() -> None:
    note = Note("<b>5</b>")
    assert repr(note) == str(note) == printed(note) == "<b>5</b>"
    assert note._repr_html_() == "<pre>&lt;b&gt;5&lt;/b&gt;</pre>"


def test_every_value_that_a_curator_hands_out_is_its_str(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        answer = curator.ask("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", 0.5)
        values: list[Any] = [answer, answer.intervals(), answer.receipt, curator.budget, curator.budget.total]
        values += [curator.tables, curator.explain("SELECT COUNT(*) AS n FROM visits", 0.1)]
        values.append(curator.bounds("visits.cost", 0.5))
        for value in values:
            assert repr(value) == str(value) == printed(value), type(value)
            assert value._repr_html_().startswith("<"), type(value)
            assert "object at" not in str(value)
