"""The curator: charge first, record before show, one budget, and errors that cost nothing."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.base.errors import BudgetError, DiscreetError, FailedError, LedgerError, PolicyError, QueryError
from discreet.curator import Curator
from discreet.curator.door.performance import GENERIC, STOPPED, Performance
from discreet.engines.duck.engine import DuckRun
from discreet.ledger import Ledger
from support.clinic import VISITS, make_tables, open_clinic, write_policy, write_tables

QUESTION = "SELECT ward, COUNT(*) AS n, AVG(cost) AS mean_cost FROM visits WHERE age >= 65 GROUP BY ward"


def test_the_example_works_word_for_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tables(tmp_path)
    (tmp_path / "visits").mkdir()
    (tmp_path / "visits.parquet").rename(tmp_path / "visits" / "part.parquet")
    policy = write_policy(analysts=True, files=True)
    (tmp_path / "policy.toml").write_text(policy.replace("visits.parquet", "visits/*.parquet"))
    monkeypatch.chdir(tmp_path)
    Curator.init("policy.toml")

    curator = discreet.Curator.open("policy.toml", analyst="alice")
    answer = curator.ask(QUESTION, epsilon=0.2)
    assert list(answer.to_pandas().columns) == ["ward", "n", "mean_cost"]
    assert answer.to_polars().shape == (3, 3)
    assert answer.to_arrow().column("ward").to_pylist() == ["north", "south", "icu"]
    assert "<table" in answer._repr_html_()
    assert list(answer.intervals(0.95).to_pandas().columns)[:4] == ["ward", "n", "n_low", "n_high"]
    assert answer.cost.epsilon == Fraction(1, 5)
    assert (answer.receipt.analyst, answer.receipt.paid) == ("alice", "charged")
    assert "0.2-differentially private" in str(curator.explain(QUESTION, epsilon=0.2))
    assert curator.ask("SELECT COUNT(*) AS n FROM visits", within={"n": 500}).rows
    assert "alice" in str(curator.budget)
    assert "patient_id" in str(curator.tables)
    assert len(curator.table("visits").where("age >= 65").group_by("ward").count(epsilon=0.2).rows) == 3
    curator.close()


def entries(curator: Curator) -> list[str]:
    return [entry.kind for entry in curator.ledger.entries()]


def test_the_charge_is_durable_before_data_is_read_and_the_answer_before_it_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[str]] = []
    result = DuckRun.result

    def watched(run: DuckRun[Any]) -> Any:
        seen.append(entries(curator))
        return result(run)

    monkeypatch.setattr(DuckRun, "result", watched)
    with open_clinic(tmp_path) as curator:
        answer = curator.ask(QUESTION, 0.2)
        assert seen == [["CREATE", "CHARGE"]]
        assert entries(curator) == ["CREATE", "CHARGE", "MEASURE", "RECORD"]
        assert answer.receipt.entry == 4
        assert curator.ledger.verify(answer.receipt).ok


def test_the_same_question_is_free_and_has_the_same_answer(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        first = curator.ask(QUESTION, 0.2)
        spent = curator.budget.total.spent
        for spelling in (
            QUESTION,
            QUESTION.lower(),
            "SELECT ward, AVG(v.cost) AS mean_cost, COUNT(1) AS n FROM visits AS v WHERE (v.age >= 65) GROUP BY ward",
        ):
            again = curator.ask(spelling, 0.2)
            assert again["n"] == first["n"]
            assert again["mean_cost"] == first["mean_cost"]
            assert again.receipt.paid == "free"
        assert curator.budget.total.spent == spent


def test_finishing_differently_is_free(tmp_path: Path) -> None:
    """HAVING, ORDER BY, LIMIT and arithmetic are computed from what was released."""
    with open_clinic(tmp_path) as curator:
        first = curator.ask("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", 0.2)
        top = curator.ask("SELECT COUNT(*) * 2 AS twice FROM visits GROUP BY ward ORDER BY 1 DESC LIMIT 1", 0.2)
        counts = [int(str(value)) for value in first["n"]]
        assert top.rows == ((2 * max(counts),),)
        assert top.receipt.paid == "free"
        assert any("noisy values" in note for note in top.notes)


def test_fresh_noise_is_paid_for_and_found_later(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        curator.ask(QUESTION, 0.2)
        spent = curator.budget.total.spent
        fresh = curator.ask(QUESTION, 0.2, fresh=True)
        assert curator.budget.total.spent > spent
        assert curator.ask(QUESTION, 0.2).rows == fresh.rows


def test_another_analyst_pays_from_their_own_cap_only(tmp_path: Path) -> None:
    with open_clinic(tmp_path, analyst="alice", analysts=True) as alice:
        first, total = alice.ask(QUESTION, 0.2), alice.budget.total.spent
    with open_clinic(tmp_path, analyst="bob", analysts=True) as bob:
        again = bob.ask(QUESTION, 0.2)
        assert again.rows == first.rows
        assert again.receipt.paid == "own cap only"
        assert bob.budget.total.spent == total
        assert [share.name for share in bob.budget.analysts] == ["bob"]
        assert bob.budget.analysts[0].spent == pytest.approx(0.4)


def test_thirty_questions_of_a_tenth_fill_a_budget_of_three(tmp_path: Path) -> None:
    with open_clinic(tmp_path, delta=0) as curator:
        for number in range(30):
            curator.ask(f"SELECT COUNT(*) FROM visits WHERE age > {number}", 0.1)
        assert curator.budget.total.left == 0
        with pytest.raises(BudgetError, match="does not fit"):
            curator.ask("SELECT COUNT(*) FROM visits WHERE age > 99", 0.1)
        assert entries(curator).count("CHARGE") == 30


def test_a_new_version_of_the_data_is_a_new_question_and_no_new_budget(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        curator.ask(QUESTION, 0.2)
        spent = curator.budget.total.spent
    path = tmp_path / "policy.toml"
    path.write_text(path.read_text().replace('version = "1"', 'version = "2"'))
    with Curator.open(path, None, make_tables()) as curator:
        assert curator.budget.total.spent == spent
        assert curator.ask(QUESTION, 0.2).receipt.paid == "charged"


def fail(run: DuckRun[Any]) -> Any:
    raise RuntimeError("patient 17 has a cost of 4000 euros")


def test_a_failure_after_the_charge_keeps_it_and_says_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_clinic(tmp_path) as curator:
        with monkeypatch.context() as patch:
            patch.setattr(DuckRun, "result", fail)
            with pytest.raises(FailedError) as told:
                curator.ask(QUESTION, 0.2)
        assert str(told.value) == GENERIC
        assert told.value.__cause__ is None
        spent = curator.budget.total.spent
        assert spent > 0
        curator.ledger.resume()
        assert curator.ask(QUESTION, 0.2).rows
        assert curator.budget.total.spent == spent, "the charge is run again, not paid again"


def test_stopping_keeps_the_charge_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> Any:
        raise KeyboardInterrupt

    with open_clinic(tmp_path) as curator:
        with monkeypatch.context() as patch:
            patch.setattr(Performance, "wait", stop)
            with pytest.raises(FailedError) as told:
                curator.ask(QUESTION, 0.2)
        assert str(told.value) == STOPPED
        assert curator.budget.total.spent > 0


def test_an_answer_that_cannot_be_recorded_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: object) -> None:
        raise LedgerError("the lease was lost")

    monkeypatch.setattr(Ledger, "record", lost)
    with open_clinic(tmp_path) as curator, pytest.raises(FailedError):
        curator.ask(QUESTION, 0.2)


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("SELECT * FROM visits", {"epsilon": 0.1}, "rows are not released"),
    ("SELECT COUNT(*) FROM nowhere", {"epsilon": 0.1}, "no table 'nowhere'"),
    (QUESTION, {}, "epsilon=0.2"),
    (QUESTION, {"epsilon": 0.1, "rho": 0.1}, "one of epsilon, rho and within"),
    (QUESTION, {"epsilon": -1}, "epsilon"),
    (QUESTION, {"epsilon": float("nan")}, "epsilon"),
    (QUESTION, {"epsilon": 0.1, "max_rows": 0}, "max_rows"),
    (QUESTION, {"epsilon": 0.1, "max_row": 2}, "there is no such argument"),
    (QUESTION, {"within": {"n": 0}}, "within"),
    (QUESTION, {"within": {"mean_cost": 5}}, "private"),
    (QUESTION, {"within": {"nobody": 5}}, "nobody"),
    ("SELECT COUNT(*) FROM visits WHERE age > $limit", {"epsilon": 0.1}, "$limit has no value"),
    ("SELECT COUNT(*) FROM visits", {"epsilon": 0.1, "params": {"limit": 1}}, "has no $limit"),
    ("SELECT COUNT(*) FROM visits WHERE age > $limit", {"epsilon": 0.1, "params": {"limit": [1]}}, "list"),
]


@pytest.mark.many
@pytest.mark.parametrize(("question", "how", "told"), REFUSED)
def test_what_is_refused_costs_nothing(tmp_path: Path, question: str, how: dict[str, Any], told: str) -> None:
    with open_clinic(tmp_path) as curator:
        with pytest.raises(DiscreetError) as refusal:
            curator.ask(question, **how)
        assert told in str(refusal.value)
        assert entries(curator) == ["CREATE"]


def test_nothing_is_read_before_the_charge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refusing and explaining never run anything on a private table."""
    monkeypatch.setattr("discreet.engines.duck.engine.DuckEngine.run", lambda *_: pytest.fail("data was read"))
    with open_clinic(tmp_path) as curator:
        assert "sensitivity" in str(curator.explain(QUESTION, epsilon=0.2))
        with pytest.raises(QueryError):
            curator.ask(QUESTION)
        assert entries(curator) == ["CREATE"]


