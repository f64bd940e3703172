"""Faults between exact numbers and answers: sums are within their limits, and their noise or its price is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from audit.graybox.cases import VISITS, find_world
from discreet.audit.graybox import FindingKind, ReplayReport, make_neighbours, replay
from discreet.curator import Curator
from discreet.curator.door import desk as desks
from discreet.curator.door import statistics
from discreet.curator.release import noise as releasing
from discreet.engines.result import ExactRows, GroupedSums
from discreet.policy import loads
from robust.questions import QUESTIONS as ROBUST
from support import clinic

CLINIC = find_world("clinic")
AROUND = "without the unit with the most rows", "with unit with many rows", "with unit at the upper bounds"

Asked = str | Callable[[Curator], object]
Break = Callable[[pytest.MonkeyPatch], None]


def find(asked: Asked, *names: str) -> ReplayReport:
    return replay(asked, CLINIC.only(*(names or AROUND)), clock=False)


def take(module: Any, name: str) -> Any:
    """Return what a module has imported under this name."""
    return vars(module)[name]


@cache
def check_sound(asked: Asked) -> None:
    """Find nothing where nothing is broken, once for each question."""
    assert find(asked).raise_if_any().moved


def ask_at_rho(curator: Curator) -> object:
    return curator.ask("SELECT ward, SUM(cost) FROM visits GROUP BY ward", rho=0.1)


def ask_for_keys(curator: Curator) -> object:
    """Ask for so much that keys are kept."""
    return curator.ask("SELECT doctor, SUM(cost) FROM visits GROUP BY doctor", 20)


def choose_ward(curator: Curator) -> object:
    return curator.choose(clinic.NAMES, "COUNT(*) FILTER (WHERE ward = $candidate)", 0.5, table="visits")


@cache
def ask_robust(name: str) -> Callable[[Curator], object]:
    return lambda curator: ROBUST[name](curator, 4.0)


def double(found: GroupedSums) -> GroupedSums:
    """Return a set in which everybody counts twice."""
    cells = {
        place: tuple({at: 2 * rows for at, rows in each.items()} for each in every)
        for place, every in found.cells.items()
    }
    return replace(found, sums=tuple(tuple(2 * each for each in sums) for sums in found.sums), cells=cells)


def double_before_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    add = releasing._add_noise
    monkeypatch.setattr(releasing, "_add_noise", lambda plan, found, *how: add(plan, double(found), *how))


def double_before_choosing(monkeypatch: pytest.MonkeyPatch) -> None:
    choose = take(releasing, "choose")
    monkeypatch.setattr(releasing, "choose", lambda plan, found, choice: choose(plan, double(found), choice))


def draw_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has two draws about the same numbers has their mean, which errs less than was paid for."""
    add = releasing._add_noise

    def add_twice(plan: Any, found: Any, draws: Any, done: Any) -> Any:
        add(plan, found, draws, done)
        return add(plan, found, draws, done)

    monkeypatch.setattr(releasing, "_add_noise", add_twice)


def choose_best(monkeypatch: pytest.MonkeyPatch) -> None:
    def choose(plan: Any, found: GroupedSums, choice: Any) -> tuple[tuple[int, ...], ...]:
        scores = choice.score.rate(found)
        return ((scores.index(max(scores)),),)

    monkeypatch.setattr(releasing, "choose", choose)


def show_last_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """All keys but the last have noise."""
    add = releasing._add_noise

    def add_to_others(plan: Any, found: GroupedSums, *how: Any) -> Any:
        told = add(plan, replace(found, sums=tuple(each[:-1] for each in found.sums)), *how)
        return replace(told, sums=tuple((*told, each[-1]) for told, each in zip(told.sums, found.sums, strict=True)))

    monkeypatch.setattr(releasing, "_add_noise", add_to_others)


def charge_half(monkeypatch: pytest.MonkeyPatch) -> None:
    cost = take(desks, "cost_measures")

    def halve(plan: Any, draws: Any) -> Any:
        whole = cost(plan, draws)
        return replace(whole, epsilon=whole.epsilon / 2, rho=whole.rho / 2)

    monkeypatch.setattr(desks, "cost_measures", halve)


def charge_no_delta(monkeypatch: pytest.MonkeyPatch) -> None:
    cost = take(desks, "cost_measures")
    monkeypatch.setattr(desks, "cost_measures", lambda plan, draws: replace(cost(plan, draws), delta=0))


def take_values_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    release = take(desks, "release_statistic")

    def release_twice(plan: Any, statistic: Any, rows: ExactRows) -> Any:
        return release(plan, statistic, ExactRows(np.repeat(rows.points, 2, axis=0), rows.offsets * 2))

    monkeypatch.setattr(desks, "release_statistic", release_twice)


def take_groups_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = statistics.NoisyStatistic.draw
    monkeypatch.setattr(statistics.NoisyStatistic, "draw", lambda self, points: draw(self, np.repeat(points, 2)))
    other = statistics.DrawnQuantile.draw
    monkeypatch.setattr(statistics.DrawnQuantile, "draw", lambda self, points: other(self, np.repeat(points, 2)))


