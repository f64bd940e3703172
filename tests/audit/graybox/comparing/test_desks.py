"""Replay at the door: rules of the desk and of engines that are broken, one at a time, are found by neighbours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

from audit.graybox.cases import OPERATIONS, find_world
from discreet.audit.graybox import FindingKind, ReplayDatabase, ReplayNeighbours, ReplayReport, replay
from discreet.audit.graybox.comparing import desk_rules
from discreet.audit.graybox.comparing.verdicts import PairRelation
from discreet.audit.graybox.recording.heard import list_heard
from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.curator import Curator
from discreet.curator.door import clipping, resampling, statistics, sums
from discreet.curator.door import desk as desks
from discreet.curator.door.clipping import Clip
from discreet.curator.door.desk import Desk
from discreet.curator.door.unit_functions import ColumnSums
from discreet.curator.release import noise as releasing
from discreet.engines.held import MemoryRows
from discreet.engines.result import ExactRows
from discreet.mechanisms import Gaussian, Laplace, Quantile
from discreet.mechanisms.robust.universal import UniversalMean
from discreet.plan.bounded import Limits
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy.charges import Charge
from robust.questions import QUESTIONS as ROBUST
from support.summing_wing import SumsOfCosts, sum_costs
from support.toy_wings import two_looks

CLINIC = find_world("clinic")
MANY, LESS = "with unit with many rows", "without the unit with the most rows"
EXTREME, HIGH, DEAR = "with unit of extremes", "with unit at the upper bounds", "with unit dear in time"
COUNT = "SELECT COUNT(*) FROM visits"


def find(operation: Any, *names: str, **how: Any) -> ReplayReport:
    return replay(operation, CLINIC.only(*names), clock=False, **how)


def find_kinds(report: ReplayReport) -> set[FindingKind]:
    return {each.kind for each in report.findings}


def test_an_honest_wing_has_no_finding_also_where_draws_follow_draws() -> None:
    def adapt(desk: Desk, asked: SumsOfCosts, told: tuple[int, ...]) -> list[Any]:
        noise = Laplace(float(2**17 + abs(told[0]) % 1000))
        return [desk.sum(asked.plan, ColumnSums(1), asked.clip, noise) for _ in range(1 + told[0] % 3)]

    report = find(lambda curator: sum_costs(curator, adapt), MANY, LESS, EXTREME).raise_if_any()
    assert report.calls > 2
    looks = find(
        lambda curator: curator.session().perform(
            two_looks(
                curator.prepare("SELECT ward, COUNT(*) FROM visits GROUP BY ward", 1.0).operation.plan, Fraction(1)
            ),
            "two looks",
        ),
        MANY,
        LESS,
    )
    assert looks.raise_if_any().calls == 3


@pytest.mark.parametrize(("l1", "l2"), [(3, 10**6), (10**6, 3)])
def test_limits_that_are_declared_and_not_enforced_are_found(monkeypatch: pytest.MonkeyPatch, l1: int, l2: int) -> None:
    monkeypatch.setattr("discreet.query.bound.choose_limits", lambda *_: Limits(1000, 1, 1000))
    monkeypatch.setattr(Limits, "l1", lambda self: l1)
    monkeypatch.setattr(Limits, "l2_squared", lambda self: l2**2)
    report = find(COUNT, MANY)
    assert find_kinds(report) == {FindingKind.SENSITIVITY}
    (found,) = report.findings
    assert "declared 3, observed 16" in found.words
    assert found.words.endswith("(L1)" if l1 == 3 else "(L2)")


def test_half_of_a_sum_s_sensitivity_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert find(sum_costs, HIGH).ok
    monkeypatch.setattr(desks, "bound_sum", lambda plan, clip: sums.bound_sum(plan, clip) // 2)
    report = find(sum_costs, HIGH)
    assert find_kinds(report) == {FindingKind.SENSITIVITY}
    assert any(each.exceeds and each.observed == each.declared * 2 for each in report.moved if each.declared)
    gaussian = {"noise": Gaussian(2.0**17), "charge": Charge(float("inf"), Fraction(100))}
    assert not find(lambda curator: sum_costs(curator, **gaussian), HIGH).ok


def test_a_clip_that_is_skipped_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    clip = Clip(1 << 10, 2.0**-2)
    assert find(lambda curator: sum_costs(curator, clip=clip), HIGH).ok
    monkeypatch.setattr(sums, "clip_vectors", lambda vectors, clip, norm: (vectors / clip.step).astype(np.int64))
    report = find(lambda curator: sum_costs(curator, clip=clip), HIGH)
    assert find_kinds(report) == {FindingKind.SENSITIVITY}


@pytest.mark.long
def test_a_resample_whose_clip_is_skipped_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    (case,) = OPERATIONS["bootstrap"]
    clip = clipping.clip_vectors
    monkeypatch.setattr(resampling, "clip_vectors", lambda *given: 2 * clip(*given))
    report = find(case.perform, HIGH)
    assert find_kinds(report) == {FindingKind.SENSITIVITY}


class Doubled(list[Any]):
    """Lines of numbers that come out twice as large as they are."""

    def __iter__(self) -> Iterator[list[int]]:
        return ([2 * number for number in line] for line in super().__iter__())


def test_resamples_whose_noise_is_added_to_something_else_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True)
    class ResampledCosts(SumsOfCosts):
        def run(self, desk: Desk) -> bytes:
            return json.dumps(desk.resample(self.plan, ColumnSums(1), self.clip, Gaussian(2.0**16), 3)).encode()

    def ask(curator: Curator) -> object:
        session = curator.session()
        charge = Charge(float("inf"), Fraction(100))
        operation = ResampledCosts(session.plan_rows("SELECT cost FROM visits"), charge=charge)
        return session.perform(operation, "resampled costs")

    assert find(ask, HIGH).raise_if_any().moved
    original = resampling.sum_resamples
    monkeypatch.setattr(desks, "sum_resamples", lambda *given: Doubled(original(*given)))
    report = find(ask, HIGH)
    assert find_kinds(report) == {FindingKind.CALLS}
    assert "adds noise to something else than its sums" in str(report)


def test_rows_of_others_that_change_with_somebody_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit by place among all rows, instead of by a unit's own, lets one person push another's row out."""
    read = MemoryRows.read

    def cut(self: MemoryRows) -> ExactRows:
        rows = read(self)
        many = len(rows.points) - len(rows.points) % 40
        return ExactRows(rows.points[:many], np.minimum(rows.offsets, many))

    assert find(sum_costs, MANY).ok
    monkeypatch.setattr(MemoryRows, "read", cut)
    report = find(sum_costs, MANY, LESS)
    assert any("units" in each.words for each in report.findings)


