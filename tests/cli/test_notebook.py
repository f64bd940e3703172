"""`%discreet` and `%%discreet`: a cell is one question, at its own price or at the one that was set; else at none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.answers import Answer
from discreet.base.errors import DiscreetError, ParameterError, QueryError
from discreet.cli.notebook import UNEXPANDED
from discreet.curator import Curator
from support.cli import COUNT, write_clinic


class FakeNotebook:
    """As much of IPython as the magics need."""

    def __init__(self) -> None:
        self.user_ns: dict[str, Any] = {}
        self.magic: Any = None

    def register_magic_function(self, func: Any, magic_kind: str = "line", magic_name: str | None = None) -> None:
        assert (magic_kind, magic_name) == ("line_cell", "discreet")
        self.magic = func


@pytest.fixture
def notebook(tmp_path: Path) -> Iterator[FakeNotebook]:
    made = FakeNotebook()
    discreet.load_ipython_extension(made)
    with Curator.open(write_clinic(tmp_path) / "policy.toml") as curator:
        made.user_ns["clinic"] = curator
        made.magic("use clinic")
        yield made


def spent(notebook: FakeNotebook) -> float:
    return float(notebook.user_ns["clinic"].budget.total.spent)


def test_a_cell_is_asked_at_its_own_price_which_holds_for_it_alone(notebook: FakeNotebook) -> None:
    answer = notebook.magic("--epsilon 0.3 --as found", f"{COUNT};\n")
    assert isinstance(answer, Answer)
    assert notebook.user_ns["found"] is answer
    assert spent(notebook) == pytest.approx(0.1)
    with pytest.raises(QueryError, match=r"%discreet set epsilon 0\.2"):
        notebook.magic("", f"{COUNT} WHERE age > 4")
    assert spent(notebook) == pytest.approx(0.1)


def test_a_price_that_was_set_holds_for_all_cells(notebook: FakeNotebook) -> None:
    notebook.magic("set epsilon 0.3")
    assert "0.3-differentially private" in str(notebook.magic("", COUNT))
    assert "<table>" in notebook.magic("--price", COUNT)._repr_html_()
    assert spent(notebook) == pytest.approx(0.1)
    assert notebook.magic("--fresh", COUNT).receipt.paid == "charged"


def test_lines_show_tables_budgets_and_settings(notebook: FakeNotebook) -> None:
    assert "<b>visits</b>" in notebook.magic("d visits")._repr_html_()
    assert "visits" in str(notebook.magic(r"\d"))
    assert "<svg" in notebook.magic("budget")._repr_html_()
    assert repr(notebook.magic("set")).startswith("price")
    notebook.magic("set $age 50")
    assert notebook.magic("-e 0.01", f"{COUNT} WHERE age > $age").question.endswith("$age")


@pytest.mark.many
@pytest.mark.parametrize(
    ("line", "cell", "words"),
    [
        ("-e 0.1 --rho 1", COUNT, "not allowed with"),
        ("--colour red", COUNT, "unrecognized"),
        ("-e 0", COUNT, "above 0"),
        ("-e 1 --as a.b", COUNT, "name of a variable"),
        ("tables", None, "one of open, use, d"),
        ("SELECT COUNT(*) FROM visits", None, "stands under %%discreet"),
        ("use nobody", None, "name of a curator"),
        ("open https://a:tok@host", None, "a token has no place in it"),
    ],
)
def test_what_is_wrong_is_said_in_words_and_costs_nothing(
    notebook: FakeNotebook, line: str, cell: str | None, words: str
) -> None:
    with pytest.raises((QueryError, ParameterError)) as told:
        notebook.magic(line, cell)
    assert words in str(told.value)
    assert told.value._render_traceback_() == [f"{type(told.value).__name__}: {told.value}"]  # type: ignore[attr-defined]
    assert spent(notebook) == 0


def test_a_policy_is_opened_by_a_line_and_nothing_is_asked_before(tmp_path: Path) -> None:
    notebook = FakeNotebook()
    discreet.load_ipython_extension(notebook)
    with pytest.raises(DiscreetError, match="nothing is open yet"):
        notebook.magic("-e 1", COUNT)
    write_clinic(tmp_path)
    notebook.magic(f"open '{tmp_path / 'policy.toml'}'")
    assert notebook.magic("d").names[0] == "visits"


def test_variables_of_the_notebook_are_no_part_of_a_question(notebook: FakeNotebook) -> None:
    assert getattr(notebook.magic, UNEXPANDED) is True


def test_in_ipython_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    shell = interactive.InteractiveShell(user_ns={"age": 5})
    try:
        path = write_clinic(tmp_path) / "policy.toml"
        for line in ("%load_ext discreet", f"%discreet open {path}", "%discreet set $age 40"):
            assert shell.run_cell(line).success
        ran = shell.run_cell("%%discreet -e 0.3\nSELECT COUNT(*) AS n FROM visits WHERE age > $age")
        assert "age > $age" in ran.result.question
        shown, _ = shell.display_formatter.format(ran.result)
        assert "<table>" in shown["text/html"]
        assert "guarantee" in shown["text/plain"]
        assert not shell.run_cell("%%discreet\nSELECT COUNT(*) AS n FROM visits").success
    finally:
        shell.history_manager.end_session()
