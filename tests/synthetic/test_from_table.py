"""Synthetic tables through the door: charged once, recorded whole, resumed after a kill, refused before a charge."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator.door.test_wings import die, kill_in_child, kinds
from discreet.base.errors import BudgetError, DiscreetError, ParameterError, QueryError
from discreet.curator import Curator
from discreet.families.domain import Domain, RowTable
from discreet.families.marginals import Marginals
from discreet.query.placed_columns import Condition
from discreet.synthetic.allowance import Allowance
from discreet.synthetic.counter import DeskCounter, TableCounter
from discreet.synthetic.from_table import find_placeable, synthesize
from discreet.synthetic.strategies.choose import ChosenStrategy, check_strategy, choose_strategy
from discreet.synthetic.workload import MarginalWorkload, ParityWorkload, QuestionWorkload, RangeWorkload
from support.clinic import NAMES, VISITS, Visit, open_clinic

FEW = ["ward", "quantity"]
OLD, DEAR = Condition("old", "age > 60"), Condition("dear", "cost > 900")
TWO = Condition("two", "1 = 1) THEN 7 ELSE 0 END, CASE WHEN (1 = 1")
ELSEWHERE = Condition("c", "sex = 'f') THEN 1 ELSE 0 END AS place0 FROM patients -- ")


def test_a_table_is_charged_once_recorded_and_free_again(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=200.0) as curator:
        model = synthesize(curator, "visits", MarginalWorkload(2), epsilon=20, columns=FEW)
        assert model.receipt is not None
        assert model.receipt.paid == "charged"
        assert model.receipt.charge.epsilon == 20
        assert abs(model.rows - len(VISITS)) < 30
        wards = model.count("ward")
        true = [sum(ward == name for *_, ward in VISITS) for name in NAMES]
        assert np.abs(wards[1:4] - true).max() < 30
        assert wards[[0, 4]].max() < 20
        again = synthesize(curator, "visits", 2, epsilon=20, columns=FEW)
        assert again.receipt is not None
        assert again.receipt.paid == "free"
        assert again.transcript.to_bytes() == model.transcript.to_bytes()
        loud, fresh = (
            synthesize(curator, "visits", 2, epsilon=0.01, columns=FEW, fresh=each) for each in (False, True)
        )
        assert fresh.receipt is not None
        assert fresh.receipt.paid == "charged"
        assert fresh.transcript.to_bytes() != loud.transcript.to_bytes(), "the noise is wide, so no draw comes twice"
        whole = {"strategy": "whole"}
        for other in ({}, {"workload": 1}, {"columns": ["ward", "age"]}, {"bins": {"quantity": 3}}):
            how: dict[str, Any] = {"workload": 2, "epsilon": 20, "columns": FEW} | whole | other
            assert synthesize(curator, "visits", **how).receipt.paid == "charged"  # type: ignore[union-attr]
        assert curator.ledger.verify().ok


@pytest.mark.many
@pytest.mark.parametrize(
    ("workload", "how", "strategy"),
    [
        (MarginalWorkload(2), {"epsilon": 1, "columns": ["age", "cost", "quantity", "day"]}, "each"),
        (MarginalWorkload(2), {"epsilon": 1, "columns": ["age", "cost", "ward"], "strategy": "aim"}, "aim"),
        (MarginalWorkload(2), {"epsilon": 1, "columns": FEW}, "whole"),
        (MarginalWorkload(2), {"rho": 0.05, "strategy": "mst"}, "mst"),
        (MarginalWorkload(1), {"epsilon": 1, "delta": 1e-10, "strategy": "mwem", "rounds": 3}, "mwem"),
        (RangeWorkload("age"), {"epsilon": 1, "columns": ["age"]}, "tree"),
        (RangeWorkload("age", "cost"), {"epsilon": 0.001, "columns": ["age", "cost"], "bins": {"cost": 30}}, "tree"),
        (RangeWorkload("quantity"), {"epsilon": 1, "columns": ["quantity"]}, "whole"),
        (
            ParityWorkload(2),
            {"epsilon": 1, "columns": [Condition("old", "age > 60"), Condition("a", "cost > 9")]},
            "each",
        ),
        (MarginalWorkload(1), {"epsilon": 1, "columns": ["age", "ward", "quantity"]}, "each"),
        (QuestionWorkload({"ward": "north"}, {"ward": ["south", None]}), {"epsilon": 1, "columns": FEW}, "each"),
        (QuestionWorkload({"ward": "north"}), {"epsilon": 1, "columns": FEW, "strategy": "mwem"}, "mwem"),
    ],
    ids=str,
)
def test_every_strategy_runs_on_a_table_and_says_why(
    tmp_path: Path, workload: Any, how: dict[str, Any], strategy: str
) -> None:
    with open_clinic(tmp_path) as curator:
        model = synthesize(curator, "visits", workload, **how)
        assert model.transcript.strategy == strategy
        assert (model.transcript.reason == "it was asked for") == ("strategy" in how)
        assert model.fit.report.converged
        assert model.receipt is not None
        pure = "delta" not in how and "rho" not in how
        assert model.receipt.charge.epsilon == (Fraction(str(how["epsilon"])) if pure else math.inf)
        assert model.receipt.charge.rho <= Fraction(1, 2)


def test_many_marginals_of_a_large_table_are_chosen_by_aim() -> None:
    """Thirty columns: no table holds all cells, and no tree all pairs of columns."""
    workload = Marginals.of_order(Domain((10,) * 30), 2)
    unit = TableCounter(RowTable(workload.domain, (np.zeros(3, dtype=np.int64),) * 30), 1, 1)
    chosen = choose_strategy(workload, unit, 1e6, Allowance("rho", Fraction(1, 10)))
    assert chosen == ChosenStrategy("aim", f"{10**30:,} cells are too many for one table")
    with pytest.raises(ParameterError, match="435 groups of questions are too many, or their columns"):
        check_strategy("each", workload, 0)


def test_questions_of_ones_own_are_answered_from_what_they_count(tmp_path: Path) -> None:
    """Noise of scale 2 / 49: the count is the true one but with a chance of e^-24."""
    condition = Condition("old and dear", "age > 60 AND cost > 500")
    asked = QuestionWorkload({"ward": ["north", "south"], "quantity": 1}, {"old and dear": True})
    with open_clinic(tmp_path, epsilon=200.0) as curator:
        model = synthesize(curator, "visits", asked, epsilon=100, columns=[*FEW, condition])
        assert [each.columns for each in model.transcript.readings] == [(), (0, 1), (2,)]
        true = sum(row[1] is not None and row[1] > 60 and row[2] is not None and row[2] > 500 for row in VISITS)
        with pytest.raises(ParameterError, match="where it is unknown, it does not hold"):
            model.estimate({"old and dear": None})
        found = model.estimate({"old and dear": True})
        assert found.interval is not None
        assert abs(found.value - true) <= 1
        again = synthesize(curator, "visits", asked, epsilon=100, columns=[*FEW, condition])
        assert again.receipt is not None
        assert again.receipt.paid == "free"


def test_questions_are_read_once_and_told_apart_to_their_last_value(tmp_path: Path) -> None:
    """Long lists of numpy's are shortened where they are printed."""
    listed = np.array([None] * 5000 + ["north"], dtype=object), np.array([None] * 5000 + ["south"], dtype=object)
    with open_clinic(tmp_path, epsilon=100.0) as curator:
        for each in (*listed, iter(["icu"]), {"icu": 1}):
            model = synthesize(curator, "visits", QuestionWorkload({"ward": each}), epsilon=1, columns=["ward"])
            assert model.receipt is not None
            assert model.receipt.paid == ("free" if isinstance(each, dict) else "charged")


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        ((), "questions must be such as"),
        (({},), "questions must be such as"),
        (("ward = 'north'",), "questions must be such as"),
        (({"nothing": 1},), "columns of the table: ward, quantity"),
        (({"ward": "west"},), "for ward one of NULL, north"),
        (({"ward": []},), "values of ward that a row can have"),
    ],
    ids=str,
)
def test_questions_that_cannot_be_asked_are_refused(tmp_path: Path, questions: Any, said: str) -> None:
    with open_clinic(tmp_path) as curator:
        with pytest.raises(ParameterError, match=said):
            synthesize(curator, "visits", QuestionWorkload(*questions), epsilon=1, columns=FEW)
        assert kinds(curator) == ["CREATE"]


