"""The program `discreet`: its commands and their help. Heavy imports wait until a command runs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from discreet.cli import asking, auditing, learning, owning, serving, shelling, spending, synthesizing
from discreet.cli.attacking import attack
from discreet.cli.census import census
from discreet.cli.errors import show_errors
from discreet.cli.local import local
from discreet.cli.options import FormatOption, ListFormat
from discreet.cli.robust import robust

app = typer.Typer(
    help="Differential privacy with exact integer noise: keeps sensitive data in and lets answers out.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


class Noise(StrEnum):
    """The mechanisms that `discreet calibrate` knows."""

    LAPLACE = "laplace"
    GAUSSIAN = "gaussian"
    DISCRETE_GAUSSIAN = "discrete-gaussian"
    STAIRCASE = "staircase"


@app.callback(invoke_without_command=True)
def root(version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False) -> None:
    """Differential privacy with exact integer noise: keeps sensitive data in and lets answers out."""
    if version:
        from discreet import __version__

        typer.echo(f"discreet {__version__}")
        raise typer.Exit


app.command()(owning.init)
app.command()(owning.check)
app.command()(owning.tables)
app.command()(asking.ask)
app.command()(asking.explain)
app.command()(shelling.shell)
app.command()(spending.budget)
app.command()(spending.ledger)
app.command()(asking.bounds)
app.command()(synthesizing.synth)
app.command()(learning.learn)
app.add_typer(robust, name="robust")
app.add_typer(census, name="census")
app.command()(auditing.audit)
app.command()(owning.resume)
app.command()(owning.retry)
app.command()(owning.failures)
app.command()(serving.serve)
app.add_typer(serving.analyst, name="analyst")
app.command("audit-log")(serving.audit_log)
app.add_typer(owning.data, name="data")
app.add_typer(local, name="local")
app.add_typer(attack, name="attack")


@app.command()
def demo(
    keep: Annotated[
        Path | None, typer.Option(help="Leave the clinic, its policy and its ledger here.", show_default=False)
    ] = None,
) -> None:
    """Ask a generated clinic, the truth beside each answer."""
    from discreet.cli.demo import show

    with show_errors():
        show(keep)


@app.command()
def calibrate(
    noise: Annotated[Noise, typer.Argument(help="Which noise to add.")],
    epsilon: Annotated[float, typer.Option(help="The privacy wanted; smaller is more private.")],
    delta: Annotated[float, typer.Option(help="The probability of failing it; Gaussian noise needs one.")] = 0.0,
    sensitivity: Annotated[float, typer.Option(help="How far one unit can move the value.")] = 1.0,
    step: Annotated[float | None, typer.Option(help="The grid step, for values that are not whole numbers.")] = None,
    confidence: Annotated[float, typer.Option(help="Of the interval shown.")] = 0.95,
    format: FormatOption = ListFormat.TABLE,
) -> None:
    """Say how much noise a guarantee takes, and how far off it puts."""
    from discreet.cli.calibrate import show

    with show_errors():
        show(noise.value, epsilon, delta, sensitivity, step, confidence, format is ListFormat.JSON)


@app.command()
def risk(
    epsilon: Annotated[float | None, typer.Option(help="The loss: epsilon of (epsilon, delta).")] = None,
    delta: Annotated[float, typer.Option(help="The loss: delta of (epsilon, delta).")] = 0.0,
    mu: Annotated[float | None, typer.Option(help="Or mu of Gaussian differential privacy.")] = None,
    rho: Annotated[float | None, typer.Option(help="Or rho of zero-concentrated differential privacy.")] = None,
    times: Annotated[int, typer.Option(help="Also show what it means to be asked this often.")] = 10,
    plot: Annotated[Path | None, typer.Option(help="Draw the trade-off curve into this file.")] = None,
    format: FormatOption = ListFormat.TABLE,
) -> None:
    """Say what a loss means for a person: the best attacker's odds."""
    from discreet.cli.risk import loss_from, show, write_risks

    with show_errors():
        loss = loss_from(epsilon, delta, mu, rho)
        if format is ListFormat.JSON:
            typer.echo(write_risks(loss, times, plot))
        else:
            show(loss, times, plot)
