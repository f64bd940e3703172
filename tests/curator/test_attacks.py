"""What an analyst might try: each attack once, and what comes of it."""

from __future__ import annotations

import random
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from discreet.base.errors import DiscreetError, PolicyError, QueryError, SuspendedError
from discreet.curator import Curator
from discreet.engines.duck.engine import DuckEngine
from discreet.plan.bounded import Part
from discreet.query.price import Price
from support.clinic import VISITS, Visit, open_clinic
from support.hospital import duck


def priced(curator: Curator, text: str, epsilon: float = 1.0) -> Price:
    return curator.prepare(text, epsilon).priced


def whole(curator: Curator, text: str) -> list[tuple[int, ...]]:
    """Return the exact whole numbers behind a question, by measure: what the noise would be added to."""
    exact = curator._engines.run(priced(curator, text).bounded.plan).result()
    return [row for each in exact.sets for row in each.sums]


def charged(curator: Curator) -> int:
    return sum(entry.kind.upper() == "CHARGE" for entry in curator.ledger.entries())


def test_a_bound_does_not_outlive_a_redefined_column(tmp_path: Path) -> None:
    rows: list[Visit] = [(1, 30, 4000.0, "icu"), (2, 30, 9e9, "icu")]
    with open_clinic(tmp_path, rows) as curator:
        plain = priced(curator, "SELECT SUM(cost) FROM visits").bounded.plan
        text = "SELECT SUM(cost) FROM (SELECT cost * 1000 AS cost FROM visits)"
        scaled = priced(curator, text).bounded.plan
        one, thousand = plain.measures[0], scaled.measures[0]
        assert one.grid is not None
        assert thousand.grid is not None
        assert thousand.grid.upper * thousand.grid.step == 5_000_000, "the range of the new column"
        assert scaled.l1(thousand) * thousand.grid.step == 1000 * plain.l1(one) * one.grid.step
        (total,) = whole(curator, text)[0]
        assert total * thousand.grid.step == 4_000_000 + 5_000_000, "and values are clamped to it"


def test_not_a_number_counts_as_nothing(tmp_path: Path) -> None:
    rows: list[Visit] = [(1, 30, float("nan"), "icu"), (2, 30, 10.0, "icu"), (3, 30, None, "icu")]
    with open_clinic(tmp_path, rows) as curator:
        assert whole(curator, "SELECT SUM(cost) FROM visits") == [(1000,)]
        assert whole(curator, "SELECT COUNT(cost) FROM visits") == [(1,)]
        inner = "SELECT patient_id, MAX(cost) AS m FROM visits GROUP BY patient_id"
        assert whole(curator, f"SELECT COUNT(m) FROM ({inner})") == [(1,)]
        counted = "SELECT patient_id, COUNT(cost) AS n FROM visits GROUP BY patient_id"
        assert whole(curator, f"SELECT SUM(n) FROM ({counted})") == [(1,)]
    both: list[Visit] = [(1, 30, float("nan"), "icu"), (1, 30, 10.0, "icu")]
    with open_clinic(tmp_path / "both", both) as curator:
        assert whole(curator, f"SELECT SUM(m) FROM ({inner})") == [(1000,)], "no number is not the greatest"


RAISING = [
    "age % 0",
    "age % (age - age)",
    "CAST(ward || 'abc' AS INTEGER)",
    "CAST('abc' AS INT)",
    "sqrt(-1 - age)",
    "sqrt(-1)",
    "ln(0)",
    "ln(age - age)",
    "log10(0 - age)",
    "age / 0",
    "age // 0",
    "CAST(age AS BIGINT) * 9223372036854775807",
    "abs(CASE WHEN age > 30 THEN -9223372036854775808 ELSE 0 END)",
    "CAST(1e300 * cost AS BIGINT)",
    "exp(cost * 1000)",
    "pow(cost, 1000)",
    "year(DATE '9999-12-31' + age)",
    "year(CAST('99999-01-01' AS DATE))",
    "asin(cost)",
    "CASE WHEN patient_id = 17 THEN 1 / (age - age) ELSE 1 END",
    "CASE WHEN patient_id = 17 THEN CAST(ward AS INTEGER) ELSE 1 END",
]