def test_more_rows_of_a_unit_than_it_keeps_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    plan_rows = desks.Desk._hold

    def hold(self: Desk, name: str, plan: RowsPlan) -> Any:
        rows = plan_rows(self, name, plan).read()
        return MemoryRows(lambda: ExactRows(np.repeat(rows.points, 2, axis=0), rows.offsets * 2))

    monkeypatch.setattr(desks.Desk, "_hold", hold)
    report = find(sum_costs, MANY)
    assert any("rows of a unit" in each.words for each in report.findings)


def test_draws_and_scales_that_follow_exact_numbers_are_found() -> None:
    def choose(curator: Curator) -> object:
        rows = curator._engines.read(curator.session().plan_rows("SELECT cost FROM visits")).result()
        return sum_costs(curator, noise=Laplace(2.0**17 + rows.units))

    def draw_often(curator: Curator) -> object:
        rows = curator._engines.read(curator.session().plan_rows("SELECT cost FROM visits")).result()
        more = lambda desk, asked, _: [  # noqa: E731
            desk.sum(asked.plan, ColumnSums(1), asked.clip, asked.noise) for _ in range(rows.units % 2)
        ]
        return sum_costs(curator, more)

    assert find(lambda curator: (sum_costs(curator), None), LESS).ok
    assert FindingKind.CALLS in find_kinds(find(choose, LESS))
    assert FindingKind.CALLS in find_kinds(find(draw_often, LESS))


def test_an_answer_that_depends_on_rows_past_the_desk_is_found() -> None:
    def tell(curator: Curator) -> object:
        rows = curator._engines.read(curator.session().plan_rows("SELECT cost FROM visits")).result()
        return sum_costs(curator), rows.units

    assert find_kinds(find(tell, LESS)) == {FindingKind.RESULT}


