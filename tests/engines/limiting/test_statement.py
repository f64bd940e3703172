"""What units keep, against a slow reference: the same numbers, whatever the rows, keys, units and limits are."""

from __future__ import annotations

import datetime as dt
import hashlib
import itertools
import random
from collections import Counter, defaultdict
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.types import Type
from discreet.engines.dialect import UNIT
from discreet.engines.duck.dialect import DUCKDB
from discreet.engines.limiting import statement
from discreet.engines.limiting.statement import KeyColumn, KeysTogether, Statement, write_statement
from discreet.plan.bounded import Limits, Measure, Part
from discreet.plan.expressions import Column
from discreet.plan.grid import ClampedGrid
from support.duck import Exchange

PRIME = 2**31 - 1
REACH = 40
GRID = ClampedGrid(Fraction(0), Fraction(1), -REACH, REACH)
SUMS = (Measure(Part.ROWS), Measure(Part.UNITS), Measure(Part.SUM, grid=GRID), Measure(Part.VALUES))
WITHOUT_UNITS = (SUMS[0], *SUMS[2:])
RANKS = (*SUMS, Measure(Part.RANKS, grid=GRID))
WARDS, DAYS = ("n", "it's", "ü"), (3, 4, 9)
PUBLIC = (KeyColumn('"w"', Type.TEXT, WARDS), KeyColumn('"d"', Type.INTEGER, DAYS))
PRIVATE = tuple(replace(key, domain=None) for key in PUBLIC)
MIXED = (PUBLIC[0], PRIVATE[1])
LOW = "((({x} % 32768) + 32768) % 32768)"
BY_WINDOWS = replace(
    DUCKDB,
    heavy_first=False,
    halves=lambda x: (
        f"CAST(sum(({x} - {LOW.format(x=x)}) // 32768) AS BIGINT)",
        f"CAST(sum({LOW.format(x=x)}) AS BIGINT)",
    ),
)
"""What other engines do: heavy units are not found first, sums are in two halves. On DuckDB it must keep the same."""
DATABASE = Exchange()

Row = tuple[Any, Any, Any, int]
"""Unit, two keys, value."""


def found(
    rows: list[Row], keys: tuple[KeyColumn, ...], limits: Limits, measures: Any = SUMS, unit: Any = None, **more: Any
) -> tuple[dict[Any, tuple[int, ...]], dict[Any, int]]:
    """Return the sums and the cells of rows, keys as values."""
    kinds = (unit or pa.int64(), pa.string(), pa.int64(), pa.int64())
    columns = list(zip(*rows, strict=True)) if rows else [()] * 4
    DATABASE.put("given", pa.table([pa.array(c, k) for c, k in zip(columns, kinds, strict=True)], list("uwdx")))
    contributions = ["1", "1", "x", "CASE WHEN x > 0 THEN 1 ELSE 0 END", "x", "w"][: len(measures)]
    listed = ", ".join(f"{each} AS __discreet_m{place}" for place, each in enumerate(contributions))
    text = f"SELECT u AS {UNIT}, w, d, {listed} FROM given"
    kind = (Type.INTEGER if more.get("whole_units") else Type.TEXT) if more.get("units", True) else None
    sums, cells = run(write_statement(text, kind, keys, limits, measures, DUCKDB))
    ranked, ranked_cells = run(write_statement(text, kind, keys, limits, measures, BY_WINDOWS))
    assert sorted(ranked, key=repr) == sorted(sums, key=repr)
    assert {at: sorted(each) for at, each in ranked_cells.items()} == {at: sorted(each) for at, each in cells.items()}
    if measures is SUMS:
        merged, _ = run(write_statement(merge_units(text), kind, keys, limits, WITHOUT_UNITS, DUCKDB))
        assert sorted(merged, key=repr) == sorted(((key, n, *more) for key, n, _, *more in sums), key=repr)
    if measures is RANKS:
        check_apart(text, kind, keys, limits)
    assert all(type(number) is int for _, *numbers in sums for number in numbers)
    in_cells = {(named(key, keys), cell): count for key, cell, count in cells.get(4, [])}
    return {named(key, keys): tuple(numbers) for key, *numbers in sums}, in_cells


