"""What the generated questions and their kin found, once each: small tables, and the rule that did not hold."""

from __future__ import annotations

import time
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from discreet.base.errors import PolicyError
from discreet.engines.engines import Engines
from discreet.plan.relations import Scan
from support.hospital import HOSPITAL, VISITS, answered, bounded, engine_of, refusal

POLICY = """\
[budget]
epsilon = 10.0
delta = 1e-9
[tables.a]
unit = "u"
identifies = "person"
size = 1000
max_rows = 2
[tables.a.columns]
i = { lower = 0, upper = 10 }
h = { lower = 0, upper = 10, step = 0.5 }
[tables.b]
unit = "u"
identifies = "person"
size = 1000
max_rows = 2
[tables.r]
rows_are_units = true
size = 1000
[tables.r.columns]
i = { lower = -10, upper = 10 }
"""
TEXTS = ["null", None, "x", "y"]
A: dict[str, Any] = {
    "u": pa.array([1, 1, 1, 2], pa.int64()),
    "i": pa.array([2**63 - 1] * 4, pa.int64()),
    "h": pa.array([3, 3, 3, 3], pa.int64()),
    "t": pa.array(TEXTS, pa.string()),
    "d": pa.array([2**31 - 2, 0, 1, 2], pa.date32()),
    "f": pa.array([0.0, -0.0, 1.0, 1.0], pa.float64()),
}
B: dict[str, Any] = {"u": pa.array([1, 2], pa.int64()), "at": pa.array([0, 0], pa.timestamp("us"))}
R = pa.table({"i": pa.array([5, -5, 0], pa.int64())})


def engine(order: list[int] | None = None, *, a: Any = None, b: Any = None) -> Engines:
    first = pa.table(A | (a or {}))
    return engine_of(POLICY, {"a": first.take(order) if order else first, "b": pa.table(B | (b or {})), "r": R})


@pytest.mark.parametrize(
    "rows",
    [
        "b JOIN (SELECT u, i * i AS y FROM a WHERE i > 0) AS s USING (u)",
        "(SELECT u, MAX(i * i) AS y FROM a GROUP BY u) AS s",
        "(SELECT u, i * i AS y, COUNT(*) AS n FROM a GROUP BY u, i * i) AS s",
        "(SELECT u, i * i AS y FROM a UNION ALL SELECT u, i FROM a) AS s",
    ],
)
def test_whole_numbers_of_subqueries_cannot_overflow(rows: str) -> None:
    """They are NULL where they would, in whatever relation they are made, and no row makes the question fail."""
    for made in ("s.y * s.y", "s.y + s.y", "s.y * s.y * s.y - s.y", "3 - s.y * 2"):
        found = answered(engine(), f"SELECT COUNT(*) FROM {rows} WHERE ({made}) IS NULL AND s.y > {1 << 64}")
        assert found.sets[0].sums[0][0] > 0, made
    assert answered(engine(), f"SELECT COUNT(*) FROM {rows} WHERE CAST(s.y AS DOUBLE) * s.y > 5").sets[0].sums[0][0] > 0


@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("person", [1, 2])
def test_sums_of_one_units_rows_cannot_overflow(person: int, sign: str) -> None:
    """Three rows of 8 * 10^37 leave 38 digits and one does not: a failure would say how many rows somebody has."""
    inner = f"SELECT u, SUM(CASE WHEN u = {person} THEN {sign}8{'0' * 37} ELSE 0 END) AS s FROM a GROUP BY u"
    found = answered(engine(), f"SELECT COUNT(*) FROM ({inner}) AS x WHERE ABS(s) >= {1 << 62}")
    assert found.sets[0].sums == ((1,),)


def test_the_sum_of_no_values_is_null_inside() -> None:
    nothing = {"i": pa.array([None, None, None, 4], pa.int64())}
    asked = "SELECT COUNT(s), SUM(s) FROM (SELECT u, SUM(i) AS s FROM a GROUP BY u) AS x"
    assert sorted(answered(engine(a=nothing), asked).sets[0].sums) == [(1,), (4,)]


