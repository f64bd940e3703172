"""Lines become questions at their semicolon, and commands at the end of their line."""

from __future__ import annotations

import pytest

from discreet.cli.shell.statements import AskedText, ShellCommand, TypedLines


def feed(*lines: str) -> list[AskedText | ShellCommand]:
    statements = TypedLines()
    return [each for line in lines for each in statements.feed(line)]


@pytest.mark.parametrize(
    ("lines", "asked"),
    [
        (["SELECT 1;"], ["SELECT 1"]),
        (["SELECT 1", "FROM t;"], ["SELECT 1\nFROM t"]),
        (["a; b; c"], ["a", "b"]),
        (["SELECT ';' ;"], ["SELECT ';'"]),
        (["SELECT 'it''s; so';"], ["SELECT 'it''s; so'"]),
        (["SELECT 'a;", "b';"], ["SELECT 'a;\nb'"]),
        (['SELECT ";" FROM t;'], ['SELECT ";" FROM t']),
        (["SELECT 1 -- not here;", ";"], ["SELECT 1 -- not here;"]),
        (["SELECT /* nor ; here", "; */ 1;"], ["SELECT /* nor ; here\n; */ 1"]),
        (["SELECT '\\q';"], ["SELECT '\\q'"]),
        (["SELECT 1 -- \\q", ";"], ["SELECT 1 -- \\q"]),
        ([";", " ; ;"], []),
    ],
)
def test_a_question_ends_with_a_semicolon_that_is_no_letter(lines: list[str], asked: list[str]) -> None:
    assert feed(*lines) == [AskedText(text) for text in asked]


def test_nothing_is_asked_before_its_semicolon() -> None:
    statements = TypedLines()
    assert statements.feed("SELECT COUNT(*)") == statements.feed("FROM visits") == []
    assert statements.drop() == "SELECT COUNT(*)\nFROM visits"
    assert statements.pending == ""
    assert statements.feed("SELECT 2;") == [AskedText("SELECT 2")]


def test_some_words_are_commands_where_a_question_could_begin() -> None:
    assert feed("help", "EXIT", " quit; ") == [ShellCommand("help", ""), ShellCommand("q", ""), ShellCommand("q", "")]
    assert feed("SELECT 1 AS", "help", ";") == [AskedText("SELECT 1 AS\nhelp")]


@pytest.mark.parametrize(
    ("line", "quote"),
    [
        ("SELECT 1", ""),
        ("SELECT 'a", "'"),
        ("SELECT 'a' = \"b", '"'),
        ("SELECT 'it''", "'"),
        ("SELECT 'it'''", ""),
        ("SELECT ''", ""),
        ("SELECT '", "'"),
        ('SELECT "it\'s"', ""),
        ("SELECT 1 -- it's", ""),
    ],
)
def test_a_text_without_an_end_is_known_by_its_quote(line: str, quote: str) -> None:
    statements = TypedLines()
    assert statements.feed(line) == []
    assert statements.open_quote == quote


def test_commands_take_their_line_and_leave_the_question_alone() -> None:
    assert feed("\\d visits") == [ShellCommand("d", "visits")]
    assert feed("\\d;", "\\set  epsilon   0.1") == [ShellCommand("d", ""), ShellCommand("set", "epsilon   0.1")]
    statements = TypedLines()
    assert statements.feed("SELECT 1 \\price") == [ShellCommand("price", "")]
    assert statements.pending == "SELECT 1"
    assert statements.feed("\\d") == [ShellCommand("d", "")]
    assert statements.feed(";") == [AskedText("SELECT 1")]
    assert feed("\\") == [ShellCommand("", "")]
