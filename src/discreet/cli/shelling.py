"""`discreet shell`: questions and commands line by line, at a policy or at a server."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from discreet.cli.errors import show_errors
from discreet.cli.options import AskerOption, PolicyOption


def shell(
    connect: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Ask a server; the token is in DISCREET_TOKEN, or typed.", show_default=False),
    ] = None,
    policy: PolicyOption = None,
    analyst: AskerOption = None,
) -> None:
    """Ask line by line, with history and completion; \\help says how."""
    from discreet.cli.shell.completion import complete
    from discreet.cli.shell.conversation import ShellTalk
    from discreet.cli.shell.opening import open_place
    from discreet.cli.shell.terminal import Shell, edited_lines, find_history, read_piped

    with show_errors(), open_place(connect, policy, analyst) as place:
        conversation, interactive = ShellTalk(place), sys.stdin.isatty()
        budget = place.budget  # a wrong token, or a server that is not there, is said at once
        if not interactive:
            code = Shell(conversation, interactive=False).run(read_piped)
        else:
            who = (budget.analysts or (budget.total,))[0]
            known = len(conversation.tables.names)
            typer.echo(f"{known} tables and views; {who.left:.2%} of {who.caps} left. \\help says how")
            with edited_lines(lambda text: complete(text, conversation.tables), find_history()):
                shown = "discreet" if who.name == "total" else who.name
                code = Shell(conversation, interactive=True, name=shown).run(input)
    if code:
        raise typer.Exit(code)