def test_an_entry_of_the_ledger_that_depends_on_rows_is_found_and_named() -> None:
    def ask_and_note(curator: Curator) -> None:
        rows = curator._engines.read(curator.session().plan_rows("SELECT cost FROM visits")).result()
        curator.ask("SELECT COUNT(*) FROM visits", 0.5)
        curator.ledger.note("LOOKED" if rows.units % 2 else "READ", {})

    report = find(ask_and_note, LESS)
    assert [str(each) for each in report.findings] == [
        f"result, {LESS}: what is seen beside it, entries of the ledger[4] differs"
    ]


def test_a_unit_s_function_that_raises_suspends_and_is_found() -> None:
    @dataclass(frozen=True)
    class Fussy:
        dimension: ClassVar[int] = 1

        def describe(self) -> Json:
            return "fussy"

        def apply(self, rows: Any) -> Any:
            if rows.min() >= 5000:
                raise ValueError("this one is too dear")
            return [float(len(rows))]

    def fuss(desk: Desk, asked: SumsOfCosts, _: object) -> list[Any]:
        return [desk.sum(asked.plan, Fussy(), asked.clip, asked.noise)]

    report = find(lambda curator: sum_costs(curator, fuss), HIGH)
    assert find_kinds(report) == {FindingKind.ERROR}
    assert "the question failed after it was charged" in str(report)
    assert find(lambda curator: sum_costs(curator, fuss), LESS).ok


def test_a_call_of_a_desk_without_a_rule_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(desk_rules.RULES, "sum")
    report = find(sum_costs, LESS)
    assert "there is no rule for desk: sum" in str(report)


@pytest.mark.parametrize(
    "question", [COUNT, "SELECT ward, COUNT(*), SUM(cost), MEDIAN(cost) FROM visits GROUP BY ward"]
)
def test_noise_that_is_declared_and_not_drawn_is_found(monkeypatch: pytest.MonkeyPatch, question: str) -> None:
    add_noise = releasing._add_noise

    def add_none(plan: Any, found: Any, draws: Any, _: Any) -> Any:
        return add_noise(plan, found, draws, dict(enumerate(found.sums)))

    assert find(question, LESS).ok
    monkeypatch.setattr(releasing, "_add_noise", add_none)
    report = find(question, LESS)
    assert FindingKind.CALLS in find_kinds(report)
    assert "does not ask Laplace" in str(report)


def test_keys_of_the_data_that_are_shown_without_a_selection_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = "SELECT doctor, SUM(cost) FROM visits GROUP BY doctor"

    def show_all(plan: Any, found: Any, draws: Any) -> Any:
        return releasing._add_noise(plan, found, draws, {})

    assert find(asked, LESS).ok
    monkeypatch.setattr(releasing, "_release_set", show_all)
    report = find(asked, LESS)
    assert any("does not ask KeySelection" in each.words for each in report.findings)


def test_the_order_of_rows_and_rows_of_nobody_move_nothing() -> None:
    assert find(sum_costs, "rows in another order", "rows that name nobody").raise_if_any().moved == ()


def test_what_depends_on_the_order_of_rows_is_found() -> None:
    base = ReplayDatabase("rows", PairRelation.SAME, lambda: nullcontext([3, 1, 2]))
    other = ReplayDatabase("in another order", PairRelation.SAME, lambda: nullcontext([2, 1, 3]))
    given = ReplayNeighbours(((base, (other,)),))
    assert replay(lambda rows: Laplace(9.0).release(sum(rows)), given, sensitivity=9, clock=False).ok
    report = replay(lambda rows: Laplace(9.0).release(rows[0]), given, sensitivity=9, clock=False)
    assert find_kinds(report) == {FindingKind.SENSITIVITY}
    assert "declared 0, observed 1" in str(report)


def test_every_mechanism_of_a_statistic_at_a_desk_is_heard() -> None:
    for made in (*statistics.NOISES, *statistics.UNBOUNDED, Quantile):
        assert any(issubclass(made, each.kind) for each in list_heard()), made.__name__


@pytest.mark.parametrize("name", ["universal mean", "universal variance", "universal quartiles"])
def test_universal_estimators_at_a_desk_are_heard_as_one_mechanism(name: str) -> None:
    report = find(lambda curator: ROBUST[name](curator, 1.0), LESS).raise_if_any()
    moved = {(each.call, each.norm): each for each in report.moved}
    heard = [each for (call, norm), each in moved.items() if call.startswith("Universal") and norm == "values"]
    assert [(each.declared, each.observed) for each in heard] == [(1, 1)]


