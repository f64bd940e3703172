"""Keys alone: free where their domain is public, and else a selection that is paid for."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from discreet.base.errors import QueryError
from discreet.curator import Curator
from support.clinic import VISITS, open_clinic
from support.serving import make_served_clinic

PUBLIC: list[tuple[str, list[tuple[object, ...]]]] = [
    ("SELECT ward FROM visits GROUP BY ward", [("north",), ("south",), ("icu",)]),
    ("SELECT DISTINCT ward FROM visits WHERE ward <> 'icu'", [("north",), ("south",)]),
    ("SELECT DISTINCT city FROM visits JOIN wards USING (ward) ORDER BY city DESC", [("Bonn",), ("Aachen",)]),
    ("SELECT DISTINCT age > 64 AS old FROM visits", [(False,), (True,)]),
]


def test_public_keys_are_free_whatever_the_data_and_the_budget(tmp_path: Path) -> None:
    with (
        open_clinic(tmp_path / "some", epsilon=1e-6) as some,
        open_clinic(tmp_path / "none", [], epsilon=1e-6) as none,
    ):
        for sql, rows in PUBLIC:
            answers = [curator.ask(sql) for curator in (some, none)]
            assert [answer.rows for answer in answers] == [tuple(rows), tuple(rows)]
            assert (answers[0].receipt.charge.epsilon, answers[0].receipt.paid) == (0, "free")
            assert "free" in str(some.explain(sql, 0.5))
        assert [entry.kind for entry in some.ledger.entries()] == ["CREATE"]
        assert some.ledger.verify(some.ask(PUBLIC[0][0]).receipt.mark).ok


def test_keys_of_the_data_are_selected_and_paid_for(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        with pytest.raises(QueryError, match="say how much privacy to spend"):
            curator.ask("SELECT DISTINCT doctor FROM visits")
        answer = curator.ask("SELECT DISTINCT doctor FROM visits", 1.0)
        assert answer.rows == (("Adler",),)
        assert answer.receipt.charge.epsilon == 1
        assert answer.receipt.charge.delta > 0
        assert any("selected privately" in note for note in answer.notes)
        assert curator.ask("SELECT doctor FROM visits GROUP BY doctor", 1.0).receipt.paid == "free"


def test_what_one_unit_alone_has_is_not_selected(tmp_path: Path) -> None:
    """A unit's own doctors stay out, but with the probability delta."""
    with open_clinic(tmp_path, VISITS[:3], epsilon=100.0) as curator:
        assert curator.ask("SELECT DISTINCT doctor FROM visits", 1.0).rows == ()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT DISTINCT patient_id FROM visits",
        "SELECT patient_id FROM visits GROUP BY patient_id",
        "SELECT DISTINCT * FROM visits",
        "SELECT DISTINCT ON (ward) age FROM visits",
        "SELECT COUNT(*) FROM (SELECT DISTINCT ward FROM visits)",
        "SELECT ward FROM visits",
    ],
)
def test_rows_and_units_are_not_listed(tmp_path: Path, sql: str) -> None:
    with open_clinic(tmp_path) as curator, pytest.raises(QueryError):
        curator.ask(sql, 1.0)


def test_a_served_receipt_of_public_keys_says_nothing_of_others(tmp_path: Path) -> None:
    path, _ = make_served_clinic(tmp_path)
    with Curator.open(path, "alice", served=True) as curator:
        alice, bob = curator.session("alice"), curator.session("bob")
        before = alice.ask(PUBLIC[0][0]).receipt
        bob.ask("SELECT COUNT(*) FROM visits", 0.1)
        assert alice.ask(PUBLIC[0][0]).receipt == before
        assert before.charge.epsilon == Fraction(0)
