"""Keys follow the conditions: those that no row can have are not shown, and those that depend on others go together."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest

from discreet.engines.engines import Engines
from discreet.plan.bounded import BoundedPlan
from support.hospital import answered, bounded, engine_of, refusal

POLICY = """\
[budget]
epsilon = 10.0
delta = 1e-9

[tables.loans]
unit = "reader"
size = 1000
max_rows = 4
[tables.loans.columns]
age = { lower = 0, upper = 120 }
points = { lower = 0, upper = 1_000_000 }
city = { values = ["Aachen", "Bonn", "Bremen", "Emden", "Fulda"] }
day = { lower = 2026-01-01, upper = 2026-12-31 }
back = { lower = 2026-01-01, upper = 2027-06-30 }
at = { lower = 2026-01-01T00:00:00, upper = 2026-12-31T23:59:59 }
weight = { lower = 0, upper = 10 }

[tables.books]
public = true
[tables.shelves]
public = true
"""

COUNT = 200
BOOKS = pa.table(
    {
        "isbn": [f"isbn {place}" for place in range(COUNT)],
        "title": [f"title {place}" for place in range(COUNT)],
        "genre": [("novel", "poem", "play")[place % 3] for place in range(COUNT)],
        "shelf": pa.array([place % 7 for place in range(COUNT)], pa.int64()),
        "price": pa.array([float(place) for place in range(COUNT - 1)] + [None], pa.float64()),
    }
)
SHELVES = pa.table({"shelf": pa.array(range(7), pa.int64()), "room": ["a", "a", "a", "b", "b", "c", None]})


def _loans(rows: list[dict[str, Any]]) -> pa.Table:
    kinds = {"reader": pa.int64(), "age": pa.int64(), "points": pa.int64(), "city": pa.string(), "isbn": pa.string()}
    kinds |= {"lower": pa.string(), "day": pa.date32(), "back": pa.date32(), "at": pa.timestamp("us")}
    kinds |= {"weight": pa.float64(), "note": pa.string(), "flag": pa.bool_()}
    return pa.table({name: pa.array([row.get(name) for row in rows], kind) for name, kind in kinds.items()})


LOANS: list[dict[str, Any]] = [
    {"reader": 1, "age": 9, "points": 7, "city": "Aachen", "isbn": "isbn 3", "note": "a", "flag": True},
    {"reader": 2, "age": 40, "points": 8, "city": "Bonn", "isbn": "isbn 4", "note": "zzz", "flag": False},
    {"reader": 3, "age": None, "city": None, "isbn": "no such book", "note": None},
    {"reader": 4, "age": 500, "city": "Atlantis", "isbn": None, "note": "b"},
]
ENGINE = engine_of(POLICY, {"loans": _loans(LOANS), "books": BOOKS, "shelves": SHELVES})


def keys(text: str, engine: Engines = ENGINE, **how: Any) -> list[Any]:
    """Return the public keys of a question with one grouping; a single key as itself."""
    plan = bounded(engine, text, **how).plan
    assert not plan.selects(0)
    found = list(plan.combinations(0))
    assert len(found) == plan.groups(0)
    return [row[0] for row in found] if len(plan.keys) == 1 else found


def grouped(by: str, where: str, source: str = "loans") -> list[Any]:
    return keys(f"SELECT COUNT(*) FROM {source} WHERE {where} GROUP BY {by}")


def from_data(by: str, where: str, source: str = "loans") -> bool:
    return bounded(ENGINE, f"SELECT COUNT(*) FROM {source} WHERE {where} GROUP BY {by}").plan.selects(0)


MARCH = [dt.date(2026, 3, 1) + dt.timedelta(days=place) for place in range(7)]
WEEK = "day >= DATE '2026-03-01' AND day < DATE '2026-03-01' + INTERVAL 7 DAY"


@pytest.mark.many
@pytest.mark.parametrize(
    ("by", "where", "wanted"),
    [
        ("age", "age < 18", list(range(18))),
        ("age", "age BETWEEN 3 AND 5 AND age <> 4", [3, 5]),
        ("age", "age % 50 = 0", [0, 50, 100]),
        ("age", "(age = 3 OR age = 5) AND city = 'Bonn'", [3, 5]),
        ("city", "city IN ('Aachen', 'Bremen')", ["Aachen", "Bremen"]),
        ("city", "city LIKE 'B%'", ["Bonn", "Bremen"]),
        ("city", "upper(city) = 'EMDEN'", ["Emden"]),
        ("day", WEEK, MARCH),
        ("day", "day BETWEEN '2026-03-01' AND '2026-03-07'", MARCH),
        ("flag", "flag", [True]),
        ("age > 64", "age < 18", [False]),
        ("city = 'Bonn'", "city = 'Bonn'", [True]),
        # of what a key is made from
        ("age // 10", "age < 18", [0, 1]),
        ("FLOOR(age / 10)", "age < 18", [0, 1]),
        ("CASE WHEN age < 18 THEN 'minor' ELSE 'adult' END", "age < 18", ["minor"]),
        ("extract(month FROM day)", WEEK, [3]),
        ("date_trunc('week', day)", WEEK, [dt.date(2026, 2, 23), dt.date(2026, 3, 2)]),
        ("COALESCE(city, 'none')", "city IS NULL OR city = 'Bonn'", ["Bonn", "none"]),
        # of ranges that are too large to list
        ("points", "points < 3", [0, 1, 2]),
        ("points // 1000", "points >= 998_500", [998, 999, 1000]),
        ("FLOOR(weight)", "weight > 8.5", [8, 9, 10]),
        (
            "date_trunc('hour', at)",
            "at >= '2026-05-05 10:30:00' AND at < '2026-05-05 12:00:00'",
            [dt.datetime(2026, 5, 5, hour, tzinfo=dt.UTC) for hour in (10, 11)],
        ),
        ("CAST(at AS DATE)", "at < '2026-01-03 00:00:00'", [dt.date(2026, 1, 1), dt.date(2026, 1, 2)]),
    ],
)
def test_conditions_narrow_public_domains(by: str, where: str, wanted: list[Any]) -> None:
    assert grouped(by, where) == wanted


@pytest.mark.parametrize(
    "where",
    [
        "city = 'Bonn' OR age < 18",
        "NOT (city = 'Bonn' AND age < 18)",
        "city = note",
        "age < 18",
        "CASE WHEN flag THEN city = 'Bonn' ELSE TRUE END",
    ],
)
def test_what_also_speaks_of_other_columns_narrows_nothing(where: str) -> None:
    assert len(grouped("city", where)) == 5


def test_filter_and_the_on_of_a_left_join_narrow_nothing() -> None:
    assert len(keys("SELECT city, COUNT(*) FILTER (WHERE city = 'Bonn') FROM loans GROUP BY city")) == 5
    assert len(keys("SELECT city, SUM(CASE WHEN city = 'Bonn' THEN age END) FROM loans GROUP BY city")) == 5
    joined = "loans a LEFT JOIN (SELECT reader, city FROM loans WHERE city = 'Bonn') b ON a.reader = b.reader AND "
    assert len(keys(f"SELECT COUNT(*) FROM {joined} a.city = b.city GROUP BY a.city")) == 5
    assert len(keys("SELECT COUNT(*) FROM loans l LEFT JOIN books b ON l.city = b.isbn GROUP BY l.city")) == 5
    assert bounded(ENGINE, "SELECT COUNT(*) FROM loans l LEFT JOIN books USING (isbn) GROUP BY l.isbn").plan.selects(0)


def test_the_conditions_of_other_units_rows_narrow_nothing() -> None:
    semi = "reader IN (SELECT reader FROM loans WHERE city = 'Bonn')"
    assert len(grouped("city", semi)) == 5
    assert len(grouped("city", "reader NOT IN (SELECT reader FROM loans WHERE city = 'Bonn')")) == 5


def test_a_narrowed_key_is_counted_as_before() -> None:
    text = "SELECT age, COUNT(*) FROM loans WHERE age < 18 GROUP BY age"
    (found,) = answered(ENGINE, text).sets
    assert found.sums == (tuple(int(age == 9) for age in range(18)),)


def test_conditions_that_no_key_fulfils_are_refused() -> None:
    for where in ("age < 0", "age = 3 AND age = 4", "age IS NULL"):
        told = refusal(ENGINE, f"SELECT age, COUNT(*) FROM loans WHERE {where} GROUP BY age")
        assert "age has no value at all that" in told


@pytest.mark.parametrize(
    ("by", "where", "wanted"),
    [
        ("note", "note IN ('b', 'a', 'b')", ["a", "b"]),
        ("note", "note = 'a'", ["a"]),
        ("note", "(note = 'a' OR note = 'c') AND note <> 'c'", ["a"]),
        ("note", "note IN ('a', 'bb') AND LENGTH(note) = 2", ["bb"]),
        ("lower(note)", "lower(note) IN ('a', 'b')", ["a", "b"]),
        ("points", "points IN (999999, 5)", [5, 999999]),
        ("CASE WHEN note IN ('a', 'b') THEN note ELSE 'other' END", "TRUE", ["a", "b", "other"]),
        ("CASE note WHEN 'a' THEN note WHEN 'b' THEN 'bee' END", "TRUE", ["a", "bee"]),
        ("CASE WHEN age < 2 THEN age ELSE 99 END", "TRUE", [0, 1, 99]),
    ],
)
def test_in_is_a_domain(by: str, where: str, wanted: list[Any]) -> None:
    assert grouped(by, where) == wanted


@pytest.mark.parametrize(
    ("by", "where"),
    [
        ("note", "note IN ('a', 'b') OR age = 3"),
        ("note", "note NOT IN ('a', 'b')"),
        ("note", "lower(note) = 'a'"),
        ("note", "note = city"),
        ("CASE WHEN note IN ('a', 'b') OR age = 3 THEN note ELSE 'other' END", "TRUE"),
        ("CASE WHEN age = 3 THEN note ELSE 'other' END", "TRUE"),
        ("CASE WHEN note IN ('a', 'b') THEN 'some' ELSE note END", "TRUE"),
    ],
)
def test_other_conditions_are_no_domain(by: str, where: str) -> None:
    assert from_data(by, where)


def test_floats_are_no_keys_whatever_lists_them() -> None:
    told = refusal(ENGINE, "SELECT weight, COUNT(*) FROM loans WHERE weight IN (1, 2) GROUP BY weight")
    assert "weight is float, and such numbers are no keys" in told


ALL = "loans JOIN books USING (isbn)"


def test_columns_of_one_public_table_are_its_combinations() -> None:
    found = keys(f"SELECT isbn, title, COUNT(*) FROM {ALL} GROUP BY isbn, title")
    assert len(found) == COUNT
    assert all(isbn.split()[1] == title.split()[1] for isbn, title in found)
    assert found == sorted(found)
    plan = bounded(ENGINE, f"SELECT genre, shelf, COUNT(*) FROM {ALL} GROUP BY genre, shelf").plan
    assert plan.joint == ()  # all 21 combinations are there
    assert plan.groups(0) == 21


def test_using_a_public_table_takes_its_keys() -> None:
    assert len(keys(f"SELECT isbn, COUNT(*) FROM {ALL} GROUP BY isbn")) == COUNT
    assert len(grouped("isbn", "genre = 'novel'", ALL)) == 67
    assert len(grouped("l.isbn", "price < 10", "loans l JOIN books b ON b.isbn = l.isbn")) == COUNT  # NULL or NaN
    assert len(grouped("lower(isbn)", "shelf = 3 AND genre = 'poem'", ALL)) == 10
    assert keys("SELECT city, COUNT(*) FROM loans JOIN books ON title = city GROUP BY city", _renamed()) == ["Bonn"]


def _renamed() -> Engines:
    titles = pa.table({"isbn": ["1", "2"], "title": ["Bonn", "Cologne"], "genre": ["x", "y"]})
    return engine_of(POLICY, {"loans": _loans(LOANS), "books": titles, "shelves": SHELVES})


def test_conditions_on_a_public_table_narrow_its_combinations() -> None:
    found = grouped("isbn, title", "genre = 'play' AND title LIKE '%5'", ALL)
    assert [isbn for isbn, _ in found] == [f"isbn {place}" for place in sorted(map(str, _plays()))]
    rooms = keys(
        f"SELECT room, genre, shelf, COUNT(*) FROM {ALL} JOIN shelves USING (shelf) GROUP BY room, genre, shelf"
    )
    assert len(rooms) == 18  # six shelves that are in a room, times three genres
    assert {(room, shelf) for room, _, shelf in rooms} == {(r, s) for s, r in enumerate("aaabbc")}


def _plays() -> list[int]:
    return [place for place in range(COUNT) if place % 3 == 2 and place % 10 == 5]


def test_a_left_join_leaves_rows_without_a_partner_a_key() -> None:
    left = "loans LEFT JOIN books USING (isbn)"
    found = keys(f"SELECT COALESCE(genre, 'none') AS g, shelf IS NULL AS n, COUNT(*) FROM {left} GROUP BY g, n")
    assert found == [("none", True), ("novel", False), ("play", False), ("poem", False)]
    assert grouped("COALESCE(genre, 'none')", "genre IS NULL", left) == ["none"]


def test_keys_made_from_one_column_go_together() -> None:
    months = grouped("extract(year FROM back), extract(month FROM back)", "back >= '2026-11-15'")
    assert months == [(2026, 11), (2026, 12), *((2027, month) for month in range(1, 7))]
    assert grouped("age, age // 10", "age BETWEEN 8 AND 11") == [(8, 0), (9, 0), (10, 1), (11, 1)]


def test_conditions_that_link_keys_narrow_their_combinations() -> None:
    where = "(city = 'Bonn' AND age < 2) OR (city = 'Emden' AND age = 7)"
    assert grouped("age, city", where) == [(0, "Bonn"), (1, "Bonn"), (7, "Emden")]
    assert grouped("city, age", where) == [("Bonn", 0), ("Bonn", 1), ("Emden", 7)]


def test_combinations_that_are_too_many_to_go_through_are_left_alone() -> None:
    plan = bounded(ENGINE, f"SELECT COUNT(*) FROM {ALL} WHERE day <> back AND age < 2 GROUP BY day, back, age").plan
    assert plan.joint == ()
    assert plan.groups(0) == 365 * 546 * 2
    linked = "isbn, title, day"  # 200 books, 365 days, and NULL: 73,266 are gone through
    assert len(grouped(linked, "genre = 'poem' AND (day = '2026-01-01' OR isbn = 'isbn 1')", ALL)) == 66 + 365


def test_sets_of_some_of_the_keys_have_what_these_have_together() -> None:
    sets = "GROUPING SETS ((isbn, shelf, flag), (isbn, shelf), (shelf), ())"
    plan = bounded(ENGINE, f"SELECT COUNT(*) FROM {ALL} WHERE shelf < 2 GROUP BY {sets}").plan
    assert [plan.groups(index) for index in range(4)] == [116, 58, 2, 1]
    assert [plan.joined(index) != () for index in range(4)] == [True, True, False, False]
    assert plan.public_groups == 177


def test_keys_that_come_from_the_data_stay_beside_those_that_go_together() -> None:
    plan = bounded(ENGINE, f"SELECT isbn, note, title, COUNT(*) FROM {ALL} GROUP BY isbn, note, title").plan
    assert plan.selects(0)
    assert len(plan.joint) == 1
    (found,) = ENGINE.run(plan).result().sets
    assert found.keys == (("isbn 3", "a", "title 3"), ("isbn 4", "zzz", "title 4"))


def test_the_engine_counts_rows_at_their_combination() -> None:
    text = (
        f"SELECT title, city, isbn, COUNT(*) FROM {ALL} WHERE shelf > 2 AND city LIKE 'B%' GROUP BY title, city, isbn"
    )
    plan = bounded(ENGINE, text).plan
    (found,) = ENGINE.run(plan).result().sets
    counted = {key: count for key, count in zip(plan.combinations(0), found.sums[0], strict=True) if count}
    assert counted == {("title 4", "Bonn", "isbn 4"): 1}


def test_limits_follow_the_number_of_keys() -> None:
    def groups(where: str) -> int:
        plan: BoundedPlan = bounded(ENGINE, f"SELECT city, COUNT(*) FROM loans WHERE {where} GROUP BY city").plan
        return plan.sets[0].limits.groups

    assert groups("TRUE") == 4  # max_rows
    assert groups("city IN ('Bonn', 'Emden')") == 2


def test_conditions_inside_subqueries_narrow_what_comes_out() -> None:
    union = "(SELECT city AS c FROM loans WHERE city < 'Bp' UNION ALL SELECT note FROM loans WHERE note IN ('a', 'b'))"
    assert keys(f"SELECT c, COUNT(*) FROM {union} GROUP BY c") == ["Aachen", "Bonn", "a", "b"]
    nested = "loans a JOIN (SELECT reader, age + 1 AS next FROM loans WHERE age < 2) b USING (reader)"
    assert keys(f"SELECT next, COUNT(*) FROM {nested} WHERE next <> 2 GROUP BY next") == [1]
    per_unit = (
        "(SELECT reader, city, COUNT(*) AS n FROM loans WHERE city = 'Bonn' GROUP BY reader, city HAVING COUNT(*) > 2)"
    )
    assert keys(f"SELECT city, n, COUNT(*) FROM {per_unit} GROUP BY city, n") == [("Bonn", 3), ("Bonn", 4)]


def test_extremes_and_differences_of_dates_keep_their_bounds() -> None:
    per_unit = "(SELECT reader, MIN(day) AS a, MAX(day) AS b, MAX(city) AS c FROM loans WHERE {} GROUP BY reader)"
    week = per_unit.format(WEEK)
    assert keys(f"SELECT b, COUNT(*) FROM {week} GROUP BY b") == MARCH
    assert keys(f"SELECT c, COUNT(*) FROM {week} GROUP BY c") == ["Aachen", "Bonn", "Bremen", "Emden", "Fulda"]
    assert keys(f"SELECT DATE_DIFF('day', a, b) AS d, COUNT(*) FROM {week} GROUP BY d") == list(range(-6, 7))
    year = per_unit.format("TRUE")
    assert len(keys(f"SELECT b - a AS d, COUNT(*) FROM {year} GROUP BY d")) == 2 * 364 + 1
    (measure, *_) = bounded(ENGINE, f"SELECT SUM(b - a) FROM {year}").plan.measures
    assert measure.grid is not None
    assert measure.grid.reach == 364
    assert bounded(ENGINE, "SELECT AVG(back - day) FROM loans").plan.measures
