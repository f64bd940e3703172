"""Whole numbers of 38 digits are divided exactly and cut toward zero."""

from __future__ import annotations

import random

from discreet.engines.once import SHORT
from discreet.engines.spark.division import SHORT_BITS, truncated
from discreet.engines.spark.session import SparkConnection

MOST = 2**126 - 1


def wanted(a: int, b: int) -> int | None:
    return None if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def pairs() -> list[tuple[int, int]]:
    source = random.Random(3)
    found = [(MOST, 1), (-MOST, -1), (MOST, 10**7), (MOST, 10**7 - 1), (-MOST, 10**7 + 1), (10**32, 1), (10**32 - 1, 1)]
    found += [(0, 5), (5, 0), (MOST, 0), (MOST, MOST), (MOST - 1, -MOST), (10**37, 10**8), (99999999, 100000000)]
    for _ in range(900):
        b = source.getrandbits(source.randint(1, 126)) if source.random() < 0.7 else source.randint(0, 10**7 + 5)
        a = source.getrandbits(source.randint(1, 126))
        found.append((a * source.choice((1, -1)), b * source.choice((1, -1))))
    return found


def test_quotients_are_exact(session: SparkConnection) -> None:
    listed = ", ".join(f"('{a}', '{b}')" for a, b in pairs())
    a, b = (f"CAST({name} AS DECIMAL(38,0))" for name in "ab")
    long = f"({a}{' + 0' * SHORT})"
    found = session.session.sql(
        f"SELECT a, b, {truncated(a, b)} AS q, {truncated(long, b)} AS long, {truncated(a, b, SHORT_BITS)} AS short "
        f"FROM VALUES {listed} AS t(a, b)"
    ).collect()
    assert len(found) == len(pairs())
    for row in found:
        expected = wanted(int(row.a), int(row.b))
        assert row.q == row.long == expected
        if abs(int(row.a)) < 2**SHORT_BITS:
            assert row.short == expected
