"""A conversation with a curator or a server: what each command gives. Terminals print it, notebooks show it."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from discreet.base.errors import DiscreetError, ParameterError, QueryError
from discreet.cli.shell.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from discreet.answers import Answer
    from discreet.curator.bounds import FoundBounds
    from discreet.curator.owner.budget import Budget
    from discreet.curator.owner.tables import Tables

UNPRICED = "say how much privacy to spend"
"""How a question without a price is refused, before the choices."""

COMMANDS = {
    "d": ("[TABLE]", "tables and views, or one of them: columns, types, bounds, categories"),
    "budget": ("", "what is spent and left"),
    "price": ("[QUESTION]", "what it would give and cost: the one being written, or the last; free"),
    "ask": ("[QUESTION]", "ask it, and pay: the one being written, or the last"),
    "fresh": ("[QUESTION]", "ask with new noise, and pay again"),
    "bounds": ("TABLE.COLUMN", "find bounds of a numeric column, at the epsilon that is set"),
    "set": ("[NAME VALUE]", "epsilon, rho or within (n=50); confidence, simultaneous, format; $age for a parameter"),
    "unset": ("NAME", "as it was at first; of a price: none"),
    "save": ("FILE", "write the last answer: .csv, .json or .parquet"),
    "plot": ("FILE", "draw the last answer: .png, .pdf or .svg"),
    "r": ("", "forget the question being written; Ctrl-C does so too"),
    "help": ("", "this"),
    "q": ("", "leave; Ctrl-D does so too"),
}

QUESTIONS = ("price", "ask", "fresh")
"""Commands that take a question: what follows them, the one being written, or the last."""

HELP = "\n".join(
    [
        "A question in SQL may have several lines. It ends with ; and is then asked, and paid for.",
        *("  " + f"\\{name} {takes}".ljust(22) + words for name, (takes, words) in COMMANDS.items()),
    ]
)


class AskedPlace(Protocol):
    """Where questions are asked: a curator, a session, or a connection to a server."""

    @property
    def tables(self) -> Tables: ...  # noqa: D102

    @property
    def budget(self) -> Budget: ...  # noqa: D102

    def ask(self, question: object, epsilon: Any = None, **how: Any) -> Answer: ...  # noqa: D102

    def explain(self, question: object, epsilon: Any = None, **how: Any) -> object: ...  # noqa: D102

    def bounds(self, column: str, epsilon: Any) -> FoundBounds: ...  # noqa: D102


class ShellTalk:
    """Questions and commands at one place, with what was set and what came last.

    Nothing is charged but by `ask` and `find_bounds`, and these take the price that was set; there is none at first.
    `lead` is what commands begin with, in messages.
    """

    def __init__(self, place: AskedPlace, lead: str = "\\") -> None:
        self.place, self.settings, self._lead = place, Settings(), lead
        self.question = ""
        """The last question, asked or priced."""
        self.answer: Answer | None = None
        self._tables: Tables | None = None

    @property
    def tables(self) -> Tables:
        """What may be asked, read once: it does not change while the policy does not."""
        if self._tables is None:
            self._tables = self.place.tables
        return self._tables

    def ask(self, sql: str, *, fresh: bool = False, **how: Any) -> Answer:
        """Ask a question, and pay the price that is set; without one it is refused with the choices."""
        self.question = sql
        with _in_commands(self._lead):
            given = {**self.settings.price, **self.settings.find_params(sql), **how}
            self.answer = self.place.ask(sql, fresh=fresh, **given)
        return self.answer

    def price(self, sql: str) -> object:
        """Return what a question would give and cost; without a price, what several prices would give. Free."""
        self.question = sql
        try:
            with _in_commands(self._lead):
                return self.place.explain(sql, **self.settings.price, **self.settings.find_params(sql))
        except QueryError as choices:
            if not str(choices).startswith(UNPRICED):
                raise
            return str(choices)

    def find_bounds(self, column: str) -> FoundBounds:
        """Find bounds of a column, and pay the epsilon that is set."""
        epsilon = self.settings.price.get("epsilon")
        if epsilon is None:
            raise QueryError(f"bounds are paid in epsilon: set one first, such as {self._lead}set epsilon 0.1")
        return self.place.bounds(column, epsilon)

    def run(self, name: str, argument: str = "") -> object:
        """Run a command by its name, without the backslash, and return what it gives, if anything."""
        argument = argument.strip().removesuffix(";").rstrip()
        commands: dict[str, Callable[[str], object]] = {
            "d": lambda given: self.tables.find(given) if given else self.tables,
            "budget": lambda given: self.place.budget,
            "price": lambda given: self.price(self.find_question(given)),
            "ask": lambda given: self.ask(self.find_question(given)),
            "fresh": lambda given: self.ask(self.find_question(given), fresh=True),
            "bounds": self.find_bounds,
            "set": self._set,
            "unset": self._unset,
            "save": lambda given: self._last().save(_need(given, "save")),
            "plot": lambda given: self._draw(_need(given, "plot")),
            "help": lambda given: HELP,
            "?": lambda given: HELP,
        }
        if name not in commands:
            raise ParameterError("command", name, "one of " + ", ".join(f"{self._lead}{each}" for each in COMMANDS))
        return commands[name](argument)

    def find_question(self, given: str) -> str:
        """Return the question that a command is given, else the last one."""
        sql = given.strip().removesuffix(";").rstrip() or self.question
        if not sql:
            raise QueryError("there is no question yet; write it behind the command")
        return sql

    def _set(self, given: str) -> object:
        if not given:
            return self.settings.describe(self._lead)
        found = re.fullmatch(r"(\$?\w+)(?:\s*=\s*|\s+)(.+)", given)
        if found is None:
            raise ParameterError("set", given, f"followed by a name and its value: {self._lead}set epsilon 0.1")
        self.settings = self.settings.put(found[1], found[2])
        return None

    def _unset(self, given: str) -> None:
        self.settings = self.settings.clear(_need(given, "unset"))

    def _draw(self, file: str) -> None:
        self._last().plot(file, self.settings.confidence, self.settings.simultaneous)

    def _last(self) -> Answer:
        if self.answer is None:
            raise DiscreetError("there is no answer yet; ask a question first")
        return self.answer


def _need(given: str, command: str) -> str:
    if not given:
        raise ParameterError(command, "", f"followed by {COMMANDS[command][0]}")
    return given


@contextmanager
def _in_commands(lead: str) -> Iterator[None]:
    """Say what to write as commands, where a message says it as Python would."""
    try:
        yield
    except QueryError as trouble:
        said = re.sub(r"params=\{'(\w+)': \.\.\.\}", lambda found: f"{lead}set ${found[1]} ...", str(trouble))
        said = re.sub(r"(?<![\w-])(epsilon|rho)=", lambda found: f"{lead}set {found[1]} ", said)
        raise QueryError(said) from None
