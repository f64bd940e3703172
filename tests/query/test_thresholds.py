"""Thresholds over long ranges: scores by definition, pieces of them, and which SQL is read so."""

from __future__ import annotations

import operator
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.errors import OperationError, QueryError
from discreet.engines.result import GroupedSums
from discreet.query.candidates import CandidateRange
from discreet.query.parse import parse
from discreet.query.scores import Side, ThresholdScore
from discreet.query.thresholds import plan_thresholds
from support.clinic import open_clinic

COMPARED = {
    Side.AT_LEAST: operator.ge,
    Side.MORE: operator.gt,
    Side.AT_MOST: operator.le,
    Side.LESS: operator.lt,
}

cells = st.dictionaries(st.integers(0, 30), st.integers(1, 9), max_size=6)


@given(cells, st.sampled_from(Side), st.integers(-5, 35), st.integers(1, 4), st.integers(1, 20), st.integers(-3, 3))
def test_a_score_counts_the_values_on_its_side(
    found: dict[int, int], side: Side, first: int, step: int, count: int, slope: int
) -> None:
    score = ThresholdScore(0, first, step, count, side, 2, slope)
    exact = GroupedSums(((),), {0: (found,)})
    wanted = [
        (2 + slope * place) * sum(n for point, n in found.items() if COMPARED[side](point, first + place * step))
        for place in range(count)
    ]
    assert score.rate(exact) == wanted


@given(cells, st.sampled_from(Side), st.integers(-5, 35), st.integers(1, 4), st.integers(1, 20))
def test_pieces_tell_the_same_scores(found: dict[int, int], side: Side, first: int, step: int, count: int) -> None:
    score = ThresholdScore(0, first, step, count, side, -3, 0)
    exact = GroupedSums(((),), {0: (found,)})
    edges, scores = score.list_pieces(exact)
    assert edges == sorted(edges)
    assert (edges[0], edges[-1], len(edges)) == (0, count, len(scores) + 1)
    spread = [each for each, low, high in zip(scores, edges, edges[1:], strict=False) for _ in range(low, high)]
    assert spread == score.rate(exact)


def plan(folder: Path, sql: str, candidates: CandidateRange, **parameters: object) -> ThresholdScore:
    with open_clinic(folder) as curator:
        catalog = curator._holdings.catalog
        found = plan_thresholds(parse(sql), catalog, candidates, parameters, True, 1, {})
    assert isinstance(found.draft.score, ThresholdScore)
    return found.draft.score


@pytest.mark.parametrize(
    ("score", "side", "weights"),
    [
        ("COUNT(*) FILTER (WHERE age >= $candidate)", Side.AT_LEAST, (1, 0)),
        ("COUNT(*) FILTER (WHERE $candidate >= age)", Side.AT_MOST, (1, 0)),
        ("COUNT(*) FILTER (WHERE ($candidate > age))", Side.LESS, (1, 0)),
        ("-3 * COUNT(*) FILTER (WHERE age > $candidate)", Side.MORE, (-1, 0)),
        ("SUM(CASE WHEN age < $candidate THEN 5 ELSE 0 END)", Side.LESS, (1, 0)),
        ("SUM(CASE WHEN age >= $candidate THEN $candidate ELSE 0 END)", Side.AT_LEAST, (10, 1)),
        ("COUNT(*) FILTER (WHERE age <= $candidate) * ($candidate * 2 - $cost)", Side.AT_MOST, (17, 2)),
    ],
)
def test_forms_that_are_read_as_thresholds(tmp_path: Path, score: str, side: Side, weights: tuple[int, int]) -> None:
    more = {"cost": 3} if "$cost" in score else {}
    found = plan(tmp_path, f"SELECT {score} FROM visits WHERE ward = 'icu'", CandidateRange(10, 1009), **more)
    assert (found.side, found.base, found.slope) == (side, *weights)
    assert (found.first, found.step, found.count) == (10, 1, 1000)


@pytest.mark.parametrize(
    "score",
    [
        "SUM(CASE WHEN age >= $candidate THEN $candidate * $candidate ELSE 0 END)",
        "SUM(CASE WHEN age >= $candidate THEN $candidate ELSE 1 END)",
        "SUM(CASE WHEN age >= $candidate THEN cost ELSE 0 END)",
        "SUM(CASE WHEN age >= $candidate THEN 1 WHEN age < 3 THEN 2 ELSE 0 END)",
        "SUM(CASE WHEN age + $candidate >= $candidate THEN 1 ELSE 0 END)",
        "COUNT(*) FILTER (WHERE age BETWEEN $candidate AND 5)",
        "COUNT(*) FILTER (WHERE age >= $candidate AND cost > 3)",
        "COUNT(DISTINCT age) FILTER (WHERE age >= $candidate)",
        "COUNT(cost) FILTER (WHERE age >= $candidate)",
        "COUNT(*) FILTER (WHERE age >= $candidate) + 1",
        "COUNT(*) FILTER (WHERE ward >= $candidate)",
        "AVG(age * $candidate)",
    ],
)
def test_all_else_is_refused(tmp_path: Path, score: str) -> None:
    with pytest.raises(QueryError):
        plan(tmp_path, f"SELECT {score} FROM visits", CandidateRange(0, 999))


def test_a_candidate_beside_other_comparisons_is_refused(tmp_path: Path) -> None:
    text = "SELECT COUNT(*) FILTER (WHERE age >= $candidate) FROM visits WHERE cost > $candidate"
    with pytest.raises(QueryError, match="stands beside one comparison only"):
        plan(tmp_path, text, CandidateRange(0, 999))


def test_the_spread_is_that_of_the_weights_and_rows(tmp_path: Path) -> None:
    for neighbours, factor in (("add-remove", 1), ("replace", 2)):
        with open_clinic(tmp_path / neighbours, neighbours=neighbours) as curator:
            text = "SELECT ($candidate - 100) * COUNT(*) FILTER (WHERE cost >= $candidate) FROM visits"
            priced = curator.prepare_choice(CandidateRange(0, 5000, 10), text, 1).priced
        assert priced.choice is not None
        found = priced.choice.score.bound_spread(priced.bounded.plan) * priced.score_step
        assert found == factor * 3 * Fraction(4900 + 100), "three rows of a unit"


def test_a_score_is_over_one_measure_of_ranks(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        counted = curator.prepare("SELECT COUNT(*) FROM visits", 1).operation.plan
        keyed = curator.prepare("SELECT ward, MEDIAN(age) FROM visits GROUP BY ward", 1).operation.plan
    score = ThresholdScore(0, 0, 1, 5, Side.LESS, 1, 0)
    for plan_ in (counted, keyed):
        with pytest.raises(OperationError):
            score.bound_spread(plan_)
    with pytest.raises(OperationError, match="weights of their own"):
        ThresholdScore(0, 0, 1, 10**8, Side.LESS, 1, 1)
    with pytest.raises(OperationError, match="whole numbers"):
        ThresholdScore(0, 0, 0, 1, Side.LESS, 1, 1)
