"""An answer in a terminal: no line wider than it, no number cut, no text that moves the cursor."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from discreet.base.types import Type
from support.answers import HEAD, answered, cities, key, noisy


def test_a_column_reads_as_a_dot_plot() -> None:
    answer = answered(key(), noisy("count"), rows=[("Bern", 1200), ("Ulm", 400)], half=200, notes=("one",))
    assert answer.text(80).splitlines() == [
        "city  count",
        "────  ──────────────────────────────────",
        "Bern  1,200 ± 200               ├───●──┤",
        "Ulm     400 ± 200  ├──●───┤",
        "",
        "95 % intervals, each on its own: count exact",
        "guarantee: 0.2-differentially private",
        "cost: epsilon 0.2, rho 0.02; charged (alice)",
        f"receipt: 7:{HEAD}",
        "note: one",
    ]


def test_a_terminal_without_unicode_gets_ascii() -> None:
    answer = answered(key(), noisy(), rows=[("Zürich", 5)], half=3)
    assert answer.text(80, encoding="ascii").isascii()
    assert "5 +- 3  |---------o---------|" in answer.text(80, encoding="ascii")


def test_simultaneous_intervals_are_the_wider_ones() -> None:
    assert "1,200 ± 6" in cities().text(90, simultaneous=True)
    assert "all at once" in cities().text(90, simultaneous=True)


def test_points_of_floats_are_below_one_another() -> None:
    rows: list[tuple[object, ...]] = [(1.5,), (100.25,)]
    bounds = lambda c, s: (((1.4, 1.6),), ((80.25, 120.25),))  # noqa: E731
    lines = answered(noisy("x", Type.FLOAT), rows=rows, bounds=bounds).text(80).splitlines()
    assert lines[2].startswith("  1.50 ± 0.10")
    assert lines[3].startswith("100    ± 21")


def test_rows_beyond_the_most_are_counted() -> None:
    lines = cities().text(80, rows=1).splitlines()
    assert lines[2].startswith("Bern")
    assert lines[3] == "and 2 more rows"


def test_an_answer_without_rows_shows_its_columns() -> None:
    assert answered(key(), noisy(), rows=[]).text(80).splitlines()[0] == "city  n"


def test_missing_and_empty_keys_look_different() -> None:
    lines = answered(key(), noisy(), rows=[(None, 1), ("", 2)]).text(80).splitlines()
    assert lines[2].startswith("- ")
    assert lines[3].startswith('""')


NAMES = st.text(min_size=1, max_size=60)


@given(st.lists(st.tuples(NAMES, st.integers(-(10**12), 10**12)), max_size=3), NAMES, st.integers(40, 120))
def test_no_line_is_wider_than_the_terminal(rows: list[tuple[object, ...]], name: str, width: int) -> None:
    answer = answered(key("k" + name), noisy("n" + name), noisy("m"), rows=[(*row, 7) for row in rows], half=12)
    lines = answer.text(width).split("\n")
    assert all(line.isprintable() for line in lines)
    assert all(cell_len(line) <= width for line in lines if not line.startswith("receipt: "))


@given(st.integers(-(10**40), 10**40), st.integers(1, 200))
def test_no_number_is_ever_cut(value: int, width: int) -> None:
    assert f"{value:,}" in answered(key(), noisy(), rows=[("a" * 50, value)]).text(width)