@pytest.mark.parametrize("counted", ["*", "u", "i"])
def test_a_count_inside_heeds_its_filter(counted: str) -> None:
    inner = f"SELECT u, COUNT({counted}) FILTER (WHERE t = 'y') AS n FROM a GROUP BY u"
    assert answered(engine(), f"SELECT COUNT(*) FROM ({inner}) AS x WHERE n > 0").sets[0].sums == ((1,),)


def test_texts_of_subqueries_cannot_grow_without_limit() -> None:
    grown = " || ".join(["t"] * 9)
    inside = f"SELECT u, {grown} AS t FROM a UNION ALL SELECT u, t FROM a"
    asked = f"SELECT COUNT(*) FROM (SELECT u, {grown} AS t FROM ({inside}) AS s UNION ALL SELECT u, t FROM a) AS s"
    assert "texts" in refusal(engine(), f"{asked} WHERE LENGTH(t) > 5")


@pytest.mark.parametrize(
    "asked",
    [
        "SELECT COUNT(*) FROM {}",
        "SELECT COUNT(*) FROM (SELECT a.u, COUNT(*) AS n FROM {} GROUP BY a.u) AS s",
        "SELECT COUNT(*) FROM b WHERE b.u IN (SELECT a.u FROM {})",
        "SELECT COUNT(*) FROM b WHERE EXISTS (SELECT 1 FROM {} WHERE a.u = b.u)",
        "SELECT COUNT(*) FROM b JOIN (SELECT a.u, COUNT(*) AS n FROM {} GROUP BY a.u) AS s USING (u)",
    ],
)
def test_nobody_is_joined_to_themselves_so_often_that_time_tells_of_it(asked: str) -> None:
    """Two rows of one person in a join of 21 tables are two million, wherever the join stands."""
    joined = "a" + "".join(f" JOIN a AS a{place} ON a.u = a{place}.u AND a.u = 17" for place in range(20))
    assert "one unit could have" in refusal(engine(), asked.format(joined))


@pytest.mark.parametrize("rows", ["visits AS v JOIN wards AS w", "wards AS w JOIN visits AS v"])
def test_units_are_cut_before_a_public_table_multiplies_their_rows(rows: str) -> None:
    heavy = {"patient": pa.array([7] * 500, pa.int64()), "age": pa.array([2] * 500, pa.int64())}
    hospital = engine_of(frames=HOSPITAL | {"visits": with_columns(VISITS, heavy)})
    source = bounded(hospital, f"SELECT COUNT(*) FROM {rows} ON v.age = w.floor").plan.block.source
    assert isinstance(source, Scan)
    assert source.rows == 4
    assert answered(hospital, f"SELECT COUNT(*) FROM {rows} ON v.age = w.floor").sets[0].sums == ((6,),)


def with_columns(like: pa.Table, columns: dict[str, pa.Array]) -> pa.Table:
    """Return a table with the columns of another, NULL where none are given."""
    size = len(next(iter(columns.values())))
    return pa.table({each.name: columns.get(each.name, pa.nulls(size, each.type)) for each in like.schema})


def test_subqueries_in_one_another_are_looked_through_once() -> None:
    """Bounds of 30^6 mentions of one column would take days to find; nothing of it is charged."""
    rows = "SELECT u, f AS x FROM a"
    for _ in range(6):
        rows = f"SELECT u, {' + '.join(['x'] * 30)} AS x FROM ({rows}) AS s UNION ALL SELECT u, f FROM a"
    begun = time.monotonic()
    bounded(engine(), f"SELECT x > 3 AS k, SUM(LEAST(GREATEST(x, 0), 1)) FROM ({rows}) AS s GROUP BY 1")
    assert time.monotonic() - begun < 100


@pytest.mark.parametrize("join", ["a JOIN b ON a.u = b.u AND a.d = b.at", "b LEFT JOIN a ON a.u = b.u AND b.at = a.d"])
def test_dates_beyond_all_times_are_joined_to_times(join: str) -> None:
    assert answered(engine(), f"SELECT COUNT(*) FROM {join}").sets[0].sums[0][0] in (1, 2)


