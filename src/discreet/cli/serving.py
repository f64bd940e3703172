"""`discreet serve` and `discreet analyst`: the door for people whom one does not trust, and who may come through it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.base.errors import DiscreetError, ParameterError
from discreet.cli.errors import TO_DO, fail, show_errors
from discreet.cli.options import FormatOption, ListFormat, PolicyOption, find_policy

if TYPE_CHECKING:
    from discreet.server.accounts.book import AccountBook
    from discreet.server.serving import Addresses

analyst = typer.Typer(help="Who may come in through a server: tokens of analysts and owners.", no_args_is_help=True)

DaysOption = Annotated[
    float | None, typer.Option(help="How many days it is valid; else without an end.", show_default=False)
]
NameArgument = Annotated[str, typer.Argument(help="As the policy calls them under \\[analysts]; of an owner, any.")]


def serve(
    policy: Annotated[Path | None, typer.Argument(help="The policy; else policy.toml.", show_default=False)] = None,
    http: Annotated[str, typer.Option(help="Where HTTP and the console listen.")] = "127.0.0.1:8642",
    wire: Annotated[str, typer.Option(help="Where clients of PostgreSQL come in; empty: nowhere.")] = "127.0.0.1:5433",
    tls_cert: Annotated[Path | None, typer.Option(help="The certificate, with its chain.", show_default=False)] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Its key.", show_default=False)] = None,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="Something in front speaks TLS; believe what it forwards.")
    ] = False,
) -> None:
    """Let analysts in over the network: each answer is paid for, and leaves on a public schedule."""
    with show_errors():
        _check_installed()
        from discreet.server.serving import Address, Certificate, Listening, run_loop
        from discreet.server.serving import serve as serve_policy

        if (tls_cert is None) is not (tls_key is None):
            raise ParameterError("--tls-key", tls_key, "given beside --tls-cert, and only then")
        certificate = None if tls_cert is None or tls_key is None else Certificate(tls_cert, tls_key)
        wanted = Address.parse("--wire", wire) if wire else None
        listening = Listening(Address.parse("--http", http), wanted, certificate, behind_proxy)
        run_loop(serve_policy(find_policy(policy), listening, lambda at: _show_addresses(at, certificate is not None)))


def _show_addresses(at: Addresses, tls: bool) -> None:
    typer.echo(f"listening at {'https' if tls else 'http'}://{at.http}; Ctrl-C ends it")
    if at.wire is not None:
        typer.echo(f"PostgreSQL's clients: psql -h {at.wire.host} -p {at.wire.port} -U NAME discreet")


def _check_installed() -> None:
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise DiscreetError('serving needs more packages: run pip install "discreet[server]"') from None


@analyst.command()
def add(
    name: NameArgument,
    owner: Annotated[bool, typer.Option("--owner", help="An owner: sees all but rows, and asks nothing.")] = False,
    days: DaysOption = None,
    policy: PolicyOption = None,
) -> None:
    """Make an account, and print its token: this once."""
    from discreet.server.accounts.account import Role

    with show_errors(), _opened_book(policy) as book:
        _show_token(book.add(name, Role.OWNER if owner else Role.ANALYST, days))


@analyst.command()
def rotate(name: NameArgument, days: DaysOption = None, policy: PolicyOption = None) -> None:
    """Print a new token; the old one is worth nothing from now on."""
    with show_errors(), _opened_book(policy) as book:
        _show_token(book.rotate(name, days))


@analyst.command()
def revoke(name: NameArgument, policy: PolicyOption = None) -> None:
    """Let nobody in by this account any more; `rotate` opens it again."""
    with show_errors(), _opened_book(policy) as book:
        book.revoke(name)
        typer.echo(f"{name} is not let in any more; answers that they paid for stay recorded")


@analyst.command("list")
def list_accounts(format: FormatOption = ListFormat.TABLE, policy: PolicyOption = None) -> None:
    """List accounts, what they may do, and until when."""
    from discreet.server.accounts.account import write_day

    with show_errors(), _opened_book(policy) as book:
        accounts, now = book.accounts, time.time()
        if format is ListFormat.JSON:
            listed = [(each.name, each.role.value, write_day(each.made), each.describe(now)) for each in accounts]
            names = ("name", "role", "made", "state")
            typer.echo(json.dumps([dict(zip(names, each, strict=True)) for each in listed], indent=2))
            return
        width = max((len(each.name) for each in accounts), default=0)
        for each in accounts:
            made = write_day(each.made)
            typer.echo(f"{each.name:<{width}}  {each.role.value:<7}  token of {made}  {each.describe(now)}")
        if not accounts:
            typer.echo("nobody has a token yet: `discreet analyst add NAME` makes one")


def audit_log(
    last: Annotated[int, typer.Option(min=1, help="So many of the newest lines.")] = 50,
    verify: Annotated[bool, typer.Option("--verify", help="Recompute the chain.")] = False,
    format: FormatOption = ListFormat.TABLE,
    policy: PolicyOption = None,
) -> None:
    """List who came in, what was asked, refused and answered, or --verify it."""
    from discreet.answers.words import to_one_line
    from discreet.policy import load
    from discreet.server.audit_log import read_newest, verify_log
    from discreet.server.serving import find_audit_log

    with show_errors():
        path = find_audit_log(load(find_policy(policy)))
        count, head, problems = verify_log(path)
        if verify:
            if format is ListFormat.JSON:
                found = {"ok": not problems, "lines": count, "head": head, "problems": list(problems)}
                typer.echo(json.dumps(found, indent=2))
            else:
                typer.echo("\n".join(problems) if problems else f"{count} lines, all as the chain says; head: {head}")
            if problems:
                fail(f"verification failed: {len(problems)} problem{'s' if len(problems) > 1 else ''}", TO_DO)
            return
        newest = list(reversed(read_newest(path, last)))
        if format is ListFormat.JSON:
            names = ("number", "at", "kind", "who", "body")
            rows = [{name: getattr(line, name) for name in names} for line in newest]
            typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
            return
        for line in newest:
            told = ", ".join(f"{name} {value}" for name, value in line.body.items())
            typer.echo(
                to_one_line(f"{line.number:>5}  {line.at[:19].replace('T', ' ')}  {line.kind:<13}  {line.who}  {told}")
            )


@contextmanager
def _opened_book(policy: Path | None) -> Iterator[AccountBook]:
    from discreet.curator.owner.account import open_account
    from discreet.server.accounts.book import AccountBook

    with open_account(find_policy(policy)) as account:
        yield AccountBook(account.policy, account.ledger)


def _show_token(token: str) -> None:
    typer.echo(token)
    typer.echo("Hand it over safely: only a hash of it is kept, so it cannot be shown again.", err=True)
