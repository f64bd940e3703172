"""Names of parts: what was journaled names them, and a record is searched for those alone."""

from __future__ import annotations

import pytest

from discreet.base.canonical import hash_bytes
from discreet.ledger.entries.part_names import PartNames, is_name

NAME = hash_bytes(b"part")


def follow(charge: int, result: bytes) -> PartNames:
    names = PartNames()
    names.follow({"charge": charge, "result": hash_bytes(result), "bytes": len(result)})
    return names


def test_a_part_is_named_by_the_hash_of_its_name_in_the_chain() -> None:
    assert follow(2, NAME.encode()).holds(NAME)
    assert not follow(2, NAME[:-1].encode()).holds(NAME[:-1]), "shorter results are no names"
    assert not follow(2, NAME.encode()).holds(hash_bytes(b"other"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f'{{"parts":[["{NAME}",3],["{hash_bytes(b"other")}",4]]}}', [NAME]),
        (NAME, [NAME]),
        (f"{NAME}0", []),
        (f"a{NAME}", []),
        (NAME.upper(), []),
        ("", []),
    ],
)
def test_names_are_found_in_a_record_where_its_own_charge_journaled_them(text: str, found: list[str]) -> None:
    assert list(follow(2, NAME.encode()).find(2, text.encode())) == found
    assert list(follow(3, NAME.encode()).find(2, text.encode())) == []


@pytest.mark.parametrize("text", ["", NAME.upper(), NAME + "\n", NAME[1:], f"../{NAME}"])
def test_nothing_else_is_a_name(text: str) -> None:
    assert is_name(NAME)
    assert not is_name(text)