def test_halves_declared_of_whole_numbers_are_added_up_inside() -> None:
    assert answered(engine(), "SELECT SUM(s) FROM (SELECT u, SUM(h) AS s FROM a GROUP BY u) AS x").sets[0].sums == (
        (12,),
    )


@pytest.mark.parametrize("half", ["0.5", "5e-1"], ids=["a decimal", "a float"])
def test_one_row_is_in_one_group_though_two_keys_are_one_float(half: str) -> None:
    key = f"CASE WHEN i > 0 THEN 9007199254740992 WHEN i < 0 THEN 9007199254740993 ELSE {half} END"
    asked = f"SELECT {key} AS k, COUNT(*) FROM r GROUP BY 1"
    plan = bounded(engine(), asked).plan
    found = engine().run(plan).result()
    assert sum(found.sets[0].sums[0]) == R.num_rows
    assert plan.l1(plan.measures[0]) == 1


ORDERS = [[0, 1, 2, 3], [1, 0, 2, 3], [3, 2, 1, 0], [2, 1, 0, 3]]


@pytest.mark.parametrize(
    "asked",
    [
        "SELECT COUNT(t) FROM a JOIN b USING (u)",
        "SELECT COUNT(*) FROM (SELECT u, f AS k FROM a WHERE f < 1 GROUP BY u, f) AS s WHERE ATAN2(k, -1) > 0",
        "SELECT COUNT(*) FROM (SELECT u, MIN(f) AS k FROM a WHERE f < 1 GROUP BY u) AS s WHERE ATAN2(k, -1) > 0",
    ],
)
def test_the_order_of_rows_does_not_matter(asked: str) -> None:
    assert len({repr(answered(engine(order), asked)) for order in ORDERS}) == 1


@pytest.mark.parametrize(
    ("asked", "count"),
    [
        ("SELECT COUNT(*) FROM a JOIN b USING (u)", 2),
        ("SELECT COUNT(*) FROM a WHERE u IN (SELECT u FROM b)", 2),
        ("SELECT COUNT(DISTINCT u) FROM (SELECT u FROM a UNION ALL SELECT u FROM b)", 4),
    ],
)
def test_decimals_of_other_scales_name_the_same_people(asked: str, count: int) -> None:
    wide = pa.array([Decimal("9" * 38), Decimal(1), Decimal(1), Decimal(10)], pa.decimal128(38, 0))
    fine = pa.array([Decimal(1), Decimal("0.5")], pa.decimal128(38, 10))
    assert answered(engine(a={"u": wide}, b={"u": fine}), asked).sets[0].sums == ((count,),)


@pytest.mark.parametrize("kind", [pa.timestamp("us"), pa.timestamp("s", tz="UTC"), pa.timestamp("ms", tz="UTC")])
@pytest.mark.parametrize("asked", ["COUNT(DISTINCT CAST(x AS DATE))", "COUNT(DISTINCT x)"])
def test_times_beyond_the_calendar_are_null(kind: Any, asked: str) -> None:
    far = pa.array([-(2**63), 2**62, 0, -(2**63) + 2], pa.int64()).cast(kind)
    (sums,) = (
        answered(engine(a={"u": pa.array([1, 2, 3, 4], pa.int64()), "x": far}), f"SELECT {asked} FROM a").sets[0].sums
    )
    assert 1 <= sums[0] <= 2


def test_units_to_the_nanosecond_are_refused() -> None:
    times = {"u": pa.array([1, 2, 3, 4], pa.timestamp("ns"))}
    with pytest.raises(PolicyError, match="microsecond"):
        engine(a=times, b={"u": pa.array([1, 2], pa.timestamp("ns"))}).open_all()


def test_ranges_too_narrow_for_any_step_are_constants() -> None:
    for asked in ("SUM(LEAST(GREATEST(SQRT(0), 0), 50))", "SUM(SQRT(0))"):
        assert answered(engine(), f"SELECT {asked} FROM r").sets[0].sums == ((0,),)