def test_a_statistic_that_is_made_for_fewer_rows_than_a_unit_has_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True)
    class MeanOfCosts(SumsOfCosts):
        def run(self, desk: Desk) -> bytes:
            return json.dumps(desk.release_statistic(self.plan, UniversalMean(1.0, self.plan.rows))).encode()

    def ask(curator: Curator) -> object:
        session = curator.session()
        return session.perform(MeanOfCosts(session.plan_rows("SELECT cost FROM visits")), "a mean of costs")

    assert find(ask, MANY).raise_if_any()
    monkeypatch.setattr(desks, "renew", lambda statistic: UniversalMean(1.0))
    monkeypatch.setattr(desks, "check_statistic", lambda plan, statistic: statistic.loss())
    report = find(ask, MANY)
    assert find_kinds(report) == {FindingKind.SENSITIVITY}
    assert "UniversalMean: declared 1, observed" in str(report.findings[0])


@dataclass(frozen=True)
class SumsBesideOthers(SumsOfCosts):
    """A wing whose sum reads rows of other plans too."""

    others: tuple[RowsPlan, ...] = ()

    def plans(self) -> tuple[RowsPlan, ...]:
        return (self.plan, *self.others)


def sum_beside(curator: Curator, choose: Any) -> object:
    session = curator.session()
    others = tuple(session.plan_rows(f"SELECT {column} FROM visits") for column in ("age", "quantity"))

    def read_more(desk: Desk, asked: SumsOfCosts, _: object) -> list[Any]:
        def apply(_: Any) -> list[float]:
            units = desk._hold(desk._find_hash(asked.plan, RowsPlan), asked.plan).read().units
            for plan in choose(others, units):
                desk._hold(desk._find_hash(plan, RowsPlan), plan)
            return [0.0]

        return [desk.sum(asked.plan, PlainFunction(apply), asked.clip, asked.noise)]

    plan = session.plan_rows("SELECT cost FROM visits")
    return session.perform(SumsBesideOthers(plan, read_more, others=others), "sums beside others")


@dataclass(frozen=True)
class PlainFunction:
    apply: Any
    dimension: ClassVar[int] = 1

    def describe(self) -> Json:
        return "plain"


@pytest.mark.parametrize("how", [{"epsilon": 0.1}, {"sensitivity": 1}])
def test_operations_of_a_curator_are_not_declared_beside_their_meter(how: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match="must be left out: operations of a curator declare by themselves"):
        find(sum_costs, MANY, **how)


@pytest.mark.parametrize("how", [{"sensitivity": 1}, {"delta": 1e-9}])
def test_nothing_but_an_epsilon_is_said_of_a_question(how: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match="must be left out: operations of a curator declare by themselves"):
        find(COUNT, MANY, **how)


def test_rows_of_every_plan_that_a_call_reads_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: list[RowsPlan] = []

    def choose(others: tuple[RowsPlan, ...], _: int) -> tuple[RowsPlan, ...]:
        chosen.append(others[0])
        return others[:1]

    def ask(curator: Curator) -> object:
        return sum_beside(curator, choose)

    assert find(ask, MANY).raise_if_any()
    hold = desks.Desk._hold

    def hold_twice(self: Desk, name: str, plan: RowsPlan) -> Any:
        rows = hold(self, name, plan).read()
        twice = 1 + (plan in chosen)
        return MemoryRows(lambda: ExactRows(np.repeat(rows.points, twice, axis=0), rows.offsets * twice))

    monkeypatch.setattr(desks.Desk, "_hold", hold_twice)
    assert any("rows of a unit" in each.words for each in find(ask, MANY).findings)


def test_a_call_that_reads_rows_of_another_plan_on_a_neighbour_is_found() -> None:
    def choose(others: tuple[RowsPlan, ...], units: int) -> tuple[RowsPlan, ...]:
        return others[1:] if units % 2 else others[:1]

    report = find(lambda curator: sum_beside(curator, choose), LESS)
    assert find_kinds(report) == {FindingKind.CALLS}
    assert "reads other rows, of" in str(report)
