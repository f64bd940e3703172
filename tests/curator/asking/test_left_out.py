"""`left_out=`: one charge, one record, and a count beside the answer that is another question's without it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from discreet.answers import Answer
from discreet.base.errors import BudgetError, ParameterError, QueryError
from discreet.noise.bits import replayed
from support.cli import run
from support.clinic import VISITS, Visit, open_clinic, write_policy, write_tables
from support.sampling import GeneratorBits

WHOLE = "SELECT COUNT(*) AS n FROM visits"
COUNT = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
HEAVY: list[Visit] = [(70_000 + unit, 50, 1.0, "icu") for unit in range(300) for _ in range(40)]


def test_an_answer_says_about_how_many_units_are_over_a_limit(tmp_path: Path) -> None:
    with open_clinic(tmp_path, [*VISITS, *HEAVY], epsilon=100.0) as curator:
        answer = curator.ask(WHOLE, 10.0, left_out="units")
        assert answer.left_out is not None
        assert abs(answer.left_out.value - 300) < 30
        assert re.search(r"left out: about \d+ \+- 3 units had more than max_rows = ", str(answer))
        assert "left out" in answer._repr_html_()
        told = json.loads(answer.to_json())["left_out"]
        assert told["value"] == answer.left_out.value
        assert "discreet.left_out" in answer.about()
        assert answer.cost.epsilon == 10
        assert answer.guarantee == "10-differentially private"
        assert curator.ask(WHOLE, 10.0).left_out is None


def test_it_is_one_charge_that_is_found_again_and_another_question_than_the_one_without(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=100.0) as curator:
        first = curator.ask(COUNT, 1.0, left_out="units")
        again = curator.ask(COUNT, 1.0, left_out="units")
        assert again.receipt.paid == "free"
        assert (again.rows, _value(again)) == (first.rows, _value(first))
        others = [curator.ask(COUNT, 1.0), curator.ask(WHOLE, 1.0, left_out=5, max_rows=1)]
        assert all(other.receipt.paid == "charged" for other in others)
        kinds = [entry.kind for entry in curator.ledger.entries()]
        assert kinds.count("CHARGE") == 3


def test_identities_of_questions_without_it_are_what_they_were(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        plain, counted = curator.prepare(COUNT, 1.0), curator.prepare(COUNT, 1.0, left_out="units")
        assert plain.operation.parameters() == plain.operation.draws.describe()
        assert len({plain.request.identity, counted.request.identity}) == 2
        assert [len(each.operation.plans()) for each in (plain, counted)] == [1, 2]


def test_neighbours_see_counts_that_differ_by_one_unit_at_most(tmp_path: Path) -> None:
    """The same noise on neighbours: whoever has ten thousand rows more moves the count by one."""
    found = []
    for name, rows in (("one", VISITS), ("other", [*VISITS, *[(99_999, 50, 1.0, "icu")] * 10_000])):
        with open_clinic(tmp_path / name, rows) as curator, replayed(GeneratorBits(5)):
            answer = curator.ask(COUNT, 0.5, left_out="units")
            found.append((_value(answer), answer.guarantee, answer.notes, answer.names, str(answer.cost)))
    assert found[1][0] - found[0][0] == 1
    assert found[0][1:] == found[1][1:]


def test_what_is_explained_is_what_is_charged(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        told = str(curator.explain(COUNT, 0.5, left_out="units"))
        assert "left out   how many units had more than max_rows" in told
        assert "sensitivity 1, Laplace noise, +- 60 at 95%, 10% of the charge" in told
        assert "90% of the charge" in told
        wanted = curator.prepare(COUNT, within={"n": 50}, left_out="units").priced
        alone = curator.prepare(COUNT, within={"n": 50}).priced
        assert float(wanted.charge.epsilon) == pytest.approx(float(alone.charge.epsilon) * 10 / 9)
        assert wanted.noises == alone.noises


def test_bad_input_and_what_does_not_fit_cost_nothing(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=1.0, delta=0) as curator:
        with pytest.raises(ParameterError, match="left_out"):
            curator.ask(COUNT, 0.5, left_out="rows")
        with pytest.raises(BudgetError, match="largest epsilon that fits") as refused:
            curator.ask(COUNT, 5.0, left_out="units")
        assert refused.value.fits == 1.0
        assert [entry.kind for entry in curator.ledger.entries()] == ["CREATE"]
        assert curator.ask(COUNT, 1.0, left_out="units").cost.epsilon == 1


def test_the_command_line_takes_units_or_rows(tmp_path: Path) -> None:
    write_tables(tmp_path)
    path = tmp_path / "policy.toml"
    path.write_text(write_policy(files=True))
    run("init", "--policy", str(path))
    told = run("ask", "SELECT COUNT(*) AS n FROM visits", "-e", "1", "--left-out", "units", "--policy", str(path))
    assert "left out: about" in told
    told = run(
        "explain", "SELECT COUNT(*) FROM visits", "-e", "1", "--left-out", "7", "--max-rows", "1", "--policy", str(path)
    )
    assert "counted up to 7 of each unit" in told


def _value(answer: Answer) -> int:
    assert answer.left_out is not None
    return answer.left_out.value


def test_statements_with_several_answers_are_refused_and_not_charged(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        head = curator.ledger.head
        with pytest.raises(QueryError, match="each answer of a statement has limits of its own"):
            curator.ask("SELECT COUNT(*) / (SELECT SUM(cost) FROM visits) FROM visits", 1.0, left_out="units")
        assert curator.ledger.head == head


def test_keys_that_are_public_leave_nothing_out_to_be_counted(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator, pytest.raises(QueryError, match="these keys are public"):
        curator.prepare("SELECT ward FROM visits GROUP BY ward", 1.0, left_out="units")
