"""Online weights through the door: the promise on streams fixed beforehand, exact neighbours, charges and crashes."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import arb

from curator.door.test_watching import CELLS, DOMAIN, PLAN, desk_of
from curator.door.test_wings import die, kill_in_child, kinds
from discreet.base.errors import (
    ExhaustedError,
    OperationError,
    ParameterError,
    QueryError,
    StoppedError,
    SuspendedError,
)
from discreet.curator import Curator
from discreet.curator.door.desk import Desk
from discreet.curator.door.meter import ChargeMeter
from discreet.engines.result import ExactRows
from discreet.families import Marginals, Parities, Ranges
from discreet.families.domain import Domain
from discreet.mechanisms import Laplace, SparseVector
from discreet.synthetic.online_weights import (
    Inbox,
    OnlineWeights,
    RunningWeights,
    WeightsAnswer,
    WeightsOperation,
    _Answering,
)
from discreet.synthetic.weights_design import WeightsDesign, design_weights
from mechanisms.answer_patterns import Outcomes, keeps, pattern_law
from support import laws
from support.clinic import VISITS, make_tables, open_clinic, write_policy
from support.desks import Pages, never

TEXT = "SELECT CASE WHEN age > 60 THEN 1 ELSE 0 END AS old, CASE WHEN ward = 'icu' THEN 1 ELSE 0 END AS icu FROM visits"
EASY: dict[str, Any] = {"alpha": 0.1, "beta": 0.01, "rows": 1_000_000, "questions": 5, "updates": 3}
SURE = EASY | {"beta": 1e-9}


class ScriptedDesk:
    """Says what is written down, and notes what decides how likely that is: the gaps of each watch, measurements."""

    def __init__(self, script: tuple[int | None, ...], table: tuple[int, ...]) -> None:
        self.script, self.table = list(script), table
        self.watches: list[list[int]] = []
        self.measured: list[int] = []

    def start_watch(self, *_: object) -> int:
        self.watches.append([])
        return len(self.watches) - 1

    def exceeds(self, watch: int, family: Any, group: int, estimate: int, threshold: int) -> bool:
        self.watches[watch].append(abs(self.table[group] - estimate) - threshold)
        return self.script[0] is not None or bool(self.script.pop(0))

    def count(self, plan: object, family: Any, group: int, noise: object) -> tuple[int]:
        value = self.script.pop(0)
        assert value is not None
        self.measured.append(value - self.table[group])
        return (value,)


TINY = WeightsDesign(
    4, 8, 3, 0.5, False, 2, 3, 1, 2, 0.5, SparseVector(threshold_scale=4.0, question_scale=8.0), Laplace(5.0)
)
SCRIPTS = [
    each for each in itertools.product((None, 0, 3), repeat=3) if sum(part is not None for part in each) <= TINY.updates
]


@cache
def find_law(gaps: tuple[int, ...]) -> Outcomes:
    """Return what a watch says of these gaps, less the threshold."""
    return pattern_law(gaps, TINY.watch.threshold_scale, TINY.watch.question_scale, 1)


@laws.exactly
def find_chances(table: tuple[int, ...]) -> dict[tuple[int | bool, ...], arb]:
    """Return how likely some transcripts of three questions are, exactly, on a table of four cells."""
    found: dict[tuple[int | bool, ...], arb] = {}
    noise = laws.laplace(TINY.noise.scale)
    for script in SCRIPTS:
        desk = ScriptedDesk(script, table)
        answering = _Answering(PLAN, TINY, desk)  # type: ignore[arg-type]
        for cell in range(3):
            if answering.left:
                answering.answer(CELLS, cell)
        chance = arb(1)
        for gaps in desk.watches:
            law = find_law(tuple(gaps))
            ended = gaps is not desk.watches[-1] or len(desk.measured) == len(desk.watches)
            chance *= law[(*[False] * (len(gaps) - 1), ended)]
        for off in desk.measured:
            chance *= noise.at(off)
        found[tuple(-1 if part is None else part for part in script)] = chance
    return found


@pytest.mark.parametrize("table", [(0, 0, 0, 0), (3, 0, 1, 0)])
def test_theorem_no_transcript_is_likelier_than_was_charged(table: tuple[int, ...]) -> None:
    """All neighbours with one unit of two rows more: exact probabilities of whole transcripts."""
    here = find_chances(table)
    assert 0 < float(sum(here.values(), arb(0))) < 1
    for rows in itertools.combinations_with_replacement(range(4), 2):
        other = tuple(count + rows.count(cell) for cell, count in enumerate(table))
        assert keeps(float(TINY.charge.epsilon), here, find_chances(other))
    far = tuple(count + 40 for count in table)
    assert not keeps(float(TINY.charge.epsilon), here, find_chances(far))


def rows_of_cells(counts: list[int]) -> ExactRows:
    cells = np.repeat(np.arange(4), counts)
    return ExactRows(np.column_stack([cells // 2, cells % 2]).astype(np.int64), np.arange(len(cells) + 1))


def streams() -> Iterator[tuple[list[int], list[int]]]:
    """Yield tables and streams of cells that are fixed before anything is drawn."""
    generator = np.random.default_rng(11)
    for counts in ([20_000, 0, 0, 0], [5000, 5000, 5000, 5000], [9000, 100, 4000, 1], [0, 0, 0, 0]):
        yield counts, generator.integers(0, 4, 60).tolist()
        yield counts, generator.zipf(1.5, 60).clip(1, 4).astype(int).tolist()


@pytest.mark.parametrize(("counts", "stream"), list(streams()))
def test_every_answer_of_a_fixed_stream_is_within_the_promise(counts: list[int], stream: list[int]) -> None:
    """beta is 1e-9 here, so a miss is a mistake; the theorem's updates are never used up."""
    design = design_weights(4, 20_000, 60, 0.1, 1e-9, reach=2)
    desk = desk_of(rows_of_cells(counts), design.charge)
    answering = _Answering(PLAN, design, desk)
    for cell in (place % 4 for place in stream):
        answer = answering.answer(CELLS, cell)
        assert abs(answer.value - counts[cell]) <= answer.half_width <= design.error
    assert answering.left > 0
    assert design.updates - answering.left < 40


