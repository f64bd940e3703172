"""The shelf: answers are found by whoever received them, while there is room."""

from __future__ import annotations

from fractions import Fraction

from discreet.answers import Answer, Field, Mark, Receipt
from discreet.base.types import Type
from discreet.privacy.charges import Charge
from discreet.server.console.shelf import MOST, MOST_ROWS, AnswerShelf


def make_answer(rows: int = 1) -> Answer:
    receipt = Receipt(Mark(1, "0" * 64), "alice", Charge(Fraction(1), Fraction(1)), "charged")
    return Answer((Field("n", Type.INTEGER, True),), tuple((row,) for row in range(rows)), receipt, "")


def test_nobody_finds_anothers_answer_by_its_name() -> None:
    shelf, answer = AnswerShelf(), make_answer()
    name = shelf.put("alice", answer)
    assert shelf.find("alice", name) is answer
    assert shelf.find("bob", name) is None
    assert shelf.find("alice", "x") is None


def test_the_oldest_go_when_there_are_too_many_and_the_newest_always_stays() -> None:
    shelf = AnswerShelf()
    names = [shelf.put("alice", make_answer()) for _ in range(MOST + 2)]
    assert [shelf.find("alice", name) is not None for name in names] == [False] * 2 + [True] * MOST
    large = shelf.put("alice", make_answer(MOST_ROWS + 1))
    assert [name for name in (*names, large) if shelf.find("alice", name) is not None] == [large]