def test_whoever_kills_a_run_anywhere_gets_no_second_draw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed before each of its draws in turn, it goes on from its journal, and is paid for once."""
    open_clinic(tmp_path, epsilon=100.0).close()
    how: dict[str, Any] = {"epsilon": 5, "columns": FEW, "strategy": "mwem", "rounds": 2}
    seen: list[tuple[Any, ...]] = []

    def run_until(calls: int) -> None:
        counted = [0]

        def meet(self: DeskCounter, draw: Any, *arguments: Any) -> Any:
            counted[0] += 1
            if counted[0] > calls:
                die()
            return draw(self, *arguments)

        for name in ("draw_counts", "draw_group"):
            plain = getattr(DeskCounter, name)
            monkeypatch.setattr(DeskCounter, name, lambda self, *rest, plain=plain: meet(self, plain, *rest))
        with open_clinic(tmp_path, epsilon=100.0) as curator:
            synthesize(curator, "visits", 1, **how)

    for calls in (1, 3):
        kill_in_child(lambda calls=calls: run_until(calls))  # type: ignore[misc]
        with open_clinic(tmp_path, epsilon=100.0) as curator:
            measured = [entry for entry in curator.ledger.entries() if entry.kind == "MEASURE"]
            seen.append(tuple(map(repr, measured)))
    assert len(seen[0]) == 1
    assert len(seen[1]) == 3
    assert seen[1][:1] == seen[0]
    with open_clinic(tmp_path, epsilon=100.0) as curator:
        assert curator.ledger.spent().spent[0] == 5


def test_a_run_resumed_after_a_kill_is_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_clinic(tmp_path, epsilon=100.0).close()
    how: dict[str, Any] = {"epsilon": 5, "columns": FEW, "strategy": "mwem", "rounds": 2}

    def killed() -> None:
        monkeypatch.setattr(DeskCounter, "draw_group", lambda *_: die())
        with open_clinic(tmp_path, epsilon=100.0) as curator:
            synthesize(curator, "visits", 1, **how)

    kill_in_child(killed)
    with open_clinic(tmp_path, epsilon=100.0) as curator:
        assert kinds(curator) == ["CREATE", "CHARGE", "MEASURE"]
        model = synthesize(curator, "visits", 1, **how)
        assert kinds(curator)[3:] == ["DEATH", "RETRY", *["MEASURE"] * 4, "RECORD"]
        assert curator.ledger.spent().spent[0] == 5
        assert len(model.transcript.readings) == 3


def test_null_nan_and_unknown_values_are_cells_of_their_own(tmp_path: Path) -> None:
    rows: list[Visit] = [(1, None, math.nan, "north"), (2, 500, 99999.0, "west"), (3, -7, None, None)]
    with open_clinic(tmp_path, rows * 100, epsilon=1e6, limits="max_rows = 100") as curator:
        how: dict[str, Any] = {"epsilon": 1e5, "strategy": "whole", "columns": ["age", "cost", "ward"]}
        model = synthesize(curator, "visits", 1, bins={"cost": [0, 2500, 5000]}, **how)
        assert np.rint(model.count("age"))[[0, 1, -1]].tolist() == [100, 100, 100]
        assert np.rint(model.count("cost")).tolist() == [200, 0, 100]
        assert np.rint(model.count("ward")).tolist() == [100, 100, 0, 0, 100]


def test_a_table_without_rows_has_a_model(tmp_path: Path) -> None:
    with open_clinic(tmp_path, []) as curator:
        model = synthesize(curator, "visits", 2, epsilon=1, columns=FEW)
        assert model.rows < 200
        assert model.count("ward").shape == (5,)


def test_units_over_the_limit_count_as_the_limit_says(tmp_path: Path) -> None:
    rows: list[Visit] = [(patient, 30, 100.0, "icu") for patient in range(50) for _ in range(20)]
    with open_clinic(tmp_path, rows, epsilon=1e6, limits="max_rows = 3") as curator:
        assert synthesize(curator, "visits", 1, epsilon=1e5, columns=["ward"], strategy="whole").rows == 150
        assert synthesize(curator, "visits", 1, epsilon=1e5, columns=["ward"], strategy="whole", max_rows=1).rows == 50


@pytest.mark.many
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "epsilon must be given, or rho"),
        ({"epsilon": 1, "rho": 1}, "epsilon must be given, or rho"),
        ({"epsilon": -1}, "epsilon must be a finite number > 0"),
        ({"rho": 1, "delta": 1e-6}, "delta must be left out beside rho"),
        ({"epsilon": 1, "delta": 2}, "delta must be"),
        ({"epsilon": 1, "columns": []}, "at least one, and each once"),
        ({"epsilon": 1, "columns": ["ward", "ward"]}, "at least one, and each once"),
        ({"epsilon": 1, "columns": ["nothing"]}, r"columns of the table \(these exist: age, at, cost, day"),
        ({"epsilon": 1, "columns": ["wrad"]}, "did you mean 'ward'?"),
        ({"epsilon": 1, "bins": {"Quantty": 3}}, "did you mean 'quantity'?"),
        ({"epsilon": 1, "columns": ["patient_id"]}, "says whose row it is"),
        ({"epsilon": 1, "columns": ["doctor"]}, "say in the policy what doctor holds"),
        ({"epsilon": 1, "bins": {"nothing": 3}}, "columns of the table"),
        ({"epsilon": 1, "bins": {"age": 0}}, "bins must be at least 1"),
        ({"epsilon": 1, "bins": {"age": [3, 1]}}, "edges that ascend"),
        ({"epsilon": 1, "strategy": "magic"}, "one of whole, each, tree, mwem, mst, aim"),
        ({"epsilon": 1, "strategy": "tree"}, "tree for ranges"),
        ({"epsilon": 1, "rounds": -1}, "rounds must be a whole number >= 0"),
        ({"epsilon": 1, "columns": [Condition("x", "age >")]}, "this is not SQL"),
        (
            {"epsilon": 1, "columns": [TWO]},
            "this is not SQL",
        ),
        ({"epsilon": 1, "columns": [ELSEWHERE]}, "this is not SQL"),
        ({"epsilon": 1, "columns": [Condition("x", "age > 1 GROUP BY age")]}, "is not one condition"),
        (
            {"epsilon": 1, "columns": ["age"], "bins": {"age": [0, 2.5, 110]}},
            "whole ones for a column of whole numbers",
        ),
        ({"epsilon": 1, "columns": ["cost"], "bins": {"cost": [0, math.inf]}}, "finite edges"),
        ({"epsilon": 1, "columns": ["cost"], "bins": {"cost": [0, math.nan]}}, "finite edges"),
        ({"epsilon": 1e-25, "strategy": "aim"}, "larger: a part of it would need more noise"),
        ({"epsilon": 1, "max_rows": 0}, "max_rows"),
        ({"epsilon": 1, "strategy": "whole", "bins": {"day": 500}}, "are more than the 4,194,304 of one table"),
        ({"epsilon": 4}, "does not fit into what is left"),
    ],
    ids=str,
)
def test_what_cannot_run_is_refused_and_nothing_is_charged(tmp_path: Path, given: dict[str, Any], said: str) -> None:
    with open_clinic(tmp_path) as curator:
        with pytest.raises(DiscreetError, match=said) as refused:
            synthesize(curator, "visits", 2, **given)
        assert isinstance(refused.value, ParameterError | QueryError | BudgetError)
        assert kinds(curator) == ["CREATE"]
        with pytest.raises(DiscreetError, match="there is no table"):
            synthesize(curator, "nothing", 2, epsilon=1)
        with pytest.raises(ParameterError, match="a public table can be read as it is"):
            synthesize(curator, "wards", 2, epsilon=1)
        with pytest.raises(ParameterError, match="workload must be such as"):
            synthesize(curator, "visits", "all", epsilon=1)  # type: ignore[arg-type]


def test_ranges_parities_and_orders_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        for workload, columns, said in (
            (RangeWorkload("nothing"), None, "columns of the table"),
            (RangeWorkload("age"), ["age", "ward"], "those of the ranges, and no others"),
            (RangeWorkload("ward"), None, "a list of values has no order"),
            (ParityWorkload(2), None, "conditions only"),
        ):
            with pytest.raises(ParameterError, match=said):
                synthesize(curator, "visits", workload, epsilon=1, columns=columns)
        for make in (lambda: MarginalWorkload(0), lambda: RangeWorkload(), lambda: RangeWorkload("age", "age")):
            with pytest.raises(ParameterError):
                make()
        assert kinds(curator) == ["CREATE"]


def test_columns_without_public_values_are_left_out_unless_named(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        found = find_placeable(curator.session().tables["visits"])
        assert found.named == ("age", "cost", "ward", "quantity", "day")
        assert found.left_out == ("at", "doctor")


def test_an_analyst_pays_from_their_own_cap(tmp_path: Path) -> None:
    with open_clinic(tmp_path, analysts=True, analyst="bob") as curator:
        synthesize(curator, "visits", 1, epsilon=0.4, columns=["ward"])
        with pytest.raises(BudgetError):
            synthesize(curator, "visits", 1, epsilon=0.2, columns=["ward"])
        alice: Curator = curator
        assert synthesize(alice.session("alice"), "visits", 1, epsilon=0.4, columns=["ward"]).receipt is not None


@pytest.mark.parametrize("how", [{"rho": 0.001}, {"epsilon": 0.1, "delta": 1e-9}], ids=str)
def test_rho_is_refused_as_impossible_where_the_policy_has_no_delta(tmp_path: Path, how: dict[str, Any]) -> None:
    with open_clinic(tmp_path, delta=0.0) as curator:
        head = curator.ledger.head
        with pytest.raises(ParameterError, match="has no delta and adds up epsilons alone"):
            synthesize(curator, "visits", 1, columns=["ward"], **how)
        assert curator.ledger.head == head
