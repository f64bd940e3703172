"""The bound on what one unit's rows can add to the time and the memory of a question."""

from __future__ import annotations

import pyarrow as pa
import pytest

from discreet.base.errors import QueryError
from discreet.engines.engines import Engines
from discreet.plan.bounded import BoundedPlan
from discreet.policy.model import EngineKind
from discreet.query.work import MOST_BYTES, MOST_TIME, RATES, check_work_on, list_work
from support.hospital import bounded, engine_of, rows_of

DUCKDB = EngineKind.DUCKDB


def clinic(max_rows: int = 10, longest: int = 1_024) -> Engines:
    """Return engines of a table of notes; nothing is in it."""
    policy = f"""
[budget]
epsilon = 1
delta = 1e-9
[tables.t]
unit = "id"
size = 1000
max_rows = {max_rows}
[tables.t.columns]
cost = {{ lower = 0, upper = 1000 }}
note = {{ longest = {longest} }}
[tables.people]
rows_are_units = true
size = 1000
[tables.names]
unit = "name"
size = 1000
max_rows = {max_rows}
hidden = ["name"]
"""
    kinds = {"id": pa.int64(), "cost": pa.int64(), "note": pa.string()}
    frame = pa.table({name: pa.array([], kind) for name, kind in kinds.items()})
    names = pa.table({"name": pa.array([], pa.string()), "x": pa.array([], pa.int64())})
    return engine_of(policy, {"t": frame, "people": frame, "names": names})


def plan_of(text: str, max_rows: int = 10, longest: int = 1_024) -> BoundedPlan:
    return bounded(clinic(max_rows, longest), text).plan


def time_of(text: str, max_rows: int = 10, longest: int = 1_024) -> float:
    return sum(each.time(RATES[DUCKDB]) for each in list_work(plan_of(text, max_rows, longest)))


def bytes_of(text: str, max_rows: int = 10, longest: int = 1_024) -> int:
    return sum(each.bytes for each in list_work(plan_of(text, max_rows, longest)))


MEASURED = [
    (EngineKind.SPARK, "SELECT AVG(cost), VARIANCE(cost), MEDIAN(cost) FROM t", 3_660),
    (EngineKind.SPARK, "SELECT COUNT(*) FROM t WHERE note IN ('a', 'b')", 9_200),
    (EngineKind.SPARK, "SELECT COUNT(*) FROM t WHERE LENGTH(note) > 5", 17_500),
    (EngineKind.POSTGRES, "SELECT SUM(LEAST(GREATEST(POW(cost, 3), 0), 9)) FROM t", 7_930),
    (EngineKind.POSTGRES, "SELECT SUM(LEAST(GREATEST(cost % 7, 0), 9)) FROM t", 3_370),
    (EngineKind.POSTGRES, "SELECT MEDIAN(cost) FROM t", 2_470),
    (EngineKind.POSTGRES, "SELECT COUNT(*) FROM t WHERE LENGTH(note) > 5", 16_800),
]
"""The nanoseconds of a row that stayed least below their bound in `bench/work.py`."""


@pytest.mark.parametrize(("kind", "text", "nanoseconds"), MEASURED)
def test_the_bound_is_above_what_each_engine_took(kind: EngineKind, text: str, nanoseconds: float) -> None:
    assert sum(each.time(RATES[kind]) for each in list_work(plan_of(text, 1))) >= nanoseconds


def joined(times: int) -> str:
    others = "".join(f" JOIN t AS t{place} ON t0.id = t{place}.id" for place in range(1, times))
    return f"t AS t0{others}"


PADDED = ", ".join(["LPAD(t0.note, 1000, '\U0001f600')"] * 24)
LONG = f"UPPER(LOWER(CONCAT({PADDED})))"


def test_a_long_text_of_one_person_over_a_join_is_refused() -> None:
    """It took 18 to 27 s with that person, and 0.2 to 0.4 s without."""
    dear = f"CASE WHEN t0.id = 17 AND t0.cost > 500 THEN LENGTH({LONG}) ELSE 0 END > 5"
    with pytest.raises(QueryError, match=r"one unit's rows could take [\d,]+ ms, and 100 are allowed") as found:
        check_work_on(plan_of(f"SELECT COUNT(*) FROM {joined(4)} WHERE {dear}"), DUCKDB)
    for word in ("an expression of", "note", "longest", "max_rows", "join"):
        assert word in str(found.value)


def test_long_texts_of_one_person_that_are_counted_once_are_refused() -> None:
    """They took 256 MB with that person, so that the question failed and its asker was suspended."""
    text = f"COUNT(DISTINCT CASE WHEN t0.id = 17 THEN CONCAT({PADDED}) END)"
    with pytest.raises(QueryError, match="one unit's rows could"):
        check_work_on(plan_of(f"SELECT {text} FROM {joined(4)}"), DUCKDB)
    assert bytes_of(f"SELECT {text} FROM {joined(4)}") > 4 * 24_000 * 10**4


