"""Parts of large results: kept under their hash by a ledger of either kind, and never anything else under that name."""

from __future__ import annotations

import pytest

from discreet.base.canonical import hash_bytes
from discreet.base.errors import LedgerError, ParameterError
from discreet.ledger.steps import watch_steps
from support.ledger import Home, again, ask, new

DATA = bytes(range(256)) * 5_000
"""More than a megabyte."""


def test_a_part_is_found_by_its_hash_also_by_another_process(home: Home) -> None:
    with new(home) as ledger:
        assert ledger.parts.write(DATA) == ledger.parts.write(DATA) == hash_bytes(DATA)
        assert ledger.parts.write(b"") == hash_bytes(b"")
        assert ledger.verify().ok
    with again(home) as ledger:
        assert ledger.parts.read(hash_bytes(DATA)) == DATA
        assert ledger.parts.read(hash_bytes(b"")) == b""
        ask(ledger)
        assert ledger.verify().ok


def test_a_part_that_is_not_there_is_an_error(home: Home) -> None:
    with new(home) as ledger, pytest.raises(LedgerError, match="not drawn again"):
        ledger.parts.read(hash_bytes(DATA))


@pytest.mark.parametrize("name", ["", "../ledger.db", "A" * 64, hash_bytes(DATA) + "\n"])
def test_a_name_that_is_no_hash_is_no_path(home: Home, name: str) -> None:
    with new(home) as ledger, pytest.raises(LedgerError, match="named by its hash"):
        ledger.parts.read(name)


def test_a_part_that_was_changed_is_an_error(home: Home) -> None:
    with new(home) as ledger:
        name = ledger.parts.write(b"true")
        files = ledger._store.results
        if files is not None:
            (files._folder / name).write_bytes(b"false")  # type: ignore[attr-defined]
        else:
            with ledger._store.writing() as db:
                db.execute("UPDATE states SET value = ? WHERE name = ?", (b"false", f"part {name}"))
        with pytest.raises(LedgerError, match="changed"):
            ledger.parts.read(name)


def test_a_part_is_durable_between_its_two_steps(home: Home) -> None:
    seen: list[tuple[str, bool]] = []
    name = hash_bytes(DATA)

    def look(step: str) -> None:
        with again(home) as other:
            try:
                seen.append((step, other.parts.read(name) == DATA))
            except LedgerError:
                seen.append((step, False))

    with new(home) as ledger, watch_steps(look):
        ledger.parts.write(DATA)
    assert seen == [("before part", False), ("part kept", True)]


def test_nobody_sets_a_part_as_a_state(home: Home) -> None:
    with new(home) as ledger, pytest.raises(ParameterError, match="the ledger's own"):
        ledger.set_state(f"part {hash_bytes(DATA)}", b"other")