def check_apart(text: str, kind: Any, keys: tuple[KeyColumn, ...], limits: Limits) -> None:
    """Keep the same where nobody counts units; of public keys with many cells, a row comes for each value."""
    only = text.replace("__discreet_m1", "__discreet_m9").replace("__discreet_m4", "__discreet_m1")
    measures = (RANKS[0], RANKS[4])
    sums, cells = run(write_statement(only, kind, keys, limits, measures, replace(BY_WINDOWS, sends_rows=False)))
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(statement, "MANY_CELLS", 0)
        made = write_statement(only, kind, keys, limits, measures, DUCKDB)
    found, values = run(made)
    assert sorted(found, key=repr) == sorted(sums, key=repr)
    assert not made.whole or all(count == 1 for _, _, count in values[1])
    counted: Counter[Any] = Counter()
    for key, cell, count in values[1]:
        counted[key, cell] += count
    assert counted == Counter({(key, cell): count for key, cell, count in cells[1]})


def merge_units(text: str) -> str:
    """Return the rows of a test without what counts units: light units are added up as one then."""
    renamed = "__discreet_m2 AS __discreet_m1, __discreet_m3 AS __discreet_m2"
    return f"SELECT * EXCLUDE (__discreet_m1) RENAME ({renamed}) FROM ({text})"


def run(made: Statement) -> Any:
    sums, cells = made.read(DATABASE.read(made.statement))
    return sums, {at: each if isinstance(each, list) else each.tolist() for at, each in cells.items()}