def test_parameters_are_values_and_never_text(tmp_path: Path) -> None:
    sql = "SELECT COUNT(*) AS n FROM visits WHERE ward = $ward"
    with open_clinic(tmp_path, epsilon=1000) as curator:
        hostile = "x' OR 'a' = 'a"
        assert abs(int(str(curator.ask(sql, 100.0, params={"ward": hostile}).value))) < 5
        exact = sum(visit[3] == "icu" for visit in VISITS)
        assert abs(int(str(curator.ask(sql, 100.0, params={"ward": "icu"}).value)) - exact) < 5


def test_a_policy_with_analysts_wants_a_name(tmp_path: Path) -> None:
    open_clinic(tmp_path, analyst="alice", analysts=True).close()
    for name, told in ((None, "none was named"), ("mallory", "no analyst")):
        with pytest.raises(PolicyError, match=told):
            open_clinic(tmp_path, analyst=name, analysts=True)


def test_a_missing_ledger_is_an_error_and_is_not_created(tmp_path: Path) -> None:
    open_clinic(tmp_path).close()
    for path in sorted((tmp_path / ".discreet").glob("ledger.db*")):
        path.unlink()
    with pytest.raises(LedgerError, match="discreet init"):
        Curator.open(tmp_path / "policy.toml", None, make_tables())
    assert not (tmp_path / ".discreet" / "ledger.db").exists()


