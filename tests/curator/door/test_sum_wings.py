"""A wing that sums over units: it pays once, goes on after a crash, and fails without a word about the data."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import pytest

from curator.door.test_wings import die, kill_in_child, kinds
from discreet.base.canonical import Json
from discreet.base.errors import FailedError, OperationError, QueryError, StoppedError
from discreet.base.grid import Floats
from discreet.curator import Curator
from discreet.curator.door.clipping import Clip
from discreet.curator.door.desk import Desk
from discreet.curator.door.operation import declare
from discreet.curator.door.performance import GENERIC, Performance
from discreet.engines.held import MemoryRows
from discreet.engines.running import RunCancelledError
from discreet.mechanisms import Laplace
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy.charges import Charge
from support.clinic import open_clinic
from support.toy_wings import two_gradients

THIRD = Fraction(3, 10)


def plan_of(curator: Curator, text: str = "SELECT 1 AS one, age, cost FROM visits") -> RowsPlan:
    return curator.session().plan_rows(text)


def test_a_plan_of_rows_is_free_and_says_what_is_wrong_with_its_text(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        session = curator.session()
        adults = session.plan_rows("SELECT age FROM adults WHERE age < $most", {"most": 65}, max_rows=2)
        assert adults.rows == 2
        with pytest.raises(QueryError, match=r"the question has no \$least"):
            session.plan_rows("SELECT age FROM visits", {"least": 3})
        with pytest.raises(QueryError, match="nested too deeply"):
            session.plan_rows(f"SELECT {'(' * 3000}age{')' * 3000} FROM visits")
        assert kinds(curator) == ["CREATE"]


def test_a_wing_takes_two_steps_pays_once_and_is_found_again(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        wing = two_gradients(plan_of(curator), THIRD)
        session = curator.session()
        found, receipt = session.perform(wing, "two steps of gradient descent")
        assert receipt.paid == "charged"
        assert receipt.charge.epsilon == THIRD
        assert [len(gradient) for gradient in found] == [2, 2]
        assert found[0][1] < 0, "costs are positive, so weights of zero are too small"
        assert session.perform(wing)[0] == found
        assert session.perform(wing)[1].paid == "free"
        assert kinds(curator) == ["CREATE", "CHARGE", "MEASURE", "MEASURE", "RECORD"]
        assert curator.ledger.verify().ok


def test_rows_are_let_go_at_the_end_of_a_run_however_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[object] = []
    monkeypatch.setattr(MemoryRows, "close", lambda held: ended.append(held))

    def fail() -> None:
        raise ValueError("between two draws")

    with open_clinic(tmp_path) as curator:
        curator.session().perform(two_gradients(plan_of(curator), THIRD))
        assert len(ended) == 1
        with pytest.raises(FailedError):
            curator.session().perform(two_gradients(plan_of(curator), THIRD / 2, between=fail))
        assert len(ended) == 2


def test_a_wing_killed_between_two_steps_goes_on_from_its_journal(tmp_path: Path) -> None:
    open_clinic(tmp_path).close()

    def killed() -> None:
        with open_clinic(tmp_path) as curator:
            curator.session().perform(two_gradients(plan_of(curator), THIRD, between=die))

    kill_in_child(killed)
    with open_clinic(tmp_path) as curator:
        assert kinds(curator) == ["CREATE", "CHARGE", "MEASURE"]
        wing = two_gradients(plan_of(curator), THIRD)
        with curator.ledger.charge(curator.session()._request(declare(wing), ""), wing.charge) as claim:
            (before,) = curator.ledger.runs.read_journal(claim)
        found, receipt = curator.session().perform(wing)
        assert str(found[0]).encode() == before.result
        assert receipt.paid == "free"
        assert kinds(curator).count("MEASURE") == 2
        assert curator.ledger.spent().spent[0] == THIRD
        assert curator.ledger.verify().ok


def test_a_wing_that_declares_too_little_is_refused_before_the_draw(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        honest = two_gradients(plan_of(curator), THIRD)
        with pytest.raises(OperationError, match="declare all that it draws"):
            curator.session().perform(replace(honest, charge=Charge(THIRD / 3, Fraction(1))))
        with pytest.raises(OperationError, match="declare all that it draws"):
            curator.session().perform(replace(honest, clip=Clip(3 * honest.clip.steps, honest.clip.step)))
        assert "MEASURE" not in kinds(curator)
        assert "SUSPEND" not in kinds(curator)


def test_under_replace_neighbours_the_same_noise_costs_twice(tmp_path: Path) -> None:
    with open_clinic(tmp_path, neighbours="replace") as curator:
        wing = two_gradients(plan_of(curator), THIRD)
        with pytest.raises(OperationError, match="declare all that it draws"):
            curator.session().perform(wing)
        charge = Charge(2 * THIRD, Fraction(1))
        assert curator.session().perform(replace(wing, charge=charge))[1].charge.epsilon == 2 * THIRD


def test_a_plan_of_rows_that_was_not_declared_is_not_read(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        wing = two_gradients(plan_of(curator), THIRD)
        object.__setattr__(wing, "plans", lambda: (plan_of(curator, "SELECT age FROM visits"),))
        with pytest.raises(OperationError, match="was not declared"):
            curator.session().perform(wing)
        assert "MEASURE" not in kinds(curator)


def test_a_wing_that_is_cancelled_between_two_steps_takes_no_other_and_goes_on_later(tmp_path: Path) -> None:
    """Rows are read once, so no engine runs any more that could be interrupted."""
    with open_clinic(tmp_path) as curator:
        running: list[Performance[list[list[int]]]] = []
        begun = threading.Event()

        def cancel() -> None:
            assert begun.wait(60)
            running[0].cancel()

        running.append(curator.session().start(two_gradients(plan_of(curator), THIRD, between=cancel)))
        begun.set()
        with pytest.raises(StoppedError):
            running[0].result()
        assert kinds(curator) == ["CREATE", "CHARGE", "MEASURE"]
        assert curator.session().perform(two_gradients(plan_of(curator), THIRD))[1].paid == "free"
        assert kinds(curator)[-2:] == ["MEASURE", "RECORD"]


@dataclass(frozen=True)
class OfOne:
    """A function that does something when it meets one person's rows."""

    act: Callable[[], object]
    dimension: int = 1

    def describe(self) -> Json:
        return "of one"

    def apply(self, rows: Floats) -> Floats:
        return (self.act() if rows.max() >= 99 else [1.0]) or [1.0]  # type: ignore[return-value]


