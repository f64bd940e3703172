"""Names may be any text that SQL can tell apart and that discreet does not use itself."""

from __future__ import annotations

import pytest

from discreet.base.errors import PolicyError
from discreet.policy.problems import Problems
from discreet.policy.section import Section, check_key_names
from support.policies import read, refusal, table

TABLES = "[budget]\nepsilon = 1\n[tables.{}]\nrows_are_units = true\n[tables.{}]\nrows_are_units = true\n"


@pytest.mark.parametrize("name", ['"first name"', '"größe"', '"a.b"', '"x\\ny"', "1", '"select"', '"Robert\'); --"'])
def test_any_text_is_a_name(name: str) -> None:
    assert len(read(table("", f"{name} = {{ lower = 0, upper = 1 }}")).table("t").columns) == 1
    assert len(read(TABLES.format(name, "other")).tables) == 2


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ('""', '"": a name must have a character that can be seen; rename it'),
        ('" "', '" ": a name must have a character that can be seen; rename it'),
        ('"a\\u0000"', '"a\\u0000": a name must have a character that can be seen; rename it'),
        ("__discreet_unit", "__discreet_unit: names that begin with __discreet are discreet's own; rename it"),
        ("__Discreet", "__Discreet: names that begin with __discreet are discreet's own; rename it"),
    ],
)
def test_empty_and_reserved_names_are_refused(name: str, line: str) -> None:
    assert refusal(table("", f"{name} = {{ }}")) == f"tables.t.columns.{line}"
    assert refusal(TABLES.format(name, "other")) == f"tables.{line}"
    assert refusal(table("") + f"[analysts.{name}]\nepsilon = 1\n") == f"analysts.{line}"


def test_names_that_differ_in_case_only_are_refused() -> None:
    remedy = "in case only, and SQL sees no case; rename one"
    assert refusal(table("", "Age = {}\nage = {}")) == f'tables.t.columns.age: differs from "Age" {remedy}'
    assert refusal(TABLES.format("visits", "VISITS")) == f'tables.VISITS: differs from "visits" {remedy}'
    assert refusal(table('hidden = ["a", "A"]')) == f'tables.t.hidden.A: differs from "a" {remedy}'
    assert refusal(table("", 'Straße = { }\n"STRASSE" = {}'.replace("Straße", '"Straße"'))).endswith(remedy)


def test_the_same_name_twice_in_a_list_is_no_matter_of_case() -> None:
    problems = Problems("p.toml")
    check_key_names(problems, (), ["a", "a", "b"])
    problems.refuse()


def test_readers_return_none_for_what_is_missing_and_note_what_is_wrong() -> None:
    problems = Problems("p.toml")
    section = Section(problems, ("s",), {"x": []}, ("x", "y"))
    assert (section.text("y", ""), section.whole("y"), section.number("y", ""), section.flag("y")) == (None,) * 3 + (
        False,
    )
    problems.refuse()
    assert (section.text("x", "text"), section.whole("x"), section.number("x", "n"), section.flag("x")) == (
        None,
        None,
        None,
        False,
    )
    with pytest.raises(PolicyError) as found:
        problems.refuse()
    assert [line.split("; ")[1] for line in str(found.value).split("\n")] == [
        "text",
        "write a whole number of at least 1, such as x = 10",
        "n",
        "write x = true or x = false",
    ]


def test_a_key_that_takes_an_environment_variable_is_not_guessed_at() -> None:
    line = refusal(table('source_env = "DSN"'))
    assert (
        line == "tables.t.source_env: is not known: no key of this section takes an environment variable; take it out"
    )