def charge_half_of_statistics(monkeypatch: pytest.MonkeyPatch) -> None:
    charge = take(desks, "charge_of")

    def halve(loss: Any) -> Any:
        whole = charge(loss)
        return replace(whole, epsilon=whole.epsilon / 2, rho=whole.rho / 2)

    monkeypatch.setattr(desks, "charge_of", halve)


COUNTS = "SELECT ward, COUNT(*), SUM(cost) FROM visits GROUP BY ward"
MEDIANS = "SELECT ward, MEDIAN(cost) FROM visits GROUP BY ward"
SHARES = ", ".join(f"{place / 10}" for place in range(1, 10))
RANKS = f"SELECT QUANTILE_CONT(age, [{SHARES}]) FROM visits"
"""So many that they come from a tree of ranks."""

KEYS = "SELECT doctor, COUNT(*) FROM visits GROUP BY doctor"
SENSITIVITY, CALLS = FindingKind.SENSITIVITY, FindingKind.CALLS

FAULTS: dict[str, tuple[Asked, Break, FindingKind, str]] = {
    "sums that are doubled before their noise": (COUNTS, double_before_noise, SENSITIVITY, "Laplace("),
    "sums that are doubled before Gaussian noise": (ask_at_rho, double_before_noise, SENSITIVITY, "(L2)"),
    "values that count twice in a quantile": (MEDIANS, double_before_noise, SENSITIVITY, "Quantile("),
    "scores that are doubled before a choice": (choose_ward, double_before_choosing, SENSITIVITY, "spread"),
    "two draws for the price of one": (COUNTS, draw_once_more, CALLS, "2 times, and is paid for 1"),
    "two drawn quantiles for the price of one": (MEDIANS, draw_once_more, CALLS, "6 times, and is paid for 3"),
    "a key without noise": (COUNTS, show_last_as_it_is, CALLS, "about 2 numbers, and there are 3"),
    "a key of the data without noise": (ask_for_keys, show_last_as_it_is, CALLS, "does not ask Laplace("),
    "sums of keys of the data that are doubled before their noise": (
        ask_for_keys,
        double_before_noise,
        CALLS,
        "numbers that were not measured",
    ),
    "a choice without noise": (choose_ward, choose_best, CALLS, "does not ask PermuteAndFlip"),
    "ranks that are doubled before their noise": (RANKS, double_before_noise, SENSITIVITY, "Laplace("),
    "a tree of ranks that is drawn twice": (RANKS, draw_once_more, CALLS, "times, and is paid for"),
    "half of an epsilon": (COUNTS, charge_half, SENSITIVITY, "(epsilon)"),
    "half of a rho": (ask_at_rho, charge_half, SENSITIVITY, "(rho)"),
    "half of the epsilon of quantiles": (MEDIANS, charge_half, SENSITIVITY, "(epsilon)"),
    "half of the epsilon of a choice": (choose_ward, charge_half, SENSITIVITY, "(epsilon)"),
    "keys of the data without a delta": (KEYS, charge_no_delta, SENSITIVITY, "(delta)"),
    "values that a median takes twice": (ask_robust("median"), take_values_twice, SENSITIVITY, "(rows)"),
    "values that a mean takes twice": (ask_robust("trimmed mean"), take_values_twice, SENSITIVITY, "(values)"),
    "groups that count twice": (ask_robust("any function"), take_groups_twice, CALLS, "and there are 20 groups"),
    "half of what a statistic costs": (ask_robust("median"), charge_half_of_statistics, SENSITIVITY, "is charged"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_noise_and_prices_that_are_wrong_are_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, break_it, kind, words = FAULTS[name]
    check_sound(asked)
    break_it(monkeypatch)
    report = find(asked)
    assert kind in {each.kind for each in report.findings}
    assert any(words in each.words for each in report.findings), report


def test_what_a_question_costs_is_held_against_what_one_unit_moved() -> None:
    report = find(COUNTS, "with unit with many rows").raise_if_any()
    (found,) = [each for each in report.moved if each.norm == "epsilon"]
    assert found.declared == 1
    assert 0 < found.observed <= 1


@pytest.mark.parametrize("column", ["SUM(cost)", "COUNT(*)"])
def test_a_key_that_one_unit_alone_has_comes_and_goes_without_an_error(column: str) -> None:
    tables = clinic.make_tables(VISITS)
    visits = tables["visits"]
    patients = visits.column("patient_id").to_pylist()
    (alone, _), *_ = Counter(each for each in patients if each is not None).most_common()
    doctors = ["Maier" if each == alone else ("Adler", "Zeller")[place % 2] for place, each in enumerate(patients)]
    place = visits.schema.get_field_index("doctor")
    tables["visits"] = visits.set_column(place, visits.schema.field(place), pa.array(doctors))
    policy = loads(clinic.write_policy(epsilon=200.0, delta=1e-8), "owner/policy.toml")
    neighbours = make_neighbours(policy, tables).only(AROUND[0])
    question = f"SELECT doctor, {column} FROM visits GROUP BY doctor"
    report = replay(question, neighbours, epsilon=20, clock=False).raise_if_any()
    assert [each.observed for each in report.moved if each.norm == "keys of the data"] == [1]
