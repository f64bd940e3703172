"""The chain: every entry's hash depends on everything in it and before it."""

from __future__ import annotations

import sqlite3
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.canonical import write_json
from discreet.ledger.entries import chain
from discreet.ledger.files.schema import SCHEMA

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
bodies = st.dictionaries(st.text(), values, max_size=4)
entries = st.lists(
    st.tuples(st.sampled_from(["NOTE", "DATA"]), st.text("0123456789:-T", max_size=5), bodies), max_size=6
)


def chained(given: list[tuple[str, str, dict[str, Any]]]) -> list[chain.Entry]:
    db = sqlite3.connect(":memory:")
    db.executescript(SCHEMA)
    db.execute("INSERT INTO head VALUES (0, ?)", (chain.GENESIS,))
    made = [chain.append(db, *entry) for entry in given]
    assert list(chain.read(db)) == made
    assert [chain.get(db, entry.number) for entry in made] == made
    assert chain.get(db, len(made) + 1) is None
    db.close()
    return made


@settings(max_examples=40)
@given(entries)
def test_entries_are_read_as_they_were_written_and_each_links_to_the_one_before(
    given: list[tuple[str, str, dict[str, Any]]],
) -> None:
    previous = chain.GENESIS
    for number, (entry, (kind, at, body)) in enumerate(zip(chained(given), given, strict=True), start=1):
        assert (entry.number, entry.kind, entry.at, entry.body) == (number, kind, at, body)
        assert entry.hash == chain.hash_entry(previous, number, kind, at, write_json(body))
        assert str(entry.mark) == f"{number}:{entry.hash}"
        previous = entry.hash


@settings(max_examples=40)
@given(entries.filter(bool), st.data())
def test_changing_one_entry_changes_every_hash_from_there_on(
    given: list[tuple[str, str, dict[str, Any]]], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(given) - 1))
    kind, at, body = given[place]
    changed = [*given[:place], (kind, at, {**body, "and": "more", "or": len(body)}), *given[place + 1 :]]
    true, false = chained(given), chained(changed)
    assert [a.hash == b.hash for a, b in zip(true, false, strict=True)] == [i < place for i in range(len(given))]


def test_the_parts_of_an_entry_cannot_be_moved_into_one_another() -> None:
    assert chain.hash_entry("p", 1, "AB", "C", "{}") != chain.hash_entry("p", 1, "A", "BC", "{}")
    assert chain.hash_entry("p", 11, "A", "", "{}") != chain.hash_entry("p", 1, "1A", "", "{}")


@given(bodies)
def test_the_canonical_text_is_ascii_and_does_not_depend_on_order(body: dict[str, Any]) -> None:
    text = write_json(body)
    assert text.isascii()
    assert write_json(dict(reversed(body.items()))) == text
