"""Intervals across released rows: they hold as often as they say, and there is none where noise chose the rows."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

from discreet.answers import Answer, Bounds, Mark, Receipt
from discreet.curator.estimates.across import AT_ONCE, BY_NOISE, FROM_DATA, OTHERS, SUMMED, TWICE, UNCHANGED
from discreet.curator.estimates.assemble import ACROSS, assemble, describe_fields
from discreet.curator.release.released import Released, ReleasedSet
from discreet.privacy.charges import Charge
from discreet.query.bound import bound
from discreet.query.price import Price, price
from support.hospital import asked, catalog_of
from support.oracle import ENGINE

G = "FROM visits GROUP BY ward"
AGES = "FROM visits WHERE age < 12 GROUP BY age"
WINDOWS = (
    "SELECT age, COUNT(*) AS n, SUM(COUNT(*)) OVER () AS total, COUNT(*) * 1.0 / SUM(COUNT(*)) OVER () AS share, "
    "SUM(COUNT(*)) OVER (ORDER BY age) AS run, AVG(SUM(cost)) OVER (PARTITION BY age > 5) AS mean, "
    "MAX(COUNT(*)) OVER () AS most, MIN(COUNT(*) * 2) OVER () AS least, "
    "LAG(COUNT(*), 1, 3) OVER (ORDER BY age) AS before, "
    f"SUM(COUNT(*)) FILTER (WHERE age <> 3) OVER () AS but {AGES}"
)
GROUPED = (
    "SELECT age // 4 AS part, SUM(n) AS total, AVG(n) AS mean, MAX(c) AS most, MIN(n + c) AS least, "
    f"SUM(n) / SUM(c) AS r FROM (SELECT age, COUNT(*) AS n, SUM(cost) AS c {AGES}) GROUP BY part"
)
RECEIPT = Receipt(Mark(1, "0" * 64), None, Charge(Fraction(1), Fraction(1)), "free")


def made(text: str) -> tuple[Any, Price]:
    """Return a question and its price."""
    question = asked(ENGINE, text)
    return question, price(bound(question, catalog_of(ENGINE)), ENGINE.policy, epsilon=Fraction(1))


def answer_of(question: Any, priced: Price, sums: tuple[tuple[int, ...], ...]) -> Answer:
    """Return the answer for these released sums."""
    return assemble(question, priced, Released((ReleasedSet(sums),)), RECEIPT, "")


def draw(noise: Any, draw_from: random.Random) -> int:
    """Return one discrete Laplace noise, as the difference of two geometric ones."""
    rate = 1 / noise.scale
    return int(draw_from.expovariate(rate)) - int(draw_from.expovariate(rate))


@pytest.mark.slow
@pytest.mark.parametrize("text", [WINDOWS, GROUPED])
def test_intervals_hold_as_often_as_they_say(text: str) -> None:
    """Of 24 releases, made from one seed, every column holds as often as 60 % leave likely; so do all cells at once."""
    question, priced = made(text)
    source, together, tries = random.Random(5), 0, 24
    held: dict[int, list[bool]] = {}
    exact = ENGINE.run(priced.bounded.plan).result().sets[0].sums
    truth = answer_of(question, priced, exact)
    for _ in range(tries):
        pairs = zip(exact, priced.noises, strict=True)
        sums = tuple(tuple(each + draw(noise, source) for each in row) for row, noise in pairs)
        answer = answer_of(question, priced, sums)
        for (_, column), inside in find_held(truth, answer.bounds(0.6, False)).items():
            held.setdefault(column, []).append(inside)
        together += all(find_held(truth, answer.bounds(0.6, True)).values())
    assert len(held) >= 5
    assert min(sum(each) / len(each) for each in held.values()) >= 0.32  # 60 % less 2.8 deviations of 24 draws
    assert together >= tries * 0.32


def find_held(truth: Answer, found: tuple[Bounds, ...]) -> dict[tuple[int, int], bool]:
    """Return which cells with an interval have the truth in it."""
    held = {}
    for at, bounds in enumerate(found):
        for place, each in enumerate(bounds):
            value = truth.rows[at][place]
            if each is not None and isinstance(value, int | float):
                held[at, place] = bool(each[0] <= value <= each[1])
    return held


def test_a_total_errs_by_the_summed_noise_and_no_more() -> None:
    """Twelve rows err by less than half of twelve times one row's error, and by more than one row's."""
    question, priced = made(f"SELECT age, COUNT(*) AS n, SUM(COUNT(*)) OVER () AS t, AVG(COUNT(*)) OVER () AS m {AGES}")
    exact = ENGINE.run(priced.bounded.plan).result().sets[0].sums
    (_, one, total, mean), *_ = answer_of(question, priced, exact).bounds(0.95, False)
    widths = [float(each[1]) - float(each[0]) for each in (one, total, mean) if each is not None]
    assert widths[0] * 2 < widths[1] < widths[0] * 6
    assert widths[2] == pytest.approx(widths[1] / 12)


@pytest.mark.parametrize(
    ("columns", "remarks"),
    [
        ("SUM(COUNT(*)) OVER () AS a, AVG(SUM(cost)) OVER (ORDER BY ward) AS b", (SUMMED, SUMMED)),
        ("MAX(COUNT(*)) OVER () AS a, SUM(COUNT(*) * 2) OVER () AS b", (AT_ONCE, AT_ONCE)),
        ("RANK() OVER (ORDER BY COUNT(*)) AS a, SUM(COUNT(*)) OVER (ORDER BY COUNT(*)) AS b", (BY_NOISE, BY_NOISE)),
        ("SUM(COUNT(*)) OVER (PARTITION BY COUNT(*) > 9) AS a, COUNT(*) AS b", (BY_NOISE, "exact")),
        ("SUM(COUNT(*)) FILTER (WHERE COUNT(*) > 9) OVER () AS a, COUNT(*) AS b", (BY_NOISE, "exact")),
        ("AVG(AVG(cost)) OVER () AS a, MAX(MEDIAN(cost)) OVER () AS b", (OTHERS, OTHERS)),
        ("STDDEV(COUNT(*)) OVER () AS a, SUM(DISTINCT COUNT(*)) OVER () AS b", (UNCHANGED, UNCHANGED)),
        ("RANK() OVER (ORDER BY ward) AS a, COUNT(*) OVER () AS b, COUNT(*) AS n", ("", "", "exact")),
        ("COUNT(*) + RANK() OVER (ORDER BY COUNT(*)) AS a, COUNT(*) AS n", (BY_NOISE, "exact")),
    ],
)
def test_every_column_says_how_its_interval_is_made(columns: str, remarks: tuple[str, ...]) -> None:
    question, priced = made(f"SELECT {columns} {G}")
    fields = describe_fields(question, priced)
    assert tuple(field.remark for field in fields) == remarks
    assert [field.noisy for field in fields] == [remark != "" for remark in remarks]
    if "AVG(cost)" not in columns:
        exact = ENGINE.run(priced.bounded.plan).result().sets[0].sums
        answer = answer_of(question, priced, exact)
        assert ACROSS in answer.notes
        for row in answer.bounds(0.95, False):
            assert [each is not None for each in row] == [
                not remark.startswith("none") and remark != "" for remark in remarks
            ]


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT SUM(COUNT(*)) OVER () AS t {G} HAVING COUNT(*) > 1",
        f"SELECT SUM(n) OVER () AS t FROM (SELECT COUNT(*) AS n {G}) WHERE n > 1",
        f"SELECT SUM(n) AS t FROM (SELECT COUNT(*) AS n {G}) WHERE n > 1",
        f"SELECT SUM(n) AS t FROM (SELECT COUNT(*) AS n {G} ORDER BY n LIMIT 2)",
        f"SELECT COUNT(*) AS t FROM (SELECT ward, COUNT(*) AS n {G} HAVING n > 1)",
        f"SELECT COUNT(*) OVER () AS t FROM (SELECT ward, COUNT(*) AS n {G} ORDER BY n LIMIT 2)",
        f"SELECT SUM(n) AS t FROM (SELECT COUNT(*) AS n {G}) GROUP BY n > 20",
        f"SELECT SUM(n) OVER () AS t FROM (SELECT * FROM (SELECT COUNT(*) AS n {G} ORDER BY n LIMIT 2) WHERE n > 1)",
    ],
)
def test_there_is_no_interval_where_noise_chose_the_rows(text: str) -> None:
    question, priced = made(text)
    (field,) = describe_fields(question, priced)
    assert (field.noisy, field.remark) == (True, BY_NOISE)
    exact = ENGINE.run(priced.bounded.plan).result().sets[0].sums
    assert set(answer_of(question, priced, exact).bounds(0.95, False)) == {(None,)}


def test_a_choice_by_key_keeps_intervals_and_a_window_of_windows_has_none() -> None:
    cut = f"SELECT SUM(n) AS t FROM (SELECT ward, COUNT(*) AS n {G} ORDER BY ward LIMIT 2) WHERE ward <> 'x'"
    assert describe_fields(*made(cut))[0].remark == SUMMED
    twice = f"SELECT MAX(t) AS m FROM (SELECT SUM(COUNT(*)) OVER () AS t {G})"
    assert describe_fields(*made(twice))[0].remark == TWICE


def test_there_is_none_where_keys_come_from_the_data() -> None:
    question, priced = made("SELECT ward, SUM(COUNT(*)) OVER () AS t FROM stays GROUP BY ward")
    assert priced.selection is not None
    assert describe_fields(question, priced)[1].remark == FROM_DATA
