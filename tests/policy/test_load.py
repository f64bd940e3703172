"""A policy is read exactly as written, or refused with everything that is wrong with it."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.base.errors import PolicyError
from discreet.base.types import Type
from discreet.policy import Analyst, DeclaredColumn, Policy, SourceFormat, Table, load, loads
from discreet.policy.model import DeclaredView
from discreet.privacy import Neighbours
from support.policies import EXAMPLE, read, refusal, refusals, table


def test_a_whole_policy_is_read_word_for_word() -> None:
    assert loads(EXAMPLE, "p.toml") == Policy(
        path=Path("p.toml"),
        epsilon=Fraction(3),
        delta=Fraction(1, 10**9),
        question_delta=Fraction(1, 10**9),
        neighbours=Neighbours.ADD_REMOVE,
        tables=(
            Table(
                "visits",
                source="visits.parquet",
                format=SourceFormat.PARQUET,
                unit="patient_id",
                identifies="patient",
                size=1_000_000,
                version="1",
                max_rows=3,
                max_groups=2,
                columns=(
                    DeclaredColumn("age", lower=Fraction(0), upper=Fraction(110)),
                    DeclaredColumn("cost", lower=Fraction(0), upper=Fraction(5000), step=Fraction(1, 100)),
                    DeclaredColumn("ward", values=("north", "south", "icu")),
                    DeclaredColumn("quantity", lower=Fraction(0), upper=Fraction(9)),
                    DeclaredColumn("day", lower=date(2025, 1, 1), upper=date(2026, 12, 31)),
                ),
            ),
            Table(
                "patients",
                source="patients.parquet",
                format=SourceFormat.PARQUET,
                unit="patient_id",
                identifies="patient",
                size=1_000_000,
                version="1",
                max_rows=1,
                columns=(DeclaredColumn("sex", values=("f", "m")),),
            ),
            Table(
                "wards",
                source="wards.csv",
                format=SourceFormat.CSV,
                public=True,
                version="1",
                columns=(DeclaredColumn("beds", Type.INTEGER),),
            ),
            Table(
                "prices",
                source="prices.csv",
                format=SourceFormat.CSV,
                public=True,
                version="1",
                columns=(DeclaredColumn("price", Type.INTEGER),),
            ),
        ),
        analysts=(
            Analyst("alice", Fraction(1), Fraction(1, 10**9)),
            Analyst("bob", Fraction(1, 2), Fraction(1, 10**9)),
        ),
        views=(DeclaredView("adults", "SELECT * FROM visits WHERE age >= 18"),),
    )


def test_numbers_are_the_decimals_that_are_written() -> None:
    policy = read(table("size = 3", "x = { lower = -0.1, upper = 0.3, step = 0.1 }", "epsilon = 0.1\ndelta = 1e-30"))
    assert (policy.epsilon, policy.delta) == (Fraction(1, 10), Fraction(1, 10**30))
    assert policy.table("t").columns == (DeclaredColumn("x", None, Fraction(-1, 10), Fraction(3, 10), Fraction(1, 10)),)


def test_what_is_not_said_has_a_default() -> None:
    policy = read(table(""))
    assert policy.delta == policy.question_delta == 0
    assert policy.neighbours is Neighbours.ADD_REMOVE
    assert policy.least_share == Fraction(1, 10**6)
    assert policy.analysts == ()
    assert read('[privacy]\nneighbours = "replace"\n' + table("")).neighbours is Neighbours.REPLACE


def test_every_question_costs_a_part_of_the_budget_that_is_above_0_and_at_most_all_of_it() -> None:
    for share, found in (("1e-7", Fraction(1, 10**7)), ("1", Fraction(1))):
        assert read(table("", budget=f"epsilon = 1\nleast_share = {share}")).least_share == found
    for share in ("0", "-1e-6", "1.5"):
        assert refusal(table("", budget=f"epsilon = 1\nleast_share = {share}")) == (
            f"budget.least_share: is {'-0.000001' if share == '-1e-6' else share}; write a number above 0 and at most "
            "1, such as least_share = 1e-6"
        )


def test_the_delta_of_one_question_may_be_smaller_than_the_budget_and_not_larger() -> None:
    text = table("size = 10", budget="epsilon = 1\ndelta = 1e-9\nquestion_delta = {}")
    assert read(text.format("1e-12")).question_delta == Fraction(1, 10**12)
    assert refusal(text.format("2e-9")) == (
        "budget.question_delta: is 2e-9, more than the budget's delta; write at most 1e-9"
    )


def test_the_delta_of_keys_is_a_thousandth_of_half_the_budget_or_as_declared() -> None:
    text = table("size = 10", budget="epsilon = 1\ndelta = 1e-9\n{}")
    assert read(text.format("")).usual_key_delta == Fraction(1, 2000 * 10**9)
    assert read(text.format("question_delta = 1e-15")).usual_key_delta == Fraction(1, 10**15)
    assert read(text.format("key_delta = 1e-10")).usual_key_delta == Fraction(1, 10**10)
    assert refusal(text.format("key_delta = 1e-8")) == (
        "budget.key_delta: is 1e-8, more than one question may have; write at most 1e-9"
    )
    assert "budget.key_delta: is 0, which selects no keys" in refusal(text.format("key_delta = 0"))


@pytest.mark.parametrize(
    ("budget", "key", "remedy"),
    [
        ("", "budget.epsilon: is missing", "write epsilon = 1.0"),
        ("epsilon = 0", "budget.epsilon: is 0;", "above 0"),
        ("epsilon = -0.5", "budget.epsilon: is -0.5;", "above 0"),
        ("epsilon = inf", "budget.epsilon: is Infinity", "above 0"),
        ("epsilon = nan", "budget.epsilon: is NaN", "above 0"),
        ("epsilon = 1e999999999", "budget.epsilon: is 1E+999999999", "above 0"),
        ("epsilon = 1e9999999999999999999999", "budget.epsilon: is NaN", "above 0"),
        ("epsilon = true", "budget.epsilon: is true", "above 0"),
        ('epsilon = "1"', 'budget.epsilon: is "1"', "above 0"),
        ("epsilon = 1\ndelta = 1", "budget.delta: is 1;", "from 0 to below 1"),
        ("epsilon = 1\ndelta = -1e-9", "budget.delta: is -1e-9;", "from 0 to below 1"),
        ('epsilon = 1\ndelta = "no"', 'budget.delta: is "no"', "from 0 to below 1"),
    ],
)
def test_a_budget_that_is_none_is_refused(budget: str, key: str, remedy: str) -> None:
    line = refusal(table("", budget=budget))
    assert line.startswith(key)
    assert remedy in line


def test_an_unknown_neighbour_relation_is_refused_with_the_two_known() -> None:
    line = refusal('[privacy]\nneighbours = "swap"\n' + table(""))
    assert line == 'privacy.neighbours: is "swap"; write "add-remove" (the default) or "replace"'


def test_delta_times_size_may_be_a_hundredth_and_no_more() -> None:
    text = table("size = 1_000_000", budget="epsilon = 1\ndelta = {}")
    assert read(text.format("1e-8")).delta == Fraction(1, 10**8)
    assert refusal(text.format("1.1e-8")) == (
        "tables.t.size: delta * size is 0.011, above 0.01; "
        "write budget.delta = 1e-8 or less for a table of size 1000000"
    )


def test_the_largest_delta_that_a_refusal_names_is_accepted() -> None:
    text = table("size = 7", budget="epsilon = 1\ndelta = {}")
    assert "budget.delta = 1.4e-3 or less" in refusal(text.format("0.002"))
    assert read(text.format("1.4e-3")).delta == Fraction(14, 10**4)


def test_a_delta_above_0_needs_the_size_of_every_private_table() -> None:
    text = table("", budget="epsilon = 1\ndelta = 1e-9") + "[tables.open]\npublic = true\n"
    line = refusal(text)
    assert line.startswith("tables.t.size: is missing")
    assert "such as size = 1_000_000" in line
    assert read(text.replace("delta = 1e-9", "delta = 0")).table("t").size is None


def test_an_analyst_has_a_share_of_the_budget_and_its_delta_unless_said() -> None:
    text = table("size = 10", budget="epsilon = 1\ndelta = 1e-9") + "[analysts.bo]\nepsilon = 1\n"
    assert read(text).analysts == (Analyst("bo", Fraction(1), Fraction(1, 10**9)),)
    assert read(text + "delta = 0").analysts == (Analyst("bo", Fraction(1), Fraction(0)),)


@pytest.mark.parametrize(
    ("share", "line"),
    [
        ("epsilon = 1.1", "analysts.bo.epsilon: is 1.1, more than the budget's epsilon; write at most 1"),
        ("epsilon = 1\ndelta = 0.1", "analysts.bo.delta: is 0.1, more than the budget's delta; write at most 0"),
        ("epsilon = 0", "analysts.bo.epsilon: is 0; write a number above 0, such as epsilon = 1.0"),
        ("", "analysts.bo.epsilon: is missing; write the most that this analyst may spend, such as epsilon = 1.0"),
        ("epsilon = 1\nrole = 2", "analysts.bo.role: is not known; known here: epsilon, delta, tables"),
    ],
)
def test_an_analyst_above_the_budget_or_without_a_share_is_refused(share: str, line: str) -> None:
    assert refusal(table("") + f"[analysts.bo]\n{share}\n") == line


def test_analysts_without_anybody_are_refused() -> None:
    assert refusal(table("") + "[analysts]\n").startswith("analysts: names nobody")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[bugdet]\nepsilon = 1\n", "bugdet: is not known; did you mean budget?"),
        (
            "[machine]\n",
            "machine: is not known; known here: budget, privacy, engine, engines, tables, views, analysts, ",
        ),
        ('[privacy]\nneighbors = "replace"\n', "privacy.neighbors: is not known; did you mean neighbours?"),
        ('[privacy]\npassword_env = "X"\n', "privacy.password_env: is not known: no key of this section takes an"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_known(text: str, line: str) -> None:
    assert refusal(text + table("")).startswith(line)


def test_all_problems_are_told_at_once_one_on_each_line() -> None:
    text = '[budget]\nepsilon = -1\n[tables.t]\nsorce = "a.csv"\nunit = "u"\nmax_rows = 0\n[analysts.a]\nepsilon = 0\n'
    assert [line.split(":")[0] for line in refusals(text)] == [
        "budget.epsilon",
        "tables.t.sorce",
        "tables.t.max_rows",
        "analysts.a.epsilon",
    ]


@pytest.mark.parametrize("word", ["max_rows", "max_groups", "max_rows_per_group"])
def test_a_limit_that_no_engine_counts_to_is_refused(word: str) -> None:
    limits = {"max_rows": 2, "max_groups": 2, "max_rows_per_group": 2}

    def write(most: int) -> str:
        lines = "\n".join(f"{name} = {number}" for name, number in (limits | {word: most}).items())
        return f'[budget]\nepsilon = 1\n[tables.t]\nsource = "a.csv"\nunit = "u"\n{lines}\n'

    assert read(write(1 << 48)).tables[0].name == "t"
    assert refusal(write((1 << 48) + 1)).startswith(f"tables.t.{word}: is {(1 << 48) + 1}, more than any table has")


def test_a_policy_without_tables_is_refused() -> None:
    assert refusal("[budget]\nepsilon = 1\n").startswith(
        "tables: there is none; write a section such as [tables.visits]"
    )


def test_a_value_in_the_place_of_a_section_is_refused() -> None:
    text = "[budget]\nepsilon = 1\n[tables]\nt = 3\n"
    assert refusal(text) == "tables.t: is 3, not a section; write its keys in a section of that name"


@pytest.mark.parametrize(
    ("text", "start", "remedy"),
    [
        ("[budget]\nepsilon = \n", "line 2, column 11: Invalid value;", "quotes, brackets and equals signs"),
        (
            "[budget]\nepsilon = 1\nepsilon = 2\n",
            "line 3, column 12: Cannot overwrite",
            "every key and every section once",
        ),
        ("[budget]\nepsilon = 1\n[budget]\n", "line 3, column ", "every key and every section once"),
        ('[budget]\nx = "abc', "line 2, the last: Unterminated string;", "quotes, brackets"),
        ("x = " + "9" * 5000, "a number is too long or lists are too deep;", "write shorter ones"),
        ("x = " + "[" * 100_000, "a number is too long or lists are too deep;", "write shorter ones"),
    ],
)
def test_what_is_no_toml_is_refused_with_its_line(text: str, start: str, remedy: str) -> None:
    line = refusal(text)
    assert line.startswith(start)
    assert remedy in line


def test_a_file_is_read_from_its_path(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_bytes(b"\xef\xbb\xbf" + EXAMPLE.replace("\n", "\r\n").encode())
    assert load(path) == loads(EXAMPLE, path)
    assert load(str(path)).path == path


def test_a_file_that_cannot_be_read_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    with pytest.raises(
        PolicyError, match=r"policy\.toml: there is no such file; `discreet init DATA\.\.\.` drafts one"
    ):
        load(path)
    with pytest.raises(PolicyError, match=r"cannot be read .*; name a readable file"):
        load(tmp_path)
    path.write_bytes(b"[budget]\nx = '\xff'")
    with pytest.raises(PolicyError, match="byte 14 is not UTF-8; save the file as UTF-8"):
        load(path)


def test_views_are_read_in_their_order() -> None:
    text = table("") + '[views.b]\nsql = "SELECT * FROM t"\n[views.a]\nsql = "SELECT * FROM b"\n'
    policy = loads(text, "p.toml")
    assert [(view.name, view.sql) for view in policy.views] == [("b", "SELECT * FROM t"), ("a", "SELECT * FROM b")]


@pytest.mark.parametrize(
    ("view", "line"),
    [
        ("[views.v]\n", "views.v.sql: is missing; write a SELECT in quotes"),
        ("[views.v]\nsql = 3\n", "views.v.sql: is 3"),
        ('[views.v]\nsql = "SELECT 1"\nunit = "x"\n', "views.v.unit: is not known"),
        ('[views.t]\nsql = "SELECT 1"\n', "views.t: has the name of a table, which nobody could ask about"),
        ('[views.T]\nsql = "SELECT 1"\n', "views.T: has the name of a table, which nobody could ask about"),
    ],
)
def test_a_view_that_cannot_be_read_is_refused(view: str, line: str) -> None:
    assert refusal(table("") + view).startswith(line)