def named(key: Any, keys: tuple[KeyColumn, ...]) -> Any:
    if not isinstance(key, int):
        return key
    return (WARDS[key // len(DAYS)], DAYS[key % len(DAYS)]) if keys else ()


def told(*values: Any) -> str:
    return "".join(f"{len(str(value))}:{value}" for value in values)


def number_of(*values: Any) -> int:
    return int(hashlib.md5(told(*values).encode()).hexdigest()[:15], 16)


def group_of(row: Row, keys: tuple[KeyColumn, ...]) -> Any:
    """Return a row's key, or None where it is in no group."""
    values = tuple(zip(keys, row[1:3], strict=False))
    if any(value is None or (key.domain is not None and value not in key.domain) for key, value in values):
        return None
    return tuple(value for _, value in values)


def place(unit: int, group: Any, keys: tuple[KeyColumn, ...]) -> tuple[int, str]:
    """Return the hash of a unit's group and what breaks ties."""
    if all(key.domain is not None for key in keys):
        number, tie = (WARDS.index(group[0]) * len(DAYS) + DAYS.index(group[1]), "") if keys else (0, "")
    else:
        values = [v if k.domain is None else k.domain.index(v) for k, v in zip(keys, group, strict=True)]
        number, tie = number_of(*values), told(*values)
    return pow(unit * 1_583_458_089 + number * 784_588_716, 5, PRIME), tie


def kept_by(rows: list[Row], keys: tuple[KeyColumn, ...], limits: Limits, whole: bool) -> dict[Any, tuple[int, ...]]:
    """Return what one unit adds to the sums."""
    groups: dict[Any, list[int]] = defaultdict(list)
    for row in rows:
        if (group := group_of(row, keys)) is not None:
            groups[group].append(row[3])
    unit = rows[0][0] if whole else number_of(rows[0][0])
    left, kept = limits.rows, {}
    for group in sorted(groups, key=lambda each: place(unit, each, keys))[: limits.groups]:
        values, c = groups[group], len(groups[group])
        n = min(c, limits.rows_per_group, left)
        left -= n
        u = (place(unit, group, keys)[0] * 48_271 + 1) % PRIME * c // PRIME
        scaled = [(s * n + u) // c if n < c else s for s in (sum(values), sum(value > 0 for value in values))]
        if n:
            kept[group] = (n, 1, *scaled)
    return kept


def wanted(rows: list[Row], keys: tuple[KeyColumn, ...], limits: Limits, whole: bool = False) -> Any:
    total: dict[Any, tuple[int, ...]] = {}
    for unit in {row[0] for row in rows}:
        for group, numbers in kept_by([row for row in rows if row[0] == unit], keys, limits, whole).items():
            total[group] = tuple(a + b for a, b in zip(total.get(group, (0,) * 4), numbers, strict=True))
    return total


LIMITS = st.builds(Limits, st.integers(1, 9), st.integers(1, 6), st.integers(1, 5))
WAYS = st.sampled_from([PUBLIC, PRIVATE, MIXED, ()])
ROWS = st.tuples(
    st.sampled_from([1, 1, 1, 2, -3, 2**63 - 1, -(2**63)]),
    st.sampled_from([*WARDS, *WARDS, "attic", None]),
    st.sampled_from([*DAYS, *DAYS, 5, None]),
    st.integers(-REACH, REACH),
)
TABLES = st.lists(ROWS, max_size=40)


@settings(max_examples=150)
@given(TABLES, WAYS, LIMITS, st.booleans(), st.randoms(use_true_random=False))
def test_sums_are_those_of_the_reference(
    rows: list[Row], keys: Any, limits: Limits, whole: bool, chance: random.Random
) -> None:
    expected = wanted(rows, keys, limits, whole)
    chance.shuffle(rows)
    assert found(rows, keys, limits, whole_units=whole)[0] == expected


@settings(max_examples=100)
@given(TABLES, WAYS, LIMITS, st.booleans(), st.sampled_from([SUMS, RANKS]))
def test_a_unit_changes_nobody_elses_numbers_and_stays_within_its_limits(
    rows: list[Row], keys: Any, limits: Limits, whole: bool, measures: Any
) -> None:
    mine, rest = [row for row in rows if row[0] == 1], [row for row in rows if row[0] != 1]
    (all_, all_cells), (others, other_cells), (alone, cells) = (
        found(each, keys, limits, measures, whole_units=whole) for each in (rows, rest, mine)
    )
    for key in all_.keys() | others.keys() | alone.keys():
        zeros = (0,) * len(measures)
        parts = zip(others.get(key, zeros), alone.get(key, zeros), strict=True)
        assert all_.get(key, zeros) == tuple(a + b for a, b in parts)
    assert all(all_cells[at] == other_cells.get(at, 0) + cells.get(at, 0) for at in all_cells)
    for at, (reach, l1, l2) in enumerate(
        [
            (1, limits.l1(), limits.l2_squared()),
            (1, limits.units_l1(), limits.units_l1()),
            (REACH, limits.l1(), limits.l2_squared()),
            (1, limits.l1(), limits.l2_squared()),
        ]
    ):
        gaps = [abs(numbers[at]) for numbers in alone.values()]
        assert sum(gaps) <= l1 * reach
        assert sum(gap * gap for gap in gaps) <= l2 * reach**2
        assert all(gap <= limits.rows_per_group * reach for gap in gaps)
    assert sum(cells.values()) <= limits.l1()


@settings(max_examples=60)
@given(TABLES, WAYS, LIMITS, st.booleans(), st.randoms(use_true_random=False))
def test_rows_picked_are_as_many_as_rows_scaled(
    rows: list[Row], keys: Any, limits: Limits, whole: bool, chance: random.Random
) -> None:
    picked, cells = found(rows, keys, limits, RANKS, whole_units=whole)
    scaled = wanted(rows, keys, limits, whole)
    assert {key: numbers[:2] for key, numbers in picked.items()} == {key: each[:2] for key, each in scaled.items()}
    for key, numbers in picked.items():
        assert numbers[2] == sum(cell * count for (group, cell), count in cells.items() if group == key)
    chance.shuffle(rows)
    assert found(rows, keys, limits, RANKS, whole_units=whole) == (picked, cells)


@pytest.mark.slow
@pytest.mark.many
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("most", [2, pytest.param(3, marks=pytest.mark.slow), pytest.param(5, marks=pytest.mark.long)])
def test_all_small_units_under_all_small_limits(whole: bool, most: int) -> None:
    """Units with 0 to 3 rows in each of three groups, every way of it, are asked by both ways."""
    counts = list(itertools.product(range(4), repeat=3))
    rows: list[Row] = [
        (unit, "n", day, value)
        for unit, each in enumerate(counts)
        for day, count in zip(DAYS, each, strict=True)
        for value in range(count)
    ]
    for limits in itertools.starmap(Limits, itertools.product(range(1, most + 1), range(1, 4), range(1, 4))):
        for keys in (PUBLIC, PRIVATE[1:]):
            expected = wanted([(u, d, w, x) for u, w, d, x in rows] if len(keys) == 1 else rows, keys, limits, whole)
            assert found(rows, keys, limits, whole_units=whole)[0] == expected
            picked = found(rows, keys, limits, RANKS, whole_units=whole)[0]
            assert {key: each[:2] for key, each in picked.items()} == {key: each[:2] for key, each in expected.items()}


@pytest.mark.many
@pytest.mark.parametrize(
    ("unit", "kind"),
    [
        ("o'Neil \" ü 𝄞", pa.string()),
        ("", pa.string()),
        (dt.date(1999, 12, 31), pa.date32()),
        (Decimal("-12.50"), pa.decimal128(30, 2)),
        (7, pa.int32()),
    ],
)
@pytest.mark.parametrize("keys", [PUBLIC, PRIVATE])
def test_units_of_all_types(unit: Any, kind: Any, keys: Any) -> None:
    rows = [(unit, ward, day, value) for ward in WARDS for day in DAYS for value in (5, -7, 11)]
    limits = Limits(7, 4, 2)
    assert found(rows, keys, limits, unit=kind)[0] == wanted(rows, keys, limits)
    assert sum(numbers[0] for numbers in found(rows, keys, limits, RANKS, unit=kind)[0].values()) == 7


def test_keys_outside_their_domain_do_not_use_limits() -> None:
    rows: list[Row] = [(1, ward, 3, 1) for ward in ("attic", None) for _ in range(50)]
    for measures in (SUMS, RANKS):
        assert found([*rows, (1, "n", 3, 1)], PUBLIC, Limits(1, 1, 1), measures)[0][("n", 3)][0] == 1
    assert found([(1, None, 3, 1)] * 9 + [(1, "n", 3, 1)], PRIVATE, Limits(1, 1, 1))[0] == {("n", 3): (1, 1, 1, 1)}


def test_nothing_comes_of_nothing() -> None:
    for keys in (PUBLIC, PRIVATE, ()):
        for measures in (SUMS, RANKS):
            for units in (True, False):
                assert found([], keys, Limits(2, 2, 2), measures, units=units) == ({}, {})


def test_rows_that_are_units_are_all_counted() -> None:
    rows: list[Row] = [(1, "n", 3, 2)] * 30 + [(1, "attic", 3, 2)]
    for measures in (SUMS, RANKS):
        sums, cells = found(rows, PUBLIC, Limits(1, 1, 1), measures, units=False)
        assert sums[("n", 3)][:4] == (30, 30, 60, 30)
    assert cells == {(("n", 3), 2): 30}


def test_sums_beyond_64_bits_are_exact_scaled_or_not() -> None:
    big = 2**63 - 1
    rows: list[Row] = [(1, "n", 3, big)] * 5 + [(1, "n", 4, -big - 1)] * 5
    measures = (*SUMS[:2], Measure(Part.SUM, grid=ClampedGrid(Fraction(0), Fraction(1), -big - 1, big)), SUMS[3])
    assert [found(rows, PUBLIC, Limits(99, 9, 9), measures)[0][key][2] for key in (("n", 3), ("n", 4))] == [
        5 * big,
        -5 * big - 5,
    ]
    assert [found(rows, PUBLIC, Limits(99, 9, 3), measures)[0][key][2] for key in (("n", 3), ("n", 4))] == [
        3 * big,
        -3 * big - 3,
    ]


@pytest.mark.parametrize("dialect", [DUCKDB, BY_WINDOWS])
@pytest.mark.parametrize("most", [1, 2, 9])
def test_units_with_a_row_that_meets_a_condition_are_counted_one_by_one(dialect: Any, most: int) -> None:
    """Three of five units have such a row, most of them several; whether they are under their limits or over."""
    met = {1: [1, 1, 0], 2: [0, 1], 3: [0, 0, 0], 4: [0], 5: [1, 1]}
    rows = [(unit, each) for unit, found in met.items() for each in found]
    DATABASE.put("holders", pa.table([pa.array(column) for column in zip(*rows, strict=True)], list("ux")))
    text = f"SELECT u AS {UNIT}, 1 AS __discreet_m0, x AS __discreet_m1 FROM holders"
    measures = (SUMS[0], Measure(Part.UNITS, Column("t", "x", Type.INTEGER)))
    sums, _ = run(write_statement(text, Type.INTEGER, (), Limits(most, 1, most), measures, dialect))
    assert sums == [(0, sum(min(len(each), most) for each in met.values()), 3)]


@pytest.mark.parametrize("dialect", [DUCKDB, BY_WINDOWS])
def test_distinct_numbers_of_38_digits_are_counted_also_of_units_over_a_limit(dialect: Any) -> None:
    DATABASE.put("wide", pa.table([pa.array([1] * 9)], ["u"]))
    text = f"SELECT u AS {UNIT}, CAST('{10**30}' AS HUGEINT) + row_number() OVER () AS __discreet_m0 FROM wide"
    measure = Measure(Part.DISTINCT, Column("t", "x", Type.INTEGER))
    sums, _ = run(write_statement(text, Type.INTEGER, (), Limits(4, 1, 4), (measure,), dialect))
    assert sums == [(0, 4)]


@pytest.mark.many
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("most", [1, 63, 64, 65, 200])
def test_a_unit_far_over_all_limits_reaches_them(whole: bool, most: int) -> None:
    rows: list[Row] = [(1, "n", day, REACH) for day in range(300) for _ in range(9)]
    keys = (KeyColumn('"d"', Type.INTEGER, tuple(range(300))),)
    text = f"SELECT u AS {UNIT}, d, 1 AS __discreet_m0, x AS __discreet_m1 FROM far"
    columns = list(zip(*rows, strict=True))
    DATABASE.put("far", pa.table([pa.array(columns[0]), pa.array(columns[2]), pa.array(columns[3])], list("udx")))
    for many in (3, 4):
        kind, limits = Type.INTEGER if whole else Type.TEXT, Limits(many * most, most, 4)
        sums, _ = run(write_statement(text, kind, keys, limits, (SUMS[0], SUMS[2]), DUCKDB))
        assert sorted(run(write_statement(text, kind, keys, limits, (SUMS[0], SUMS[2]), BY_WINDOWS))[0]) == sorted(sums)
        assert len(sums) == -(-many * most // 4), "four rows in each group, but for the last"
        assert sum(n for _, n, _ in sums) == many * most
        assert sum(s for _, _, s in sums) == many * most * REACH


def test_distinct_values_are_counted_among_the_rows_kept() -> None:
    distinct = Measure(Part.DISTINCT, Column("r", "w", Type.TEXT))
    rows: list[Row] = [(unit, ward, 3, 1) for unit in (1, 2) for ward in (*WARDS, None) for _ in range(4)]
    keys = (PRIVATE[1],)
    numbers = found(rows, keys, Limits(99, 9, 99), (*RANKS, distinct))[0][(3,)]
    assert (numbers[0], numbers[-1]) == (32, 3)
    assert found(rows[:16], keys, Limits(99, 9, 1), (*RANKS, distinct))[0][(3,)][-1] <= 1


@pytest.mark.parametrize("whole", [True, False])
def test_scaling_and_keeping_are_fair_on_average(whole: bool) -> None:
    """2,000 units, each with 3 groups of 3 rows, of which one group and two rows are kept.

    The hash is fixed, so that this is one fixed number each: within 5 standard deviations of a fair lot's.
    """
    rows: list[Row] = [(unit, "n", day, value) for unit in range(2000) for day in DAYS for value in (0, 0, 1)]
    sums, _ = found(rows, PUBLIC, Limits(2, 1, 2), whole_units=whole)
    units, ones = [numbers[1] for numbers in sums.values()], sum(numbers[2] for numbers in sums.values())
    assert sum(units) == 2000
    assert all(abs(count - 2000 / 3) < 5 * (2000 * 2 / 9) ** 0.5 for count in units)
    assert abs(ones - 2000 * 2 / 3) < 5 * (2000 * 2 / 9) ** 0.5


TOGETHER = (("it's", 4), ("it's", 9), ("n", 3), ("ü", 4))


@given(rows=st.lists(ROWS, max_size=40), limits=LIMITS, ranked=st.booleans())
@settings(max_examples=12, deadline=None)
def test_keys_that_go_together_are_one_key_of_their_combinations(rows: list[Row], limits: Limits, ranked: bool) -> None:
    measures = RANKS if ranked else SUMS
    columns = list(zip(*rows, strict=True)) if rows else [()] * 4
    kinds = (pa.int64(), pa.string(), pa.int64(), pa.int64())
    DATABASE.put("given", pa.table([pa.array(c, k) for c, k in zip(columns, kinds, strict=True)], list("uwdx")))
    contributions = ["1", "1", "x", "CASE WHEN x > 0 THEN 1 ELSE 0 END", "x"][: len(measures)]
    listed = ", ".join(f"{each} AS __discreet_m{place}" for place, each in enumerate(contributions))
    text = f"SELECT u AS {UNIT}, w, d, w || ' ' || d AS both, {listed} FROM given"
    single = KeyColumn("both", Type.TEXT, tuple(f"{ward} {day}" for ward, day in TOGETHER))
    joint = KeysTogether.of((0, 1), TOGETHER, PUBLIC)
    for dialect in (DUCKDB, BY_WINDOWS):
        one = run(write_statement(text, Type.INTEGER, (single,), limits, measures, dialect))
        two = run(write_statement(text, Type.INTEGER, PUBLIC, limits, measures, dialect, [joint]))
        assert sorted(two[0]) == sorted(one[0])
        assert {at: sorted(found) for at, found in two[1].items()} == {
            at: sorted(found) for at, found in one[1].items()
        }


def test_keys_that_go_together_beside_keys_of_the_data() -> None:
    rows: list[Row] = [(1, "n", 3, 5), (1, "n", 4, 5), (2, "ü", 4, 6), (3, "it's", 9, 7), (3, "nowhere", 9, 7)]
    text = f"SELECT u AS {UNIT}, w, d, x % 2 AS e, 1 AS __discreet_m0 FROM given"
    columns = list(zip(*rows, strict=True))
    DATABASE.put("given", pa.table([pa.array(c) for c in columns], list("uwdx")))
    keys = (PUBLIC[0], KeyColumn("e", Type.INTEGER, None), PUBLIC[1])
    joint = KeysTogether.of((0, 2), TOGETHER, keys)
    found, _ = run(write_statement(text, Type.INTEGER, keys, Limits(9, 9, 9), SUMS[:1], DUCKDB, [joint]))
    assert sorted(found) == [(("it's", 1, 9), 1), (("n", 1, 3), 1), (("ü", 0, 4), 1)]


def test_combinations_of_many_long_domains_do_not_overflow() -> None:
    domains = tuple(tuple(range(size)) for size in (2_000, 2_001, 2_002, 2_003, 2_004, 2_005))
    keys = tuple(KeyColumn(f"k{at}", Type.INTEGER, domain) for at, domain in enumerate(domains))
    last = tuple(len(domain) - 1 for domain in domains)
    joint = KeysTogether.of(tuple(range(6)), ((0,) * 6, last), keys)
    values = ", ".join(f"{value} AS k{at}" for at, value in enumerate(last))
    made = write_statement(
        f"SELECT 1 AS {UNIT}, {values}, 1 AS __discreet_m0",
        Type.INTEGER,
        keys,
        Limits(1, 1, 1),
        SUMS[:1],
        DUCKDB,
        [joint],
    )
    assert run(made)[0] == [(1, 1)]
