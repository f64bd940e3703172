"""The program `discreet`: its commands and their help. Heavy imports wait until a command runs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

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


@app.command()
def demo() -> None:
    """Show a private count, a private histogram and a private choice, beside the truth."""
    from discreet.cli.demo import show

    show()


@app.command()
def calibrate(
    noise: Annotated[Noise, typer.Argument(help="Which noise to add.")],
    epsilon: Annotated[float, typer.Option(help="The privacy wanted; smaller is more private.")],
    delta: Annotated[float, typer.Option(help="The probability of failing it; Gaussian noise needs one.")] = 0.0,
    sensitivity: Annotated[float, typer.Option(help="How far one unit can move the value.")] = 1.0,
    step: Annotated[float | None, typer.Option(help="The grid step, for values that are not whole numbers.")] = None,
    confidence: Annotated[float, typer.Option(help="Of the interval shown.")] = 0.95,
) -> None:
    """Say how much noise a guarantee takes, and how far the answer will be off."""
    from discreet.base.errors import DiscreetError
    from discreet.cli.calibrate import show

    try:
        show(noise.value, epsilon, delta, sensitivity, step, confidence)
    except DiscreetError as problem:
        typer.echo(f"discreet: {problem}", err=True)
        raise typer.Exit(2) from None


@app.command()
def risk(
    epsilon: Annotated[float | None, typer.Option(help="The loss: epsilon of (epsilon, delta).")] = None,
    delta: Annotated[float, typer.Option(help="The loss: delta of (epsilon, delta).")] = 0.0,
    mu: Annotated[float | None, typer.Option(help="Or mu of Gaussian differential privacy.")] = None,
    rho: Annotated[float | None, typer.Option(help="Or rho of zero-concentrated differential privacy.")] = None,
    times: Annotated[int, typer.Option(help="Also show what it means to be asked this often.")] = 10,
    plot: Annotated[Path | None, typer.Option(help="Draw the trade-off curve into this file.")] = None,
) -> None:
    """Say what a loss means for a person: the odds of the best possible attacker."""
    from discreet.base.errors import DiscreetError
    from discreet.cli.risk import loss_from, show

    try:
        show(loss_from(epsilon, delta, mu, rho), times, plot)
    except DiscreetError as problem:
        typer.echo(f"discreet: {problem}", err=True)
        raise typer.Exit(2) from None