@pytest.mark.many
@pytest.mark.parametrize("expression", RAISING)
def test_nothing_in_a_row_makes_a_question_fail(tmp_path: Path, expression: str) -> None:
    """An error for one person only would tell that they are there: expressions give NULL instead."""
    rows: list[Visit] = [
        (17, 2**63 - 1, 1e308, "abc"),
        (17, -(2**63), float("-inf"), ""),
        (17, 0, 0.0, None),
        (18, None, None, "icu"),
    ]
    with open_clinic(tmp_path, rows) as curator:
        texts = [
            f"SELECT COUNT({expression}) FROM visits",
            f"SELECT COUNT(*) FROM visits WHERE ({expression}) > 0",
            f"SELECT SUM(LEAST(GREATEST({expression}, 0), 5)) FROM visits",
            f"SELECT COUNT(m) FROM (SELECT MAX({expression}) AS m FROM visits GROUP BY patient_id)",
        ]
        for text in texts:
            try:
                question = priced(curator, text)
            except QueryError:
                continue  # refused from the text alone, before any row is read
            curator._engines.run(question.bounded.plan).result()


def test_a_text_that_would_fill_the_memory_for_one_person_is_refused(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        bomb = "repeat('a', CASE WHEN patient_id = 17 THEN 20000000000 ELSE 0 END)"
        with pytest.raises(QueryError, match="text could be of any length"):
            curator.ask(f"SELECT COUNT(*) FROM visits WHERE {bomb} = 'a'", 0.1)
        assert charged(curator) == 0


@pytest.mark.parametrize("clause", ["LIMIT 1", "ORDER BY cost", "ORDER BY cost LIMIT 1", "OFFSET 3"])
def test_rows_are_not_picked_by_their_order(tmp_path: Path, clause: str) -> None:
    with open_clinic(tmp_path) as curator, pytest.raises(QueryError):
        curator.ask(f"SELECT SUM(cost) FROM (SELECT cost FROM visits {clause})", 0.1)


FLOATS = [
    "SELECT SUM(cost) FROM visits",
    "SELECT SUM(cost / 3) FROM visits",
    "SELECT SUM(total), AVG(mean) FROM (SELECT patient_id, SUM(cost / 7) AS total, AVG(cost / 7) AS mean FROM visits "
    "GROUP BY patient_id)",
    "SELECT COUNT(*) FROM (SELECT patient_id, SUM(cost / 7) AS t FROM visits GROUP BY patient_id) WHERE t > 300",
]


@pytest.mark.many
@pytest.mark.parametrize("text", FLOATS)
def test_a_float_sum_is_the_same_in_every_order(tmp_path: Path, text: str) -> None:
    """Floats do not add up in any order; whole numbers do, inside sub-aggregations too."""
    draw = random.Random(3)
    rows: list[Visit] = [(k % 700, 30, draw.uniform(0, 5000), "icu") for k in range(20_000)]
    found = []
    for shuffle in range(3):
        with open_clinic(tmp_path / str(shuffle), rows, limits="max_rows = 100") as curator:
            connection = duck(curator._engines)._connection
            connection.execute(f"SET threads = {1 + 3 * shuffle}")
            found.append(whole(curator, text))
            connection.execute("RESET threads")
        draw.shuffle(rows)
    assert found[0] == found[1] == found[2]


def test_what_a_unit_keeps_does_not_depend_on_where_its_rows_lie(tmp_path: Path) -> None:
    """No text stands for what is missing: rows that are told alike would be kept by their order."""
    rows: list[Visit] = [(1, 30, 10.0, ward) for _ in range(4) for ward in ("null", None)]
    orders = (rows, rows[::-1], sorted(rows, key=repr), sorted(rows, key=repr, reverse=True))
    text = "SELECT COUNT(a.ward) FROM visits a JOIN visits b USING (patient_id)"
    found = set()
    for place, order in enumerate(orders):
        with open_clinic(tmp_path / str(place), order) as curator:
            found.add(str(whole(curator, text)))
    assert len(found) == 1


@pytest.mark.parametrize(
    "inner",
    [
        "SELECT patient_id, MIN(cost) AS m FROM visits GROUP BY patient_id",
        "SELECT patient_id, MAX(-cost) AS m FROM visits GROUP BY patient_id",
        "SELECT patient_id, cost AS m FROM visits GROUP BY patient_id, cost",
    ],
)
def test_the_sign_of_a_zero_does_not_tell_which_row_came_first(tmp_path: Path, inner: str) -> None:
    text = f"SELECT COUNT(*) FROM ({inner}) WHERE atan2(m, -1) > 0"
    found = set()
    for place, costs in enumerate(((0.0, -0.0), (-0.0, 0.0))):
        with open_clinic(tmp_path / str(place), [(1, 30, cost, "icu") for cost in costs]) as curator:
            found.add(str(whole(curator, text)))
    assert len(found) == 1


def test_keys_of_the_data_are_never_shown_unselected(tmp_path: Path) -> None:
    rows: list[Visit] = [*((k, 30, 10.0, "icu") for k in range(1000)), (5000, 31, 10.0, "icu")]
    with open_clinic(tmp_path, rows) as curator:
        text = "SELECT patient_id // 1000 AS p, COUNT(*) AS n FROM visits GROUP BY p"
        question = priced(curator, text)
        assert question.selection is not None
        assert question.charge.delta > 0
        answer = curator.ask(text, 1.0)
        assert answer["p"] == [0], "one thousand units appear, and a single one does not"
    with (
        open_clinic(tmp_path / "pure", rows, delta=0.0) as curator,
        pytest.raises(QueryError, match="would tell who is in"),
    ):
        curator.ask(text, 1.0)


def test_declared_keys_are_all_there_whatever_the_data(tmp_path: Path) -> None:
    with open_clinic(tmp_path, []) as curator:
        assert curator.ask("SELECT ward, COUNT(*) FROM visits GROUP BY ward", 1.0)["ward"] == ["north", "south", "icu"]


def test_a_fan_out_join_widens_the_noise_as_much_as_the_rows(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        one = priced(curator, "SELECT COUNT(*) FROM visits").bounded.plan
        many = priced(curator, "SELECT COUNT(*) FROM visits a JOIN visits b USING (patient_id)").bounded.plan
        (measure,) = many.measures
        assert many.l1(measure) == one.l1(measure) ** 2 == 9


def test_one_heavy_person_joined_to_themselves_is_quick_and_bounded(tmp_path: Path) -> None:
    heavy: list[Visit] = [(7, 30, float(k), "icu") for k in range(10_000)]
    with open_clinic(tmp_path, [*VISITS, *heavy]) as curator:
        text = "SELECT COUNT(*) FROM visits a JOIN visits b USING (patient_id) JOIN visits c USING (patient_id)"
        began = time.monotonic()
        (with_it,) = whole(curator, text)[0]
        assert time.monotonic() - began < 60, "a thousand billion rows would tell of themselves"
    with open_clinic(tmp_path / "without", [row for row in VISITS if row[0] != 7]) as curator:
        (without,) = whole(curator, text)[0]
        assert 0 < with_it - without <= 27


def test_a_null_on_the_other_side_of_not_in_changes_nothing(tmp_path: Path) -> None:
    """In plain SQL one NULL makes NOT IN empty, and the count would tell that such a row is there."""
    text = "SELECT COUNT(*) FROM visits WHERE patient_id NOT IN (SELECT patient_id FROM visits WHERE ward = 'icu')"
    with open_clinic(tmp_path) as curator:
        before = whole(curator, text)
    with open_clinic(tmp_path / "null", [*VISITS, (None, 30, 5.0, "icu")]) as curator:
        assert whole(curator, text) == before
        assert before[0][0] > 0


def test_nobody_is_found_missing_from_a_public_table(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        text = "SELECT COUNT(*) FROM wards LEFT JOIN visits ON wards.ward = visits.ward WHERE visits.patient_id IS NULL"
        with pytest.raises(QueryError, match="must keep the private side"):
            curator.ask(text, 0.1)


def test_nobody_is_compared_with_the_average_of_others(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        for average in ("SELECT AVG(cost) FROM visits", "SELECT AVG(cost) FROM visits w WHERE w.ward = v.ward"):
            with pytest.raises(QueryError, match="subquer"):
                curator.ask(f"SELECT COUNT(*) FROM visits v WHERE cost > ({average})", 0.1)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(DISTINCT patient_id) FROM (SELECT 1 AS patient_id, * EXCLUDE (patient_id) FROM visits)",
        "SELECT COUNT(*) FROM (SELECT 1 AS patient_id FROM visits) a JOIN visits b ON a.patient_id = b.patient_id",
        "SELECT COUNT(*) FROM visits WHERE patient_id IN (SELECT 1 AS patient_id FROM visits)",
    ],
)
def test_a_constant_called_like_the_unit_is_not_the_unit(tmp_path: Path, text: str) -> None:
    with open_clinic(tmp_path) as curator, pytest.raises(QueryError):
        curator.ask(text, 0.1)


def test_a_constant_called_like_the_unit_is_counted_by_its_values(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        plan = priced(
            curator, "SELECT COUNT(DISTINCT patient_id) FROM (SELECT 1 AS patient_id FROM visits)"
        ).bounded.plan
        assert [measure.part for measure in plan.measures] == [Part.DISTINCT]
        assert plan.l1(plan.measures[0]) == 3, "by rows, not by units"
        text = "SELECT SUM(n) FROM (SELECT COUNT(*) AS n FROM (SELECT 1 AS patient_id FROM visits) GROUP BY patient_id)"
        plan = priced(curator, text).bounded.plan
        assert [measure.part for measure in plan.measures] == [Part.ROWS]
        assert plan.l1(plan.measures[0]) == 3, "a key like any other: what was counted of it with noise is added up"


def test_an_empty_table_is_counted_with_noise(tmp_path: Path) -> None:
    counts = set()
    for place in range(12):
        with open_clinic(tmp_path / str(place), []) as curator:
            counts.add(curator.ask("SELECT COUNT(*) AS n FROM visits", 0.05)["n"][0])
    assert len(counts) > 3


SPELLINGS = [
    "SELECT COUNT(*) AS n FROM visits WHERE age > 40 AND ward = 'icu'",
    "select count(*) n from VISITS where AGE > 40 and WARD = 'icu'",
    "SELECT COUNT(*) AS n FROM visits WHERE ward = 'icu' AND age > 40",
    "SELECT COUNT(*) AS n FROM visits AS v WHERE (v.age > 40) AND (v.ward = 'icu')",
    "SELECT COUNT(1) AS other FROM visits WHERE age > 40 AND ward = 'icu' AND age > 40",
    "SELECT COUNT(*) AS n FROM (SELECT * FROM visits) WHERE age > 40 AND ward = 'icu'",
    "SELECT COUNT(*) AS n FROM (SELECT age AS a, ward FROM visits WHERE age > 40) WHERE ward = 'icu'",
    "WITH x AS (SELECT * FROM visits WHERE ward = 'icu') SELECT COUNT(*) AS n FROM x WHERE age > 40",
    "SELECT * FROM (SELECT COUNT(*) AS n FROM visits WHERE age > 40 AND ward = 'icu')",
    "SELECT COUNT(*) AS n /* again */ FROM visits WHERE age > 40 AND ward = 'icu' ORDER BY n LIMIT 1",
]


def test_noise_is_not_averaged_away_by_asking_again_in_other_words(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        answers = [list(curator.ask(text, 0.1).rows[0]) for text in SPELLINGS for _ in range(2)]
        assert all(answer == answers[0] for answer in answers)
        assert charged(curator) == 1
        assert curator.ledger.spent().spent[0] == Fraction(1, 10)


def test_questions_that_differ_in_the_data_are_not_one_question(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        curator.ask("SELECT COUNT(*) FROM visits WHERE age > 40", 0.1)
        curator.ask(
            "SELECT COUNT(*) FROM visits WHERE patient_id IN (SELECT patient_id FROM visits WHERE age > 40)", 0.1
        )
        curator.ask(
            "SELECT COUNT(*) FROM visits WHERE patient_id NOT IN (SELECT patient_id FROM visits WHERE age > 40)", 0.1
        )
        assert charged(curator) == 3


def test_a_cell_of_csv_does_not_change_a_columns_type(tmp_path: Path) -> None:
    policy = """\
[budget]
epsilon = 3.0
[tables.visits]
source = "visits.csv"
unit = "patient_id"
max_rows = 1
version = "1"
[tables.visits.columns]
patient_id = { type = "integer" }
age = { type = "integer", lower = 0, upper = 110 }
"""
    (tmp_path / "policy.toml").write_text(policy)
    told = []
    for cell in ("40", "forty", "", "1e400", "40.5"):
        (tmp_path / "visits.csv").write_text(f"patient_id,age\n1,30\n2,{cell}\n")
        engine = DuckEngine(__import__("discreet").policy.load(tmp_path / "policy.toml"))
        told.append([(column.name, column.type) for column in engine.tables["visits"].columns])
        engine.close()
    assert all(each == told[0] for each in told)


def test_a_changed_file_is_not_noticed_for_free(tmp_path: Path) -> None:
    """The same question on other rows costs nothing and says the same, until the operator names a new version."""
    with open_clinic(tmp_path) as curator:
        before = curator.ask("SELECT COUNT(*) AS n FROM visits", 0.1).rows
        explained = str(curator.explain("SELECT COUNT(*) AS n FROM visits WHERE age > 3", 0.1))
    with open_clinic(tmp_path, VISITS[:10]) as curator:
        assert curator.ask("SELECT COUNT(*) AS n FROM visits", 0.1).rows == before
        assert str(curator.explain("SELECT COUNT(*) AS n FROM visits WHERE age > 3", 0.1)) == explained


@pytest.mark.parametrize("name", ["visits", "VISITS", "Wards"])
def test_a_view_does_not_take_the_place_of_a_table(tmp_path: Path, name: str) -> None:
    with open_clinic(tmp_path) as curator:
        path = curator.policy.path
    path.write_text(path.read_text() + f'\n[views.{name}]\nsql = "SELECT 1 AS patient_id FROM visits"\n')
    with pytest.raises(PolicyError, match="has the name of a table"):
        Curator.open(path, None, {"visits": pa.table({}), "wards": pa.table({})})


CRAFTED = [
    'SELECT COUNT(*) AS "n"";DROP TABLE visits;--" FROM visits',
    "SELECT COUNT(*) FROM visits WHERE ward = '''; DROP TABLE visits; --'",
    "SELECT COUNT(*) FROM visits WHERE ward = 'a\\'' OR 1=1 --'",
    "SELECT COUNT(*) FROM visits WHERE ward = '\\' OR ward <> '\\'",
    'SELECT COUNT(*) FROM visits AS "x"") UNION SELECT 1 --"',
    'WITH "a""b" AS (SELECT * FROM visits) SELECT COUNT(*) FROM "a""b"',
    'SELECT COUNT("released.number") FROM (SELECT age AS "released.number" FROM visits)',
    'SELECT COUNT(*) FROM (SELECT age AS "__discreet_unit" FROM visits) WHERE "__discreet_unit" > 3',
    'SELECT ward AS "it\'s", COUNT(*) AS "a b" FROM visits GROUP BY ward HAVING COUNT(*) > -5 ORDER BY "a b"',
    "SELECT COUNT(*) FROM visits WHERE ward LIKE '%''%' ESCAPE '!'",
    "SELECT COUNT(*) FROM visits WHERE ward = $$'; DROP TABLE visits; --$$",
    "SELECT COUNT(*) FROM visits -- ; DROP TABLE visits",
]


@pytest.mark.many
@pytest.mark.parametrize("text", CRAFTED)
def test_names_and_texts_do_not_break_out_of_sql(tmp_path: Path, text: str) -> None:
    """Whatever is not refused runs, and the tables are there as before."""
    with open_clinic(tmp_path) as curator:
        counted = whole(curator, "SELECT COUNT(*) FROM visits")
        try:
            curator.ask(text, 0.1)
        except QueryError:
            assert charged(curator) == 0
        assert whole(curator, "SELECT COUNT(*) FROM visits") == counted == [(len(VISITS),)]


def test_a_failing_engine_answers_no_second_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That a question failed may tell about the data: it costs, says nothing else, and suspends who asked."""

    def failing(self: Any, plan: Any) -> Any:
        raise RuntimeError("row 17 of patient 4711 is too long")

    with open_clinic(tmp_path) as curator:
        monkeypatch.setattr(DuckEngine, "run", failing)
        with pytest.raises(DiscreetError) as found:
            curator.ask("SELECT COUNT(*) FROM visits WHERE patient_id = 4711", 0.1)
        assert "4711" not in str(found.value)
        assert charged(curator) == 1
        monkeypatch.undo()
        with pytest.raises(SuspendedError):
            curator.ask("SELECT COUNT(*) FROM visits", 0.1)
