"""Whole counts next to real ones: the best of all that can be listed, nested or not."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import milp

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.topdown.solve import rounding
from discreet.topdown.solve.rounding import Rounded, measure_distance, round_counts
from discreet.topdown.spec.invariants import NO_MOST, Invariant
from topdown.solve.problems import ask, make_schema

THREE = np.arange(3)
TOTAL = np.zeros(3, dtype=np.int64)
NESTED = [TOTAL, np.array([0, 0, 1]), THREE]
CROSSING = [TOTAL, np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([0, 1, 0])]


def make_counts(seed: int, children: int, cells: int = 3) -> tuple[Floats, Ints]:
    """Return real counts with whole sums over children."""
    rng = np.random.default_rng(seed)
    people = rng.integers(1, 3 * children, cells)
    return rng.dirichlet(np.ones(children), cells).T * people, people


def list_roundings(counts: Floats, people: Ints, family: list[Ints]) -> list[Ints]:
    """Return all floors and ceilings that add up, the family's answers being floors and ceilings too."""
    floors = np.floor(counts).astype(np.int64)
    found = []
    for ups in itertools.product((0, 1), repeat=counts.size):
        whole = floors + np.array(ups).reshape(counts.shape)
        if np.array_equal(whole.sum(axis=0), people) and all(is_near(whole, counts, each) for each in family):
            found.append(whole)
    return found


def is_near(whole: Ints, counts: Floats, places: Ints) -> bool:
    off = (whole - counts) @ (places[:, None] == np.arange(places.max() + 1))
    return bool(np.all(np.abs(off) < 1 - 1e-9))


@pytest.mark.many
@pytest.mark.parametrize("seed", range(20))
def test_nested_families_are_rounded_by_a_proven_linear_program(seed: int) -> None:
    counts, people = make_counts(seed, 3)
    found = round_counts(counts, people, [], NESTED, THREE)
    assert found is not None
    assert found.method == "linear program"
    every = list_roundings(counts, people, NESTED)
    assert any(np.array_equal(found.counts, each) for each in every)
    assert found.distance == pytest.approx(min(measure_distance(each, counts, NESTED) for each in every), abs=1e-6)


@pytest.mark.many
@pytest.mark.parametrize("seed", range(40))
def test_overlapping_margins_are_searched_and_the_best_is_found_where_there_is_one(seed: int) -> None:
    counts, people = make_counts(seed, 3)
    found = round_counts(counts, people, [], CROSSING, THREE)
    every = list_roundings(counts, people, CROSSING)
    assert (found is not None) == bool(every)
    if found is not None:
        assert found.method == "mixed-integer program"
        best = min(measure_distance(each, counts, CROSSING) for each in every)
        assert found.distance <= best * (1 + 1e-3) + 1e-6
        assert any(np.array_equal(found.counts, each) for each in every)


def test_an_odd_cycle_of_halves_has_no_rounding() -> None:
    counts = np.full((2, 3), 0.5)
    assert round_counts(counts, np.ones(3, dtype=np.int64), [], CROSSING, THREE) is None
    assert round_counts(counts, np.ones(3, dtype=np.int64), [], NESTED, THREE) is not None


def test_public_numbers_that_cross_the_family_are_kept_by_a_search() -> None:
    schema = make_schema(2, 2)
    counts = np.array([[0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5]])
    second = Invariant("second", 0, ask(schema, 1), np.ones((2, 2), dtype=np.int64))
    first = ask(schema, 0).places
    found = round_counts(
        counts, np.ones(4, dtype=np.int64), [second], [np.zeros(4, dtype=np.int64), first], np.arange(4)
    )
    assert found is not None
    assert found.method == "mixed-integer program"
    assert np.array_equal(ask(schema, 1).answer(found.counts), second.values)
    assert np.array_equal(ask(schema, 0).answer(found.counts), np.ones((2, 2)))


def test_least_numbers_are_kept_where_floors_would_break_them() -> None:
    schema = make_schema(3)
    counts = np.array([[0.2, 0.2, 0.6], [0.8, 0.8, 0.4]])
    least = Invariant("least", 0, ask(schema), np.array([[1], [2]]), exact=False)
    found = round_counts(counts, np.ones(3, dtype=np.int64), [least], [], THREE)
    assert found is not None
    assert found.counts.tolist() == [[0, 0, 1], [1, 1, 0]]
    assert found.method == "linear program"


def test_most_numbers_are_kept_where_ceilings_would_exceed_them() -> None:
    schema = make_schema(2)
    counts = np.array([[0.45, 0.45], [0.3, 0.3], [0.25, 0.25]])
    free = np.full((3, 1), NO_MOST)
    most = Invariant("most", 0, ask(schema), np.zeros((3, 1), dtype=np.int64), exact=False, most=free.copy())
    nearest = round_counts(counts, np.ones(2, dtype=np.int64), [most], [], np.arange(2))
    assert nearest is not None
    assert nearest.counts.tolist() == [[1, 1], [0, 0], [0, 0]]
    free[0] = 1
    most = Invariant("most", 0, ask(schema), np.zeros((3, 1), dtype=np.int64), exact=False, most=free)
    found = round_counts(counts, np.ones(2, dtype=np.int64), [most], [], np.arange(2))
    assert found is not None
    assert found.counts.sum(axis=1).tolist() == [1, 1, 0]


