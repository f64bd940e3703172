"""Neighbour replay: the same questions on neighbouring data under the same recorded randomness.

Whatever an analyst can see must be the same, but for noisy numbers, and those may differ by the declared sensitivity
at most: sums over keys in L1 and L2, for every operator.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.answers import Answer
from discreet.curator import Curator
from discreet.curator.release.released import Released
from discreet.mechanisms.key_selection import KeySelection
from discreet.mechanisms.quantile import Quantile
from discreet.noise.bits import replayed
from discreet.plan.bounded import Limits
from discreet.query.price import Price
from support.clinic import VISITS, Visit, open_clinic
from support.sampling import GeneratorBits

QUESTIONS = [
    "SELECT COUNT(*) FROM visits",
    "SELECT COUNT(age), COUNT(ward) FROM visits WHERE cost IS NOT NULL",
    "SELECT COUNT(DISTINCT patient_id) FROM visits",
    "SELECT ward, COUNT(*), COUNT(DISTINCT patient_id) FROM visits GROUP BY ward",
    "SELECT SUM(cost), SUM(age) FROM visits WHERE age BETWEEN 30 AND 60",
    "SELECT ward, COUNT(DISTINCT patient_id) FILTER (WHERE cost > 100 OR age IS NULL) FROM visits GROUP BY ward",
    "SELECT ward, AVG(cost), AVG(age) FROM visits GROUP BY ward",
    "SELECT VARIANCE(cost), STDDEV_POP(age), VAR_POP(cost) FROM visits",
    "SELECT MEDIAN(cost), QUANTILE_CONT(cost, 0.9) FROM visits",
    "SELECT ward, MEDIAN(age) FROM visits GROUP BY ward",
    "SELECT COUNT(*) FROM visits WHERE age % 7 = 3 OR cost / age > 10 AND NOT ward LIKE 'n%'",
    "SELECT COUNT(*) FROM visits WHERE CASE WHEN age > 50 THEN ward IN ('icu', 'north') ELSE cost > 300 END",
    "SELECT city, COUNT(*) FROM visits JOIN wards USING (ward) GROUP BY city",
    "SELECT COUNT(*) FROM visits LEFT JOIN wards USING (ward) WHERE beds > 20 OR beds IS NULL",
    "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING COUNT(*) > -1000000 ORDER BY n DESC",
    "SELECT MIN(cost), MAX(age) FROM visits",
    "SELECT COUNT(DISTINCT ward), CORR(age, cost) FROM visits",
    "SELECT SUM(DISTINCT cost), AVG(DISTINCT age), SUM(DISTINCT age - 60) FROM visits",
    "SELECT ward, SUM(DISTINCT age) FILTER (WHERE cost > 100), AVG(DISTINCT cost) FROM visits GROUP BY ward",
    "SELECT ward, SUM(cost) FILTER (WHERE age > 40) AS s FROM visits GROUP BY ROLLUP (ward)",
    "SELECT n, COUNT(*) FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id) GROUP BY n",
    "SELECT AVG(total) FROM (SELECT patient_id, SUM(cost) AS total FROM visits GROUP BY patient_id)",
    "SELECT COUNT(*), SUM(a.cost) FROM visits a JOIN visits b ON a.patient_id = b.patient_id AND a.ward = b.ward",
    "SELECT COUNT(*) FROM visits a LEFT JOIN visits b USING (patient_id) WHERE a.age > b.age",
    "SELECT COUNT(*) FROM visits WHERE patient_id NOT IN (SELECT patient_id FROM visits WHERE ward = 'icu')",
    "SELECT SUM(cost) FROM (SELECT cost FROM visits UNION ALL SELECT age * 10 AS cost FROM visits)",
    "WITH old AS (SELECT * FROM visits WHERE age > 50) SELECT age // 20 * 20 AS decade, COUNT(*) FROM old GROUP BY 1",
    "SELECT SUM(cost) FROM (SELECT cost * 1000 AS cost FROM visits)",
    "SELECT ward, COUNT(*), SUM(age) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY patient_id ORDER BY ward) AS r "
    "FROM visits) WHERE r = 1 GROUP BY ward",
    "SELECT r, SUM(cost) FROM (SELECT cost, RANK() OVER (PARTITION BY patient_id ORDER BY cost) AS r FROM visits) "
    "GROUP BY r",
    "SELECT age, COUNT(*) FROM visits WHERE age < 25 AND (ward = 'icu' OR cost > 5) GROUP BY age",
    "SELECT doctor, COUNT(*), SUM(cost) FROM visits WHERE doctor IN ('Adler', 'Dr 2', 'nobody') GROUP BY doctor",
    "SELECT CASE WHEN doctor IN ('Adler', 'Dr 2') THEN doctor ELSE 'other' END AS d, COUNT(*) FROM visits GROUP BY d",
    "SELECT ward, beds, city, SUM(age) FROM visits JOIN wards USING (ward) GROUP BY ROLLUP (ward, beds, city)",
]

HEAVY: list[Visit] = [(7777, 50, 100.0 * visit, ("north", "south", "icu")[visit % 3]) for visit in range(30)]
ODD: list[Visit] = [
    (8888, None, None, None),
    (8888, -(2**63), float("inf"), "nowhere"),
    (8888, 2**63 - 1, float("nan"), ""),
    (8888, 0, float("-inf"), "icu"),
]
UNITS: dict[str, list[Visit]] = {"heavy": HEAVY, "odd": ODD, "light": [(9999, 40, 120.0, "icu")]}


@dataclass(frozen=True)
class Seen:
    """All that an analyst sees of one asking, noisy numbers apart."""

    names: tuple[str, ...]
    types: tuple[str, ...]
    remarks: tuple[str, ...]
    keys: tuple[tuple[object, ...], ...]
    guarantee: str
    notes: tuple[str, ...]
    cost: object
    entry: int
    kinds: tuple[str, ...]
    left: float
    explained: str


def seen(curator: Curator, answer: Answer, question: str) -> Seen:
    plain = [place for place, field in enumerate(answer.fields) if not field.noisy]
    keys = sorted((tuple(row[place] for place in plain) for row in answer.rows), key=repr)
    return Seen(
        answer.names,
        tuple(field.type.value for field in answer.fields),
        tuple(field.remark for field in answer.fields),
        tuple(keys),
        answer.guarantee,
        answer.notes,
        answer.cost,
        answer.receipt.entry,
        tuple(entry.kind for entry in curator.ledger.entries()),
        curator.budget.total.left,
        str(curator.explain(question, 0.5)),
    )


def asked(folder: Path, rows: list[Visit], question: str, **how: Any) -> tuple[Seen, Released, Price]:
    with open_clinic(folder, rows, **how) as curator:
        with replayed(GeneratorBits(5)):
            answer = curator.ask(question, 0.5)
        prepared = curator.prepare(question, 0.5)
        claim = curator.ledger.charge(prepared.request, prepared.priced.charge)
        assert claim.answer is not None
        return seen(curator, answer, question), Released.from_bytes(claim.answer), prepared.priced


def differences(one: Released, other: Released, priced: Price) -> Iterator[tuple[int, int, int, int]]:
    """Yield each measure's L1 and squared L2 difference over all sets of keys, beside what is declared.

    Trees are compared by the nodes both know; of what is drawn, only that it is there.
    """
    plan = priced.bounded.plan
    for place, measure in enumerate(plan.measures):
        moved: list[int] = []
        for ours, theirs in zip(one.sets, other.sets, strict=True):
            assert ours.drawn.keys() == theirs.drawn.keys()
            for a, b in zip(ours.trees.get(place, ()), theirs.trees.get(place, ()), strict=True):
                moved += [a[node] - b[node] for node in a.keys() & b.keys() if node[0] == 1]
            moved += [a - b for a, b in zip(ours.sums[place], theirs.sums[place], strict=True)]
        yield sum(map(abs, moved)), plan.l1(measure), sum(x * x for x in moved), plan.l2_squared(measure)


def assert_alike(folder: Path, one: list[Visit], other: list[Visit], question: str, **how: Any) -> None:
    first, released, priced = asked(folder / "one", one, question, **how)
    second, changed, _ = asked(folder / "other", other, question, **how)
    assert first == second
    for l1, declared, l2, declared_l2 in differences(released, changed, priced):
        assert l1 <= declared
        assert l2 <= declared_l2


def pick_some(first: int) -> list[Any]:
    """Return all questions: a third of them are asked in the quick form."""
    return [
        each if place % 3 == first else pytest.param(each, marks=pytest.mark.long)
        for place, each in enumerate(QUESTIONS)
    ]


@pytest.mark.many
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_heavy_unit_more_is_not_noticed(tmp_path: Path, question: str) -> None:
    assert_alike(tmp_path, VISITS, [*VISITS[:500], *HEAVY, *VISITS[500:]], question)


@pytest.mark.parametrize("unit", ["odd", pytest.param("light", marks=pytest.mark.long)])
@pytest.mark.parametrize("question", pick_some(0))
def test_one_unit_more_is_not_noticed(tmp_path: Path, question: str, unit: str) -> None:
    assert_alike(tmp_path, VISITS, [*VISITS[:500], *UNITS[unit], *VISITS[500:]], question)


@pytest.mark.many
@pytest.mark.parametrize("question", pick_some(1))
def test_one_unit_replaced_is_not_noticed(tmp_path: Path, question: str) -> None:
    assert_alike(tmp_path, [*VISITS, *HEAVY], [*ODD, *VISITS], question, neighbours="replace")


@pytest.mark.many
@pytest.mark.parametrize("question", pick_some(2))
def test_an_empty_table_answers_like_any_other(tmp_path: Path, question: str) -> None:
    assert_alike(tmp_path, [], [(1, 30, 10.0, "icu")], question)


@pytest.mark.many
@pytest.mark.parametrize("question", pick_some(0))
def test_rows_without_a_unit_are_dropped(tmp_path: Path, question: str) -> None:
    nobody: list[Visit] = [(None, 30, 100.0, "icu")] * 50
    _, released, _ = asked(tmp_path / "one", VISITS, question)
    _, same, _ = asked(tmp_path / "other", [*nobody, *VISITS], question)
    assert released == same


@pytest.mark.many
@pytest.mark.parametrize("question", pick_some(1))
def test_the_order_of_rows_does_not_matter(tmp_path: Path, question: str) -> None:
    rows = [*VISITS, *HEAVY]
    _, released, _ = asked(tmp_path / "one", rows, question)
    _, same, _ = asked(tmp_path / "other", rows[::-1], question)
    assert released == same


visit = st.tuples(
    st.just(4242),
    st.none() | st.integers(-(2**63), 2**63 - 1) | st.integers(0, 110),
    st.none() | st.floats() | st.floats(0, 5000),
    st.sampled_from([None, "north", "south", "icu", "nowhere", "", "'; --"]),
)


@pytest.mark.slow
@given(rows=st.lists(visit, min_size=1, max_size=12), question=st.sampled_from(QUESTIONS), replace=st.booleans())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_unit_whatsoever_is_noticed(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Visit], question: str, replace: bool
) -> None:
    folder = tmp_path_factory.mktemp("replay")
    others: list[Visit] = [*VISITS[:40], *HEAVY]
    one = others + ([(4242, 33, 5.0, "north")] * 2 if replace else [])
    neighbours = "replace" if replace else "add-remove"
    assert_alike(folder, one, [*others, *rows], question, neighbours=neighbours)


def test_the_replay_notices_what_it_should(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With limits that are declared and not enforced, a heavy unit shows."""
    monkeypatch.setattr("discreet.query.bound.choose_limits", lambda *_: Limits(1000, 1, 1000))
    monkeypatch.setattr(Limits, "l1", lambda self: 3)
    monkeypatch.setattr(Limits, "l2_squared", lambda self: 9)
    with pytest.raises(AssertionError):
        assert_alike(tmp_path, VISITS, [*VISITS, *HEAVY], "SELECT COUNT(*) FROM visits")


def test_every_charge_is_at_least_its_noise(tmp_path: Path) -> None:
    """The privacy that the noise gives, measure by measure, adds up to no more than what was charged."""
    with open_clinic(tmp_path) as curator:
        for question in QUESTIONS:
            priced = curator.prepare(question, 0.5).priced
            plan = priced.bounded.plan
            if priced.charge.epsilon == Fraction(1, 2):
                losses = [
                    Fraction(noise.epsilon)
                    if isinstance(noise, Quantile)
                    else Fraction(plan.l1(measure)) / Fraction(noise.scale)  # type: ignore[union-attr]
                    for measure, noise in zip(plan.measures, priced.noises, strict=True)
                ]
                kept = Fraction(priced.selection.epsilon) if isinstance(priced.selection, KeySelection) else 0
                assert sum(losses) + kept <= Fraction(1, 2)
