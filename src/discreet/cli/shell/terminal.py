"""The shell at a terminal: lines with history and completion, answers as text; Ctrl-C leaves the line, no more."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from discreet.base.errors import DiscreetError, QueryError
from discreet.cli.errors import code_of
from discreet.cli.output import progress
from discreet.cli.shell.conversation import QUESTIONS, ShellTalk
from discreet.cli.shell.statements import AskedText, ShellCommand, TypedLines
from discreet.curator.asking.hints import HintWarning

if TYPE_CHECKING:
    from discreet.answers import Answer

HISTORY = "DISCREET_HISTORY"
"""The environment variable with the file that keeps lines from one shell to the next; empty: none."""

MOST_LINES = 2_000
STOPPED = "stopped waiting. What was charged is not lost: asking the same again does not charge again"
UNFINISHED = "the last question has no ; at its end, so it was not asked"


class Shell:
    """Reads lines until the end, and runs them. At a terminal errors are shown and it goes on; else the first ends it.

    A question is asked only when its semicolon is there, and only at the price that was set.
    """

    def __init__(self, conversation: ShellTalk, *, interactive: bool, name: str = "discreet") -> None:
        self._conversation, self._interactive = conversation, interactive
        self._statements = TypedLines()
        self._name = name

    def run(self, read: Callable[[str], str]) -> int:
        """Run until the end of the lines or `\\q`, and return the exit code.

        What is warned of before a charge is said in one line.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("always", HintWarning)
            warnings.showwarning = lambda message, *rest, **more: typer.echo(f"note: {message}", err=True)
            return self._run_lines(read)

    def _run_lines(self, read: Callable[[str], str]) -> int:
        while True:
            try:
                line = read(self._prompt())
                if not self._run_line(line):
                    return 0
            except EOFError:
                return self._end()
            except KeyboardInterrupt:
                self._statements.drop()
                if not self._interactive:
                    raise
                typer.echo("", err=True)
            except DiscreetError as trouble:
                typer.echo(f"{'' if self._interactive else 'discreet: '}{trouble}", err=True)
                if not self._interactive:
                    return code_of(trouble)

    def _prompt(self) -> str:
        """Return what stands before a line: an open quote is shown, since everything typed goes into its text."""
        if not self._statements.pending:
            return f"{self._name}> "
        return f"{(self._statements.open_quote or '-') + '>':>{len(self._name) + 1}} "

    def _end(self) -> int:
        if self._interactive:
            typer.echo("")
        elif self._statements.pending:
            typer.echo(f"discreet: {UNFINISHED}", err=True)
            return code_of(QueryError())
        return 0

    def _run_line(self, line: str) -> bool:
        """Run what is whole now; say whether to go on."""
        for each in self._statements.feed(line):
            if isinstance(each, AskedText):
                self._show(self._ask(each.text))
            elif each.name == "q":
                return False
            else:
                self._run_command(each)
        return True

    def _run_command(self, command: ShellCommand) -> None:
        argument = command.argument
        if command.name in QUESTIONS and not argument:
            argument = self._statements.drop()
        if command.name == "r":
            self._statements.drop()
        elif command.name in ("ask", "fresh"):
            self._show(self._ask(self._conversation.find_question(argument), fresh=command.name == "fresh"))
        else:
            self._show(self._conversation.run(command.name, argument))

    def _ask(self, sql: str, *, fresh: bool = False) -> Answer:
        try:
            with progress("asking") as shown:
                return self._conversation.ask(sql, fresh=fresh, progress=shown)
        except KeyboardInterrupt:
            raise DiscreetError(STOPPED) from None

    def _show(self, value: object) -> None:
        if value is not None:
            from discreet.answers import Answer

            typer.echo(self._write(value) if isinstance(value, Answer) else str(value))

    def _write(self, answer: Answer) -> str:
        settings = self._conversation.settings
        sure = (settings.confidence, settings.simultaneous)
        if settings.format != "table":
            return (answer.to_csv(*sure) if settings.format == "csv" else answer.to_json(*sure)).removesuffix("\n")
        columns = shutil.get_terminal_size((100, 24)).columns
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        return answer.text(columns, *sure, encoding, 60 if self._interactive else None) + "\n"


def find_history() -> Path | None:
    """Return the file that keeps lines; only its owner may read it. None: lines are not kept."""
    told = os.environ.get(HISTORY)
    if told is not None:
        return Path(told) if told else None
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "discreet" / "history"


@contextmanager
def edited_lines(find: Callable[[str], list[str]], history: Path | None) -> Iterator[None]:
    """Give `input` completion and history, where Python has readline; lines are kept when it ends."""
    try:
        import readline
    except ImportError:
        yield
        return
    readline.set_completer(_make_completer(find, readline.get_line_buffer, readline.get_endidx))
    readline.set_completer_delims(" \t\n()=<>!*+-/,;'\"|%")
    mac = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if mac else "tab: complete")
    readline.set_history_length(MOST_LINES)
    if history is not None:
        with contextlib.suppress(OSError):
            readline.read_history_file(history)
    try:
        yield
    finally:
        readline.set_completer(None)
        if history is not None:
            with contextlib.suppress(OSError):
                history.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                os.close(os.open(history, os.O_CREAT | os.O_WRONLY, 0o600))
                readline.write_history_file(history)


def _make_completer(
    find: Callable[[str], list[str]], line: Callable[[], str], end: Callable[[], int]
) -> Callable[[str, int], str | None]:
    found: list[str] = []

    def complete(word: str, place: int) -> str | None:
        nonlocal found
        if place == 0:
            try:
                found = find(line()[: end()])
            except (DiscreetError, OSError):  # a server that cannot be reached completes nothing
                found = []
        return found[place] if place < len(found) else None

    return complete


def read_piped(prompt: str) -> str:
    """Return the next line of standard input, where nobody types."""
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")