def test_counts_that_are_whole_already_and_break_a_rule_are_not_returned() -> None:
    schema = make_schema(2)
    counts = np.array([[1.0, 0.0], [0.0, 1.0]])
    for values, exact in (([[2], [0]], True), ([[2], [0]], False)):
        wrong = Invariant("totals", 0, ask(schema), np.array(values), exact=exact)
        assert round_counts(counts, np.ones(2, dtype=np.int64), [wrong], [], np.arange(2)) is None
    assert round_counts(counts, np.array([1, 2]), [], [], np.arange(2)) is None


def test_what_is_whole_up_to_rounding_stays() -> None:
    counts = np.array([[2.0 - 1e-10, 1.0, 0.0], [1e-10, 3.0, 5.0 + 1e-9]])
    found = round_counts(counts, np.array([2, 4, 5]), [], NESTED, THREE)
    assert found is not None
    assert found.counts.tolist() == [[2, 1, 0], [0, 3, 5]]


def test_numbers_that_no_rounding_keeps_are_not_forced() -> None:
    schema = make_schema(3)
    counts, people = make_counts(4, 2)
    far = Invariant("totals", 0, ask(schema), np.array([[0], [int(people.sum())]]))
    assert round_counts(counts, people, [far], [TOTAL], THREE) is None


@pytest.mark.many
@pytest.mark.parametrize("seed", range(6))
def test_larger_nested_programs_are_whole_and_keep_every_sum(seed: int) -> None:
    counts, people = make_counts(seed, 12, 60)
    coarse = np.arange(60) // 20
    family = [np.zeros(60, dtype=np.int64), coarse, np.arange(60) // 4]
    found = round_counts(counts, people, [], family, np.arange(60))
    assert isinstance(found, Rounded)
    assert found.method == "linear program"
    assert np.array_equal(found.counts.sum(axis=0), people)
    assert all(is_near(found.counts, counts, each) for each in [*family, np.arange(60)])


def test_the_same_counts_are_rounded_alike_and_a_unique_optimum_in_any_order() -> None:
    counts, people = make_counts(7, 6, 20)
    family = [np.zeros(20, dtype=np.int64), np.arange(20) // 5]
    order = np.array([5, 2, 0, 4, 1, 3])
    once, twice = (round_counts(counts, people, [], family, np.arange(20)) for _ in range(2))
    other = round_counts(counts[order], people, [], family, np.arange(20))
    assert once is not None
    assert twice is not None
    assert other is not None
    assert np.array_equal(once.counts, twice.counts)
    assert np.array_equal(other.counts, once.counts[order])


@pytest.mark.parametrize("wrong", [0.0, 1.0, 0.5, 2.0, -1.0])
def test_what_a_solver_returns_is_checked_before_it_is_believed(monkeypatch: pytest.MonkeyPatch, wrong: float) -> None:
    counts, people = make_counts(3, 3)

    def return_nonsense(cost: Floats, **given: Any) -> SimpleNamespace:
        return SimpleNamespace(x=np.full(len(cost), wrong), mip_gap=0.0)

    monkeypatch.setattr(rounding, "milp", return_nonsense)
    assert round_counts(counts, people, [], NESTED, THREE) is None


def test_a_linear_program_that_ends_at_no_vertex_is_searched_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    counts, people = make_counts(3, 3)
    solve = milp

    def stop_inside(cost: Floats, integrality: Ints, **given: Any) -> Any:
        if integrality.any():
            return solve(cost, integrality=integrality, **given)
        return SimpleNamespace(x=np.full(len(cost), 0.5), mip_gap=0.0)

    monkeypatch.setattr(rounding, "milp", stop_inside)
    found = round_counts(counts, people, [], NESTED, THREE)
    assert found is not None
    assert found.method == "mixed-integer program"
    assert found.gap <= rounding.MIP_GAP
    assert np.array_equal(found.counts.sum(axis=0), people)


def test_a_search_states_the_gap_that_it_ended_with(monkeypatch: pytest.MonkeyPatch) -> None:
    counts, people = make_counts(0, 3)
    solve = milp

    def end_early(*given: Any, **named: Any) -> Any:
        found = solve(*given, **named)
        return SimpleNamespace(x=found.x, mip_gap=0.25)

    monkeypatch.setattr(rounding, "milp", end_early)
    found = round_counts(counts, people, [], CROSSING, THREE)
    assert found is not None
    assert (found.method, found.gap) == ("mixed-integer program", 0.25)