def test_memory_is_bounded_where_time_is_not_yet() -> None:
    text = "SELECT COUNT(DISTINCT note) FROM t"
    assert time_of(text, 500) < MOST_TIME
    check_work_on(plan_of(text, 500), DUCKDB)
    quick = "SELECT COUNT(*) FROM t WHERE CONCAT(note, note, note, note) = 'a'"
    assert time_of(quick, 2_000) < MOST_TIME
    assert bytes_of(quick, 2_000) > MOST_BYTES
    with pytest.raises(QueryError, match=r"could hold texts of \d+ MiB, and 32 are allowed"):
        check_work_on(plan_of(quick, 2_000), DUCKDB)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) FROM t WHERE UPPER(note) = 'FLU'",
        "SELECT UPPER(TRIM(note)), COUNT(*), AVG(cost) FROM t GROUP BY 1",
        "SELECT COUNT(DISTINCT LOWER(note)) FROM t WHERE note LIKE '%fever%' AND LENGTH(note) < 100",
        "SELECT COUNT(*) FROM t AS a JOIN t AS b ON a.id = b.id WHERE UPPER(a.note) = UPPER(b.note)",
        "SELECT AVG(n) FROM (SELECT id, COUNT(DISTINCT note) AS n FROM t GROUP BY id)",
        "SELECT MEDIAN(cost), VARIANCE(cost), CORR(cost, cost * cost) FROM t",
        "SELECT COUNT(*) FROM people WHERE REVERSE(REPLACE(note, 'a', 'bb')) LIKE '%b_b%'",
    ],
)
def test_everyday_questions_are_far_from_the_bound(text: str) -> None:
    check_work_on(plan_of(text, 20), DUCKDB)
    assert time_of(text, 20) < MOST_TIME


def test_work_grows_with_rows_with_letters_and_with_calls() -> None:
    text = "SELECT COUNT(*) FROM t WHERE UPPER(note) = 'A'"
    assert time_of(text, 400) == pytest.approx(40 * time_of(text, 10))
    assert time_of(text, 10, 2_048) > 1.9 * time_of(text, 10, 1_024)
    assert time_of("SELECT COUNT(*) FROM t WHERE UPPER(LOWER(UPPER(note))) = 'A'") > 2.5 * time_of(text)
    over = f"SELECT COUNT(*) FROM {joined(2)} WHERE UPPER(t0.note) = 'A'"
    assert time_of(over, 100) > 50 * time_of(text, 100)


def test_what_a_guarded_product_is_made_from_counts_as_often_as_it_is_written() -> None:
    """A product that could be too large is looked at in floats before it is made, which writes it out again."""
    once = "SELECT COUNT(*) FROM t WHERE STRPOS(note, 'aab') * STRPOS(note, 'b') > 5"
    assert time_of(once.replace(" > 5", " * 3 > 5")) > 2 * time_of(once)


def test_every_grouping_is_computed_by_itself() -> None:
    texts = [f"SELECT COUNT(*) FROM t WHERE UPPER(note) = 'A' GROUP BY {each}" for each in ("cost", "ROLLUP (cost)")]
    assert time_of(texts[1]) > 1.9 * time_of(texts[0])


def test_work_inside_subqueries_and_unions_counts_with_their_rows() -> None:
    plain = time_of("SELECT COUNT(*) FROM t WHERE UPPER(note) = 'A'")
    for text in (
        "SELECT COUNT(*) FROM (SELECT UPPER(note) AS n FROM t UNION ALL SELECT note FROM t) WHERE UPPER(n) = 'A'",
        "SELECT COUNT(*) FROM (SELECT id, UPPER(note) AS k, MAX(UPPER(note)) AS m FROM t GROUP BY id, 2) WHERE m = 'A'",
        "SELECT COUNT(*) FROM t WHERE id IN (SELECT id FROM t WHERE UPPER(note) = 'A')",
    ):
        assert time_of(text) > 0.9 * plain


def test_a_tighter_limit_of_the_question_does_not_lessen_what_is_read() -> None:
    engine = clinic(1_000)
    text = "SELECT COUNT(*) FROM t WHERE UPPER(note) = 'A'"
    plans = [bounded(engine, text, max_rows=each).plan for each in (None, 1)]
    times = [sum(work.time(RATES[DUCKDB]) for work in list_work(plan)) for plan in plans]
    assert times[0] == times[1]


def test_a_unit_that_is_a_text_counts_where_it_is_hidden_too() -> None:
    assert dict(plan_of("SELECT COUNT(*) FROM names").tables[0].letters) == {"name": 1_024}


def test_a_pattern_that_is_half_found_everywhere_counts_for_more() -> None:
    flat, deep = (
        f"SELECT COUNT(*) FROM t WHERE STRPOS(note, '{each}') > 1" for each in ("ab" + "c" * 2, "a" * 59 + "b")
    )
    assert time_of(deep) > 3 * time_of(flat)


def test_rows_that_are_read_by_their_unit_are_bounded_too() -> None:
    engine = clinic()
    check_work_on(rows_of(engine, "SELECT LEAST(LENGTH(note), 9) AS n, cost FROM t"), DUCKDB)
    dear = rows_of(engine, f"SELECT CASE WHEN LENGTH({LONG}) > 5 THEN 1 ELSE 0 END AS n FROM {joined(4)}")
    with pytest.raises(QueryError, match="one unit's rows could take"):
        check_work_on(dear, DUCKDB)