@dataclass(frozen=True)
class Careless:
    """Sums once with a function, and hides what goes wrong there."""

    kind: ClassVar[str] = "careless"
    version: ClassVar[int] = 1

    plan: RowsPlan
    function: OfOne
    hide: Callable[[BaseException], None]
    charge: ClassVar[Charge] = Charge(THIRD, Fraction(1))

    def parameters(self) -> Json:
        return self.function.describe()

    def plans(self) -> tuple[RowsPlan, ...]:
        return (self.plan,)

    def run(self, desk: Desk) -> bytes:
        try:
            return str(desk.sum(self.plan, self.function, Clip(10, 1.0), Laplace(1000.0))).encode()
        except BaseException as trouble:
            self.hide(trouble)
            return b"somebody of 99 is there"

    def finish(self, measured: bytes) -> bytes:
        return measured


def fail(trouble: BaseException) -> None:
    raise trouble


def tell(trouble: BaseException) -> None:
    raise OperationError(f"somebody of 99 is there: {trouble}")


def stay_silent(trouble: BaseException) -> None:
    return None


@pytest.mark.parametrize("hide", [fail, tell, stay_silent])
@pytest.mark.parametrize("trouble", [ZeroDivisionError("99"), OperationError("99"), RunCancelledError("99")])
def test_a_function_that_fails_on_one_persons_rows_is_a_failure_of_the_data(
    tmp_path: Path, trouble: BaseException, hide: Callable[[BaseException], None]
) -> None:
    """Whatever it raises, and whatever a wing makes of it: the same words, a suspension, and nothing recorded."""
    with open_clinic(tmp_path) as curator:
        wing = Careless(plan_of(curator, "SELECT age FROM visits"), OfOne(lambda: fail(trouble)), hide)
        with pytest.raises(FailedError) as told:
            curator.session().perform(wing)
        assert str(told.value) == GENERIC
        assert kinds(curator) == ["CREATE", "CHARGE", "SUSPEND"]
        (failure,) = curator.ledger.failures
        assert failure.words == f"FailedError: the function failed on a unit's rows: {type(trouble).__name__}"


def test_a_function_that_returns_another_shape_for_one_person_fails_alike(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        wing = Careless(plan_of(curator, "SELECT age FROM visits"), OfOne(lambda: [1.0, 2.0]), stay_silent)
        with pytest.raises(FailedError) as told:
            curator.session().perform(wing)
        assert str(told.value) == GENERIC
        assert kinds(curator) == ["CREATE", "CHARGE", "SUSPEND"]
