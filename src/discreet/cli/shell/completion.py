"""What a word that was begun may become: tables, columns, declared values and functions, from public facts alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from discreet.cli.shell.conversation import COMMANDS, QUESTIONS
from discreet.cli.shell.settings import FORMATS, NAMES
from discreet.curator.owner.tables import Tables
from discreet.plan.functions import FUNCTIONS

_KEYWORDS = """SELECT FROM WHERE GROUP ORDER BY HAVING LIMIT AS AND OR NOT IN IS NULL LIKE BETWEEN CASE WHEN THEN ELSE
END JOIN LEFT USING ON WITH UNION ALL DISTINCT FILTER DESC ASC EXISTS CAST INTERVAL TRUE FALSE"""
_AGGREGATES = """AVG CORR COUNT COVAR_POP COVAR_SAMP MAX MEDIAN MIN MODE QUANTILE_CONT STDDEV STDDEV_POP SUM VARIANCE
VAR_POP"""

KEYWORDS, AGGREGATES = tuple(_KEYWORDS.split()), tuple(_AGGREGATES.split())
FUNCTION_NAMES = tuple(sorted({each.word for each in FUNCTIONS.values() if each.word.isidentifier()} - set(KEYWORDS)))
_WORD = re.compile(r"[\w.$\\]*\Z")
_IN_TEXT = re.compile(r"(\w+)\s*(?:=|<>|!=|\bIN\s*\((?:\s*'[^']*'\s*,)*)\s*'([^']*)\Z", re.IGNORECASE)
_COMMAND = re.compile(r"\s*\\(\w+)\s+(.*)\Z", re.DOTALL)


def complete(text: str, tables: Tables) -> list[str]:
    """Return what may stand in place of the last word of a text, sorted; none where nothing is known to fit.

    Columns are those of the tables that the text names, or of all where it names none.
    """
    begun = _WORD.search(text)
    word = begun[0] if begun else ""
    if word.startswith("\\"):
        return _matching(word, (f"\\{name}" for name in COMMANDS))
    command = _COMMAND.match(text)
    if command is not None and command[1] not in QUESTIONS:
        return _complete_argument(command[1], command[2], word, tables)
    value = _IN_TEXT.search(text)
    if value is not None:
        skipped = len(value[2]) - len(word)
        return [f"{each[skipped:]}'" for each in _list_values(value[1], tables) if each.startswith(value[2])]
    if text.count("'") % 2:
        return []
    table, point, _ = word.rpartition(".")
    if point:
        return _matching(word, (f"{table}.{name}" for name in _list_columns(tables, [table])))
    named = [name for name in tables.names if re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE)]
    names = [*tables.names, *_list_columns(tables, named or tables.names)]
    functions = (f"{name}(" for name in (*AGGREGATES, *FUNCTION_NAMES))
    return sorted({*_matching(word, names), *_in_case(word, _matching(word, (*KEYWORDS, *functions)))})


def _complete_argument(command: str, given: str, word: str, tables: Tables) -> list[str]:
    if command == "d":
        return _matching(word, tables.names)
    if command == "bounds":
        return _matching(word, (f"{each.table.name}.{column.name}" for each in tables for column in each.columns))
    if command in ("set", "unset") and " " not in given.lstrip():
        return _matching(word, NAMES)
    if command == "set" and given.split()[:1] == ["format"]:
        return _matching(word, FORMATS)
    return []


def _matching(word: str, among: Iterable[str]) -> list[str]:
    begun = word.casefold()
    return sorted({each for each in among if each.casefold().startswith(begun)})


def _in_case(word: str, found: Iterable[str]) -> Iterator[str]:
    """Yield words of SQL as they were begun: in small letters, or in capitals."""
    return (each.lower() if word and word.islower() else each for each in found)


def _list_columns(tables: Tables, names: Iterable[str]) -> list[str]:
    wanted = {name.casefold() for name in names}
    views = {view.name.casefold(): view.sql for view in tables.views}
    for name in wanted & views.keys():
        wanted = wanted | {each for each in map(str.casefold, tables.names) if re.search(rf"\b{each}\b", views[name])}
    return [column.name for each in tables if each.table.name.casefold() in wanted for column in each.columns]


def _list_values(column: str, tables: Tables) -> list[str]:
    found = (each.column(column) for each in tables)
    return sorted({value for each in found if each and each.values for value in each.values if isinstance(value, str)})