def test_init_never_replaces_a_ledger(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        curator.ask(QUESTION, 0.2)
    with pytest.raises(LedgerError):
        Curator.init(tmp_path / "policy.toml")


def test_changing_the_unit_or_the_neighbours_needs_a_new_ledger(tmp_path: Path) -> None:
    open_clinic(tmp_path).close()
    with pytest.raises(LedgerError, match="neighbours"):
        open_clinic(tmp_path, neighbours="replace")


def test_loosening_the_budget_is_recorded_and_visible(tmp_path: Path) -> None:
    open_clinic(tmp_path).close()
    with open_clinic(tmp_path, epsilon=4.0) as curator:
        changed = [entry for entry in curator.ledger.entries() if entry.kind == "POLICY"]
        assert "epsilon" in json.dumps(changed[0].body)


def test_without_delta_only_pure_noise_is_used(tmp_path: Path) -> None:
    many = "COUNT(*), SUM(cost), SUM(age), AVG(cost), AVG(age)"
    with open_clinic(tmp_path, delta=0, epsilon=100) as curator:
        assert curator.ask(f"SELECT {many} FROM visits", 0.3).guarantee == "0.3-differentially private"
        with pytest.raises(QueryError, match="delta > 0"):
            curator.ask(QUESTION, rho=0.1)


def test_rho_buys_gaussian_noise(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        answer = curator.ask(QUESTION, rho=0.01)
        assert answer.guarantee == "0.01-zCDP"
        assert answer.cost.rho == discreet.query.price.read_amount("rho", 0.01)


def test_tighter_limits_mean_less_noise(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        wide = curator.ask("SELECT COUNT(*) AS n FROM visits", 0.2)
        narrow = curator.ask("SELECT COUNT(*) AS n FROM visits", 0.2, max_rows=1)
        (w,), (n,) = wide.bounds(0.95, False), narrow.bounds(0.95, False)
        assert w[0] is not None
        assert n[0] is not None
        assert (int(n[0][1]) - int(n[0][0])) * 2 < int(w[0][1]) - int(w[0][0])


def test_clamping_is_counted_when_asked(tmp_path: Path) -> None:
    rows = [*VISITS, *((1000 + i, 30, 9000.0, "icu") for i in range(200))]
    with open_clinic(tmp_path, rows, epsilon=1000) as curator:
        answer = curator.ask("SELECT SUM(cost) AS s FROM visits", 100.0, clamping=True)
        assert [each.name for each in answer.fields] == ["s", "clamped_cost"]
        assert abs(int(str(answer["clamped_cost"][0])) - 200) < 5
        assert any("clamp" in note for note in answer.notes)
