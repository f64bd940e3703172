"""What the tests of the command line share: the program, and the clinic's files for it."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path

import typer.main
import typer.testing

from discreet.cli.app import app
from support.clinic import write_policy, write_tables

POLICY = write_policy(delta=0, limits="max_rows = 4", version=None, files=True)
"""Without a delta, and with a version of the visits that the operator accepts."""

COUNT = "SELECT COUNT(*) AS n FROM visits"
BY_WARD = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"

typer.testing._get_command = functools.cache(typer.main.get_command)  # type: ignore[attr-defined]
"""All commands are made once: that takes longer than most of them run."""


def invoke(arguments: Iterable[object], input: str | None = None) -> typer.testing.Result:
    """Run the program in this process."""
    return typer.testing.CliRunner().invoke(app, [str(argument) for argument in arguments], input=input)


class Ran:
    """What a run of the program left: its exit code, and what went where."""

    def __init__(self, *arguments: object, input: str | None = None) -> None:
        result = invoke(arguments, input)
        self.code, self.out, self.err = result.exit_code, result.stdout, result.stderr
        assert "Traceback" not in result.output
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception


def run(*arguments: object, input: str | None = None) -> str:
    """Run the program, which must end well, and return what it printed to standard output."""
    ran = Ran(*arguments, input=input)
    assert ran.code == 0, ran.err
    return ran.out


def refused(*arguments: object, code: int = 2, input: str | None = None) -> str:
    """Run the program, which must refuse with this exit code and print no answer, and return its complaint."""
    ran = Ran(*arguments, input=input)
    assert ran.code == code, (ran.code, ran.out, ran.err)
    assert ran.out == ""
    assert ran.err.startswith("discreet: ")
    return ran.err


def write_clinic(folder: Path, policy: str = POLICY) -> Path:
    """Write tables and a policy, create the ledger, and return the folder."""
    write_tables(folder)
    (folder / "policy.toml").write_text(policy)
    run("init", "--policy", folder / "policy.toml")
    return folder
