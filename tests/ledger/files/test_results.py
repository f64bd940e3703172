"""Large answers are files named by their hash: durable before their record, and never drawn again when missing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from discreet.base.canonical import hash_bytes
from discreet.base.errors import LedgerError
from discreet.ledger.files.results import LARGE, ResultFiles
from discreet.ledger.steps import watch_steps
from support.ledger import Home, ask, left_behind, new

BIG = os.urandom(LARGE)


def test_an_answer_comes_back_from_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    files = ResultFiles(tmp_path / "results")
    name = files.write(BIG)
    assert name == hash_bytes(BIG)
    assert files.read(name) == BIG
    assert files.write(BIG) == name
    assert os.listdir(tmp_path / "results") == [name]
    assert (tmp_path / "results" / name).stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "results").stat().st_mode & 0o777 == 0o700


def test_a_file_that_is_missing_or_was_changed_is_an_error(tmp_path: Path) -> None:
    files = ResultFiles(tmp_path)
    name = files.write(BIG)
    (tmp_path / name).write_bytes(BIG[:-1])
    with pytest.raises(LedgerError, match="was changed: put it back from a backup"):
        files.read(name)
    (tmp_path / name).unlink()
    with pytest.raises(LedgerError, match="It is not drawn again"):
        files.read(name)


def test_large_answers_are_found_again_on_every_kind_of_ledger(home: Home) -> None:
    with new(home) as ledger:
        assert ask(ledger, answer=BIG) == BIG
        assert ask(ledger, answer=b"other") == BIG
        assert ledger.read_record(2) == BIG
        assert ledger.read_record(3) is None
        assert ledger.verify().ok
    beside = [] if not isinstance(home, Path) else os.listdir(home / "results")
    assert beside == ([hash_bytes(BIG)] if isinstance(home, Path) else [])


def test_a_missing_file_is_an_error_and_never_a_new_draw(tmp_path: Path) -> None:
    with new(tmp_path) as ledger:
        ask(ledger, answer=BIG)
        (tmp_path / "results" / hash_bytes(BIG)).unlink()
        with pytest.raises(LedgerError, match="is missing, which holds an answer that was paid for"):
            ask(ledger, answer=b"another draw")
        assert "the answer of entry 3 was edited" in ledger.verify().problems
        (tmp_path / "results" / hash_bytes(BIG)).write_bytes(BIG)
        assert ask(ledger) == BIG
        assert ledger.verify().ok


def test_the_file_is_there_before_the_record_that_names_it(tmp_path: Path) -> None:
    seen: list[bool] = []

    def look(step: str) -> None:
        if step == "recording":
            seen.append((tmp_path / "results" / hash_bytes(BIG)).exists())

    with new(tmp_path) as ledger, watch_steps(look):
        ask(ledger, answer=BIG)
    assert seen == [True]
    assert left_behind(tmp_path) == []


def test_a_disk_that_is_full_is_said_plainly_and_nothing_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with new(tmp_path) as ledger:
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            with pytest.raises(LedgerError, match="No space left on device"):
                ask(ledger, answer=BIG)
        assert not [name for name in os.listdir(tmp_path / "results") if name.endswith(".part")]
        assert ask(ledger, answer=BIG) == BIG
