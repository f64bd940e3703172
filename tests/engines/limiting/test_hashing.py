"""The order in which a unit's groups are kept: a matter of unit and key, fair, and without ties."""

from __future__ import annotations

import duckdb

from discreet.base.types import Type
from discreet.engines.duck.dialect import DUCKDB
from discreet.engines.limiting.hashing import (
    HASH,
    PRIME,
    add_hashes,
    hash_to_number,
    order_by_hash,
    write_value,
    write_values,
)

CONNECTION = duckdb.connect()


def hashes(units: int, keys: int) -> list[list[int]]:
    """Return the hashes of all pairs, by unit."""
    pairs = f"(SELECT u.range AS u, k.range AS k FROM range({units}) AS u, range({keys}) AS k)"
    rows = CONNECTION.execute(
        f"SELECT u, k, {HASH} FROM ({add_hashes(pairs + ' AS q', 'u', 'k', DUCKDB)}) ORDER BY u, k"
    ).fetchall()
    return [[value for unit, _, value in rows if unit == each] for each in range(units)]


def test_no_two_groups_of_a_unit_are_tied() -> None:
    for each in hashes(20, 500):
        assert len(set(each)) == 500
        assert all(0 <= value < PRIME for value in each)


def test_every_group_is_the_first_as_often() -> None:
    firsts = [each.index(min(each)) for each in hashes(3000, 4)]
    assert all(640 < firsts.count(place) < 860 for place in range(4)), "750 expected; six sigma are 142"


def test_negative_units_have_hashes_too() -> None:
    source = "(SELECT -5 AS u, 3 AS k)"
    ((found,),) = CONNECTION.execute(
        f"SELECT {HASH} FROM ({add_hashes(source + ' AS q', 'u', 'k', DUCKDB)})"
    ).fetchall()
    assert 0 <= found < PRIME


def test_different_contents_have_different_texts() -> None:
    values = ["NULL", "'null'", "''", "'a'", "'1:a'", "'a1:'"]
    texts = [
        CONNECTION.execute(f"SELECT {write_value((value, Type.TEXT), DUCKDB)}").fetchall()[0][0] for value in values
    ]
    assert len(set(texts)) == len(values)
    joined = [
        CONNECTION.execute(f"SELECT {write_values([(one, Type.TEXT), (other, Type.TEXT)], DUCKDB)}").fetchall()[0][0]
        for one, other in (("'a'", "'bc'"), ("'ab'", "'c'"), ("'abc'", "NULL"))
    ]
    assert len(set(joined)) == 3


def test_numbers_of_texts_are_of_sixty_bits_and_their_order_ends_with_the_text() -> None:
    ((number,),) = CONNECTION.execute(
        f"SELECT {hash_to_number([(chr(39) + 'x' + chr(39), Type.TEXT)], DUCKDB)}"
    ).fetchall()
    assert 0 <= number < 1 << 60
    rows = CONNECTION.execute(
        f"SELECT {order_by_hash([('k', Type.TEXT)], DUCKDB)} FROM (SELECT 7 AS {HASH}, 'x' AS k)"
    ).fetchall()
    assert rows == [("00000000071:x",)]
