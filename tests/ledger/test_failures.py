"""The log of failures: for the operator, without secrets, on every kind of ledger, and limited in size."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.ledger import Failure
from discreet.ledger.failures import LONGEST, MOST, describe_failure, read_failures, write_failure
from support.ledger import TENTH, Home, again, new, question


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("connection to postgresql://ann:pw@db.local:5432/clinic failed", "connection to <address> failed"),
        (
            "host=10.0.0.7 port=5432 user=ann password='p w' dbname=x",
            "host=... port=5432 user=... password=... dbname=x",
        ),
        ("thrift://meta:9083 and s3a://bucket/key?token=1", "<address> and <address>"),
        ("Conversion Error:\n  row 7\tis 'x'", "Conversion Error: row 7 is 'x'"),
    ],
)
def test_words_are_kept_without_addresses_and_passwords_on_one_line(words: str, kept: str) -> None:
    assert describe_failure(RuntimeError(words)) == f"RuntimeError: {kept}"


def test_very_long_words_are_cut_and_their_length_is_said() -> None:
    found = describe_failure(RuntimeError("x" * 10**6))
    assert len(found) < LONGEST + 40
    assert found.endswith("... (1,000,014 letters)")


def test_failures_are_kept_for_the_operator(home: Home) -> None:
    with new(home) as ledger, again(home) as other:
        assert ledger.failures == ()
        with ledger.charge(question(), TENTH) as claim:
            ledger.note_failure(claim, "sql", ValueError("patient 7\0"))
            other.note_failure(claim, "sql", MemoryError())
        first, second = other.failures
        assert (first.charge, first.analyst, first.where) == (2, None, "sql")
        assert first.words.startswith("ValueError: patient 7")
        assert second.words == "MemoryError:"
        assert "entry 2, whoever asks without a name, sql: MemoryError" in str(second)


def test_only_the_newest_are_kept(home: Home) -> None:
    with new(home) as ledger:
        for number in range(2 * MOST + 5) if isinstance(home, Path) else range(20):
            ledger._store.failures.add(Failure("2026-03-01T00:00:00.000+00:00", "ann", number, "sql", "x"))
        found = [failure.charge for failure in ledger.failures]
        assert found == (list(range(MOST + 5, 2 * MOST + 5)) if isinstance(home, Path) else list(range(20)))


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    with new(tmp_path) as ledger:
        path = tmp_path / "failures.jsonl"
        path.touch(mode=0o644)
        ledger._store.failures.add(Failure("", None, 2, "sql", "x"))
        assert path.stat().st_mode & 0o777 == 0o600


def test_a_line_that_a_crash_cut_short_is_left_out() -> None:
    whole = write_failure(Failure("", "ann", 2, "sql", "x"))
    assert [failure.charge for failure in read_failures([whole, whole[:20], "", "[1]", whole])] == [2, 2]