def test_the_meter_equals_the_declared_charge() -> None:
    """Every update of a run that uses all of them is admitted, and not one draw more in any currency."""
    design = design_weights(4, 20_000, 60, 0.1, 0.01, reach=2, updates=4)
    for charge, enough in (
        (design.charge, True),
        (replace(design.charge, epsilon=Fraction(design.charge.epsilon) * Fraction(999, 1000)), False),
        (replace(design.charge, rho=Fraction(design.charge.rho) * Fraction(999, 1000)), False),
    ):
        desk = desk_of(rows_of_cells([20_000, 0, 0, 0]), charge)
        answering = _Answering(PLAN, design, desk)
        try:
            while answering.left:
                answering.answer(CELLS, 0)
        except OperationError:
            assert not enough
            assert answering.left == 1
            continue
        assert enough
        with pytest.raises(OperationError, match="declare all that it draws"):
            desk.start_watch(PLAN, design.watch, design.reach)
        with pytest.raises(OperationError, match="declare all that it draws"):
            desk.count(PLAN, CELLS, 0, design.noise)


class ListeningDesk:
    """Notes what a desk is asked for: the mechanisms and thresholds."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.calls: list[object] = []

    def start_watch(self, plan: Any, mechanism: Any, reach: int) -> Any:
        self.calls.append((mechanism, reach))
        return self.desk.start_watch(plan, mechanism, reach)

    def exceeds(self, watch: Any, family: Any, group: int, estimate: int, threshold: int) -> bool:
        self.calls.append(threshold)
        return self.desk.exceeds(watch, family, group, estimate, threshold)

    def count(self, plan: Any, family: Any, group: int, noise: Any) -> Any:
        assert noise is not None
        return self.desk.count(plan, family, group, noise)


def test_thresholds_and_noises_do_not_depend_on_data() -> None:
    design = design_weights(4, 20_000, 60, 0.1, 0.01, reach=2)
    for counts in ([20_000, 0, 0, 0], [0, 0, 0, 0]):
        desk = ListeningDesk(desk_of(rows_of_cells(counts)))
        _Answering(PLAN, design, desk).answer(CELLS, 3)  # type: ignore[arg-type]
        assert desk.calls == [(design.watch, 2), design.threshold]


def test_questions_are_answered_while_it_runs_and_recorded_at_its_end(tmp_path: Path) -> None:
    family = Ranges(Domain((2, 2)), (0,), (((0, 1),), ((1, 2),)))
    with open_clinic(tmp_path) as curator:
        weights = OnlineWeights.prepare(curator.session(), TEXT, **SURE)
        assert weights.domain == DOMAIN
        assert kinds(curator) == ["CREATE"]
        with weights.start() as running:
            assert kinds(curator) == ["CREATE", "CHARGE"]
            assert curator.ledger.spent().spent[0] == pytest.approx(Fraction(weights.charge.epsilon))
            answers = [running.ask(family, group) for group in (0, 1, 0)]
        old = sum((age or 0) > 60 for _, age, _, _ in VISITS)
        for answer, true in zip(answers, (len(VISITS) - old, old, len(VISITS) - old), strict=True):
            assert abs(answer.value - true) <= answer.half_width <= 100_000
        found, receipt = running.close()
        assert list(found) == answers
        assert receipt.paid == "charged"
        assert kinds(curator)[-1] == "RECORD"
        assert curator.ledger.verify().ok
        with pytest.raises(ExhaustedError, match="Another start is another charge"):
            running.ask(family, 0)


def test_each_start_is_charged_and_nothing_is_found_in_the_ledger(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        weights = OnlineWeights.prepare(curator.session(), TEXT, **EASY)
        receipts = []
        for _ in range(2):
            with weights.start() as running:
                running.ask(CELLS, 0)
            receipts.append(running.close()[1])
        assert [each.paid for each in receipts] == ["charged", "charged"]
        assert curator.ledger.spent().spent[0] == pytest.approx(2 * Fraction(weights.charge.epsilon))


def test_a_killed_run_is_forfeited_and_a_new_start_pays_again(tmp_path: Path) -> None:
    open_clinic(tmp_path).close()

    def killed() -> None:
        with open_clinic(tmp_path) as curator:
            running = OnlineWeights.prepare(curator.session(), TEXT, **EASY).start()
            running.ask(CELLS, 0)
            die()

    kill_in_child(killed)
    with open_clinic(tmp_path) as curator:
        assert "MEASURE" in kinds(curator)
        weights = OnlineWeights.prepare(curator.session(), TEXT, **EASY)
        with weights.start() as running:
            running.ask(CELLS, 0)
        assert running.close()[1].paid == "charged"
        assert curator.ledger.spent().spent[0] == pytest.approx(2 * Fraction(weights.charge.epsilon))


def test_a_run_ends_with_its_last_question_or_update(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        running = OnlineWeights.prepare(curator.session(), TEXT, **EASY).start()
        given, refused = 0, None
        while refused is None:
            try:
                running.ask(CELLS, given % 4)
                given += 1
            except ExhaustedError as trouble:
                refused = trouble
        assert given <= 5
        assert len(running.close()[0]) == given


def test_many_threads_may_ask(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator, OnlineWeights.prepare(curator.session(), TEXT, **EASY).start() as running:
        found: list[WeightsAnswer | Exception] = []

        def ask(cell: int) -> None:
            try:
                found.append(running.ask(CELLS, cell))
            except ExhaustedError as trouble:
                found.append(trouble)

        threads = [threading.Thread(target=ask, args=(place % 4,)) for place in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        answered = [each for each in found if isinstance(each, WeightsAnswer)]
        assert len(found) == 8
        assert 1 <= len(answered) <= 5


def test_what_is_refused_costs_no_question(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        session = curator.session()
        with pytest.raises(QueryError):
            OnlineWeights.prepare(session, "SELECT nothing FROM visits", **EASY)
        with pytest.raises(OperationError, match="columns of whole numbers"):
            OnlineWeights.prepare(session, "SELECT cost FROM visits", **EASY)
        with pytest.raises(ParameterError):
            OnlineWeights.prepare(session, TEXT, **(EASY | {"alpha": 1e-9}))
        assert kinds(curator) == ["CREATE"]
        with OnlineWeights.prepare(session, TEXT, **EASY).start() as running:
            with pytest.raises(ParameterError, match="parities need signed=True"):
                running.ask(Parities(DOMAIN, (3,)), 0)
            with pytest.raises(ParameterError, match="a group of one answer"):
                running.ask(Marginals(DOMAIN, ((0,),)), 0)
            with pytest.raises(OperationError, match="numbered from 0 to 3"):
                running.ask(CELLS, 4)
            running.ask(CELLS, 0)
        assert len(running.close()[0]) == 1


def test_parities_are_asked_where_the_promise_is_for_them(tmp_path: Path) -> None:
    how = EASY | {"signed": True}
    with open_clinic(tmp_path) as curator, OnlineWeights.prepare(curator.session(), TEXT, **how).start() as running:
        answer = running.ask(Parities(DOMAIN, (3,)), 0)
        assert abs(answer.value) <= len(VISITS) + answer.half_width


def test_whoever_is_suspended_meanwhile_is_told_nothing_more(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        running = OnlineWeights.prepare(curator.session(), TEXT, **EASY).start()
        running.ask(CELLS, 0)
        curator.ledger.suspend(running._performance._claim)
        with pytest.raises(SuspendedError):
            running.ask(CELLS, 1)
        with pytest.raises(SuspendedError):
            running.close()


def test_a_failure_says_nothing_about_the_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_clinic(tmp_path) as curator:
        running = OnlineWeights.prepare(curator.session(), TEXT, **EASY).start()

        def fail(*_: object) -> Any:
            raise ValueError("patient 17 has a row in cell 2")

        monkeypatch.setattr("discreet.curator.door.desk.count_rows", fail)
        with pytest.raises(Exception, match="failed after it was charged") as caught:
            running.ask(CELLS, 0)
        assert "17" not in str(caught.value)


def test_closing_a_curator_ends_runs_that_nobody_ended(tmp_path: Path) -> None:
    curator = open_clinic(tmp_path)
    running = OnlineWeights.prepare(curator.session(), TEXT, **EASY).start()
    running.ask(CELLS, 0)
    curator.close()
    with pytest.raises(StoppedError):
        running.close()


def test_a_policy_with_a_deadline_refuses_it(tmp_path: Path) -> None:
    """A run that lives on is late by what it is: counted as an overrun, it would suspend whoever asked."""
    open_clinic(tmp_path).close()
    path = tmp_path / "policy.toml"
    path.write_text(write_policy() + "\n[time]\ndeadline = 60\n")
    with Curator.open(path, None, make_tables()) as curator:
        weights = OnlineWeights.prepare(curator.session(), TEXT, **EASY)
        with pytest.raises(OperationError, match="the policy has a deadline"):
            weights.start()
        assert "CHARGE" not in kinds(curator)


def test_the_identity_holds_the_design_and_the_start() -> None:
    design = design_weights(4, 20_000, 60, 0.1, 0.01, reach=2)
    first = WeightsOperation(PLAN, design, "a", Inbox())
    assert first.parameters() != replace(first, start="b").parameters()
    assert first.parameters() != replace(first, design=replace(design, threshold=1)).parameters()
    assert first.parameters() == replace(first, inbox=Inbox()).parameters()


def test_a_run_over_its_own_journal_says_the_same_and_is_then_forfeited() -> None:
    """Nobody gets more of a paid run by starting it again: what was told is told again, and no question more."""
    design = design_weights(4, 20_000, 60, 0.1, 1e-9, reach=2)
    pages, rows, stream = Pages(), rows_of_cells([2500, 6000, 2500, 2500]), (1, 0, 2)
    first = _Answering(PLAN, design, desk_of(rows, pages=pages))
    told = [first.answer(CELLS, cell) for cell in stream]
    assert [each.measured for each in told] == [True, False, False]
    again = _Answering(PLAN, design, Desk((PLAN,), ChargeMeter(design.charge), Pages(pages.rows), never, never))
    assert [again.answer(CELLS, cell) for cell in stream] == told
    with pytest.raises(OperationError, match="forfeited"):
        again.answer(CELLS, 2)


def test_nobody_waits_for_a_run_that_ended_before_it_began(tmp_path: Path) -> None:
    """Such as one that could not read its journal: the question is not left waiting in the inbox."""
    with open_clinic(tmp_path) as curator:
        weights = OnlineWeights.prepare(curator.session(), TEXT, **EASY)
        with weights.start() as running:
            running.ask(CELLS, 0)
        unread = WeightsOperation(weights.plan, weights.design, "another", Inbox())
        with pytest.raises(ExhaustedError):
            RunningWeights(unread, running._performance).ask(CELLS, 0)
