"""`%discreet` and `%%discreet`: questions in the cells of a notebook, answers shown as tables with error bars.

A cell is one question. It is asked at the price in its first line, or at the one that was set, and there is none at
first. What stands in a cell is not changed on its way: variables of the notebook are no part of a question.
"""

from __future__ import annotations

import argparse
import getpass
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn, Protocol

from discreet.base.errors import DiscreetError, ParameterError, QueryError
from discreet.cli.shell.conversation import COMMANDS, AskedPlace, ShellTalk
from discreet.cli.shell.opening import open_place
from discreet.cli.shell.settings import PRICES, Settings

UNEXPANDED = "_ipython_magic_no_var_expand"
"""What IPython looks for at a magic whose line it must leave as it is."""

UNOPENED = "nothing is open yet: write %discreet open policy.toml, or %discreet open https://data.example.org"
LEAD = "%discreet "
LINE_COMMANDS = tuple(name for name in COMMANDS if name not in ("q", "r"))


class Notebook(Protocol):
    """What is needed of IPython's shell."""

    user_ns: dict[str, Any]

    def register_magic_function(self, func: Any, magic_kind: str = "line", magic_name: str | None = None) -> None:
        """Take a magic."""
        ...


class _Options(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise QueryError(f"{message}; {' '.join(self.format_usage().split())}")


def _make_cell_options() -> _Options:
    options = _Options("%%discreet", add_help=False)
    price = options.add_mutually_exclusive_group()
    price.add_argument("-e", "--epsilon")
    price.add_argument("--rho")
    price.add_argument("--within", metavar="NAME=ERROR")
    options.add_argument("--price", action="store_true", dest="only_price")
    options.add_argument("--fresh", action="store_true")
    options.add_argument("--as", metavar="VARIABLE", dest="variable")
    return options


def _make_open_options() -> _Options:
    options = _Options("%discreet open", add_help=False)
    options.add_argument("place", nargs="?")
    options.add_argument("--analyst")
    return options


class DiscreetMagics:
    """The conversation of one notebook."""

    def __init__(self, notebook: Notebook) -> None:
        self._notebook = notebook
        self._conversation: ShellTalk | None = None

    def run(self, line: str, cell: str | None = None) -> object:
        """Run a line such as `%discreet budget`, or ask the question in a cell."""
        return self._run_line(line.strip()) if cell is None else self._run_cell(line, cell)

    def _run_line(self, line: str) -> object:
        first, _, rest = line.partition(" ")
        name = first.lstrip("\\")
        if name in LINE_COMMANDS:
            return self._talk().run(name, rest)
        if name == "open":
            self._conversation = ShellTalk(_open(rest), LEAD)
            return None
        if name == "use":
            self._conversation = ShellTalk(self._find(rest.strip()), LEAD)
            return None
        known = ", ".join(["open", "use", *LINE_COMMANDS])
        raise ParameterError("%discreet", line, f"followed by one of {known}; a question stands under %%discreet")

    def _find(self, name: str) -> AskedPlace:
        place = self._notebook.user_ns.get(name)
        if not all(hasattr(place, each) for each in ("ask", "explain", "bounds", "tables", "budget")):
            raise ParameterError("%discreet use", name, "followed by the name of a curator, a session or a connection")
        found: AskedPlace = place  # type: ignore[assignment]
        return found

    def _run_cell(self, line: str, cell: str) -> object:
        given = _make_cell_options().parse_args(shlex.split(line))
        if given.variable is not None and not given.variable.isidentifier():
            raise ParameterError("--as", given.variable, "the name of a variable")
        talk, sql = self._talk(), cell.strip().removesuffix(";").rstrip()
        kept = talk.settings
        talk.settings = _price_cell(kept, {name: getattr(given, name) for name in PRICES})
        try:
            found = talk.price(sql) if given.only_price else talk.ask(sql, fresh=given.fresh)
        finally:
            talk.settings = kept
        if given.variable is not None:
            self._notebook.user_ns[given.variable] = found
        return found

    def _talk(self) -> ShellTalk:
        if self._conversation is None:
            raise DiscreetError(UNOPENED)
        return self._conversation


def _open(line: str) -> AskedPlace:
    given = _make_open_options().parse_args(shlex.split(line))
    if given.place is not None and "://" in given.place:
        return open_place(given.place, None, given.analyst, lambda: getpass.getpass("token: "))
    return open_place(None, None if given.place is None else Path(given.place), given.analyst)


def _price_cell(settings: Settings, prices: dict[str, str | None]) -> Settings:
    """Return the settings of one cell: at its own price, where it names one."""
    for name, value in prices.items():
        if value is not None:
            return settings.put(name, value)
    return replace(settings)


def load(notebook: Notebook) -> None:
    """Register the magics."""
    magics = DiscreetMagics(notebook)

    def discreet(line: str, cell: str | None = None) -> object:
        """Ask privately: `%discreet open policy.toml`, then questions under `%%discreet --epsilon 0.1`."""
        try:
            found = magics.run(line, cell)
        except DiscreetError as trouble:
            said = [f"{type(trouble).__name__}: {trouble}"]
            trouble._render_traceback_ = lambda: said  # type: ignore[attr-defined]  # IPython shows this, and stops
            raise
        return _Text(found) if type(found) is str else found

    setattr(discreet, UNEXPANDED, True)
    notebook.register_magic_function(discreet, "line_cell", "discreet")


class _Text(str):
    """Words that a notebook shows as they are, without quotes."""

    __slots__ = ()
    __repr__ = str.__str__
