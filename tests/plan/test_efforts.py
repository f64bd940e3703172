"""How much work a function is: no function of texts is forgotten, and bounds on lengths hold."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.types import Type
from discreet.plan.efforts import EFFORTS, bound_letters, count_letters, count_overlaps
from discreet.plan.expressions import Call, Column, Expression, Literal
from discreet.plan.functions import FUNCTIONS
from discreet.policy.model import EngineKind
from discreet.query.work import RATES

NOTE = Column("t", "note", Type.TEXT)
NAMED = {"date_part", "date_trunc", "date_diff", "time_trunc"}
"""Functions of times, whose only text is the name of a part: a short constant."""


def accepts_text(name: str) -> bool:
    """Say whether a function has a signature with a text in it, of up to three arguments."""
    for length in (1, 2, 3):
        for types in itertools.product(Type, repeat=length):
            try:
                found = FUNCTIONS[name].result(types)
            except (ValueError, IndexError):
                continue
            if found is not None and Type.TEXT in (*types, found):
                return True
    return False


def test_every_function_of_texts_counts_its_letters() -> None:
    assert {name for name in FUNCTIONS if accepts_text(name)} - NAMED <= set(EFFORTS)


def test_a_text_costs_no_less_the_longer_it_is() -> None:
    for name, effort in EFFORTS.items():
        made = Call(name, (NOTE, Literal("ab", Type.TEXT), Literal("c", Type.TEXT)), Type.TEXT)
        costs = [effort(made, [letters, 2, 1], letters) for letters in (10, 100, 1_000, 10_000)]
        assert costs == sorted(costs), name
        assert costs[0] < costs[-1], name


@pytest.mark.parametrize(("name", "nanoseconds"), [("upper", 83), ("lower", 77), ("trim", 36), ("reverse", 24)])
def test_a_letter_counts_for_as_long_as_it_takes_on_spark(name: str, nanoseconds: int) -> None:
    """As measured there for the condition alone, over 12,000 texts in memory, on the slowest letters."""
    made = Call(name, (NOTE,), Type.TEXT)
    assert count_letters(made, [1_000], 1_000) * RATES[EngineKind.SPARK].letter >= 1_000 * nanoseconds


@pytest.mark.parametrize(
    ("pattern", "nanoseconds"),
    [
        ("a[^b]{100,}", 5_830),
        ("a[^b]{20}c", 3_510),
        ("a[^b]{99}[^c]{99}", 12_000),
        ("a[ab]{99}c", 5_240),
        ("a[^b]{0,100}b", 6_060),
        ("[^c]", 307),
        ("[ab]{2}", 178),
        ("[^b]{100}", 1_270),
    ],
)
def test_a_letter_counts_for_as_long_as_a_pattern_takes_on_duckdb(pattern: str, nanoseconds: int) -> None:
    """As measured there in time of the processor, on texts of which many letters begin a match that others are in."""
    made = Call("regexp_replace_all", (NOTE, Literal(pattern, Type.TEXT), Literal("", Type.TEXT)), Type.TEXT)
    assert count_letters(made, [1_000, len(pattern), 0], 1_000) * RATES[EngineKind.DUCKDB].letter >= 1_000 * nanoseconds


@pytest.mark.parametrize(
    ("name", "others", "letters"),
    [
        ("upper", (), 100),
        ("concat", (NOTE,), 200),
        ("replace", (Literal("ab", Type.TEXT), Literal("wxyz", Type.TEXT)), 200),
        ("replace", (NOTE, NOTE), 100 * 101),
        ("lpad", (Literal(30, Type.INTEGER), Literal("*", Type.TEXT)), 30),
        ("left", (Literal(7, Type.INTEGER),), 7),
        ("left", (Column("t", "age", Type.INTEGER),), 100),
    ],
)
def test_lengths_of_results_follow_from_those_of_arguments(
    name: str, others: tuple[Expression, ...], letters: int
) -> None:
    made = Call(name, (NOTE, *others), Type.TEXT)
    given_letters = [
        100 if each is NOTE else len(each.value) if isinstance(each, Literal) and isinstance(each.value, str) else 0
        for each in made.arguments
    ]
    assert bound_letters(made, given_letters) == letters


def test_numbers_go_through_no_letters() -> None:
    assert count_letters(Call("add", (Column("t", "age", Type.INTEGER),) * 2, Type.INTEGER), [0, 0], 0) == 0


@given(st.text("ab", min_size=1, max_size=12), st.text("ab", max_size=40))
def test_a_search_begun_at_every_letter_compares_no_letter_more_often_than_is_counted(needle: str, text: str) -> None:
    """From the front, a letter is matched at most once for each beginning of the needle that ends there."""
    matched = [0] * len(text)
    for start in range(len(text)):
        for offset, letter in enumerate(needle):
            if start + offset >= len(text) or text[start + offset] != letter:
                break
            matched[start + offset] += 1
    assert max(matched, default=0) <= count_overlaps(needle)
