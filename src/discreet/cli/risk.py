"""`discreet risk`: what an epsilon means, in the terminal and as a picture."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from discreet.base.errors import DiscreetError, ParameterError
from discreet.privacy import ApproximateLoss, GaussianLoss, Loss, PureLoss, ZcdpLoss
from discreet.privacy.risk import ALARMS, FAMILY, PRIORS, Risk, assess, assess_family, assess_repeated


def loss_from(epsilon: float | None, delta: float, mu: float | None, rho: float | None) -> Loss:
    """Return the loss that the options describe: exactly one of epsilon, mu and rho."""
    given = [value for value in (epsilon, mu, rho) if value is not None]
    if len(given) != 1:
        raise ParameterError("options", len(given), "exactly one of --epsilon, --mu and --rho")
    if epsilon is not None:
        return ApproximateLoss(epsilon, delta) if delta else PureLoss(epsilon)
    if delta:
        raise ParameterError("delta", delta, "left out with --mu and --rho, whose losses have no delta of their own")
    return GaussianLoss(mu) if mu is not None else ZcdpLoss(given[0])


def list_risks(loss: Loss, times: int) -> tuple[list[tuple[str, Risk]], str | None]:
    """Return the risks by what they are of; where that of a family is not known, why."""
    rows = [("one person, one answer", assess(loss)), (f"asked {times} times", assess_repeated(loss, times))]
    try:
        rows.insert(1, (f"a family of {FAMILY}, one answer", assess_family(loss)))
    except DiscreetError as problem:
        return rows, f"A family of {FAMILY}: {problem}"
    return rows, None


def write_risks(loss: Loss, times: int, plot: Path | None) -> str:
    """Return the risks as JSON, and draw the trade-off curve where asked."""
    rows, missing = list_risks(loss, times)
    told = [
        {
            "what": name,
            "caught": [{"false_alarms": rate, "caught": each} for rate, each in zip(ALARMS, risk.caught, strict=True)],
            "belief": [{"before": prior, "after": each} for prior, each in zip(PRIORS, risk.belief, strict=True)],
        }
        for name, risk in rows
    ]
    if plot is not None:
        draw(loss, plot)
    return json.dumps({"loss": repr(loss), "risks": told, "notes": [missing] if missing else []}, indent=2)


def show(loss: Loss, times: int, plot: Path | None) -> None:
    """Print the risks, and draw the trade-off curve where asked."""
    console = Console()
    console.print(f"\n[bold]What {loss!r} means[/bold]\n")
    console.print(
        "The attacker knows everything about everybody else and wants to know whether one person is in the data.\n"
        "No attack, however clever, does better than this:\n"
    )
    rows, missing = list_risks(loss, times)
    if missing is not None:
        console.print(f"[dim]{missing}[/dim]\n")
    console.print(_catches(rows))
    console.print()
    console.print(_beliefs(rows))
    console.print()
    if plot is not None:
        draw(loss, plot)
        console.print(f"The trade-off curve is in {plot}\n")


def _catches(rows: list[tuple[str, Risk]]) -> Table:
    table = Table(
        title="[bold]How often is somebody found?[/bold]", title_justify="left", title_style="", header_style="dim"
    )
    table.add_column("false alarms for those not in the data")
    for rate in ALARMS:
        table.add_column(f"{rate:.0%}", justify="right")
    for name, risk in rows:
        table.add_row(name, *(f"{value:.1%}" for value in risk.caught))
    table.add_row("[dim]by guessing[/dim]", *(f"[dim]{rate:.1%}[/dim]" for rate in ALARMS))
    return table


def _beliefs(rows: list[tuple[str, Risk]]) -> Table:
    table = Table(
        title="[bold]How sure can the attacker become?[/bold]", title_justify="left", title_style="", header_style="dim"
    )
    table.add_column("sure beforehand")
    for prior in PRIORS:
        table.add_column(f"{prior:.0%}", justify="right")
    for name, risk in rows:
        table.add_row(name, *(f"{value:.1%}" for value in risk.belief))
    return table


def find_rates(loss: Loss) -> np.ndarray:
    """Return the rates of false alarms at which the curve is drawn: evenly, and where its corner is.

    A curve of pure differential privacy has a corner where as many are missed as are accused; a curve is symmetric,
    so it is found by halving.
    """
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if loss.tradeoff(middle).low > middle else (low, middle)
    even = np.linspace(0, 1, 41)
    return np.unique(np.concatenate([even, [low], np.linspace(0, even[1], 9)]))


def draw(loss: Loss, path: Path) -> None:
    """Draw the trade-off curve between the lines of no privacy and of perfect privacy."""
    try:
        import matplotlib.figure
    except ImportError:
        raise DiscreetError("plots need matplotlib: pip install 'discreet[plot]'") from None
    rates = find_rates(loss)
    missed = np.array([loss.tradeoff(float(rate)).low for rate in rates])
    figure = matplotlib.figure.Figure(figsize=(5.5, 5.2), dpi=150)
    axes = figure.add_subplot()
    axes.fill_between(rates, missed, 1 - rates, color="tab:cyan", alpha=0.15)
    axes.plot(rates, 1 - rates, color="grey", linestyle="--", label="perfect privacy: guessing")
    axes.plot(rates, missed, color="tab:blue", linewidth=2, label="the best attacker")
    axes.plot([0, 0, 1], [1, 0, 0], color="tab:red", linestyle=":", linewidth=2, label="no privacy")
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal", title=f"{loss!r}")
    axes.set_xlabel("false alarms: share of people not in the data who are accused")
    axes.set_ylabel("misses: share of people in the data not found")
    axes.legend(loc="upper right", frameon=False)
    figure.tight_layout()
    figure.savefig(path)
