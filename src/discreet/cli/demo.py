"""`discreet demo`: three private answers about an invented town, each beside the truth it protects."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from discreet.mechanisms import Exponential, Laplace
from discreet.privacy import Loss

COLOURS = ("brown", "blue", "hazel", "green", "grey")
DECADES = tuple(f"{low}-{low + 9}" for low in range(0, 100, 10))


def show(console: Console | None = None) -> None:
    """Draw the demo."""
    console = console or Console(highlight=False)
    ages, eyes = _town()
    console.print(
        f"\n[bold]An invented town of {len(ages):,} people.[/bold] Each answer below is differentially private: it"
        " would come out nearly as likely if any one person had stayed away.\n"
        "The truth is shown only here, to compare; a released answer never shows it.\n"
    )
    losses = [_count(console, ages), _histogram(console, ages), _favourite(console, eyes)]
    total = sum(loss.pure for loss in losses)
    console.print(
        f"Costs about the same people add up: [bold]epsilon {total:.3g}[/bold] for all three. Run it again, and every "
        "answer comes out a little different.\n"
    )


def _town(people: int = 5_000) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Invent ages and eye colours; the data is made up anew each time, so that nothing here is anybody's."""
    chance = np.random.default_rng()
    ages = np.clip(chance.gamma(4.0, 10.0, people), 0, 99).astype(np.int64)
    return ages, chance.choice(len(COLOURS), people, p=[0.38, 0.36, 0.14, 0.09, 0.03])


def _count(console: Console, ages: NDArray[np.int64]) -> Loss:
    truth = int(np.sum(ages >= 65))
    mechanism = Laplace.calibrate(epsilon=0.1)
    answer, width = mechanism.release(truth), mechanism.interval(0.95)
    table = _table("1. How many are 65 or older?", "answer", "95 % interval", "cost", "truth", "error")
    table.add_row(
        f"[bold]{answer:,}[/bold]",
        f"{answer - width:,} to {answer + width:,}",
        _cost(mechanism.loss(1)),
        f"{truth:,}",
        f"{answer - truth:+,}",
    )
    console.print(table)
    console.print()
    return mechanism.loss(1)


def _histogram(console: Console, ages: NDArray[np.int64]) -> Loss:
    truth = np.bincount(ages // 10, minlength=len(DECADES))
    mechanism = Laplace.calibrate(epsilon=0.1, sensitivity=1, dim=len(DECADES))
    answer = mechanism.release(truth)
    width = mechanism.interval(0.95, values=len(DECADES))
    table = _table("2. How old are they?", "age", "answer", "drawn to scale", "truth", "error")
    room = max(8, min(40, console.width - 42))
    full, light = ("█", "░") if "utf" in console.encoding else ("#", "-")
    longest = max(int(answer.max()) + width, 1)
    for decade, noisy, true in zip(DECADES, answer.tolist(), truth.tolist(), strict=True):
        low, high = (round(room * max(0, end) / longest) for end in (noisy - width, noisy + width))
        bar = f"[cyan]{full * low}[/cyan][dim cyan]{light * (high - low)}[/dim cyan]"
        table.add_row(decade, f"[bold]{noisy:,}[/bold]", bar, f"{true:,}", f"{noisy - true:+,}")
    console.print(table)
    loss = mechanism.loss(1, dim=len(DECADES))
    console.print(
        f"   All ten together: {_cost(loss)}; at 95 % all lie within {width}, drawn [dim cyan]{light}[/dim cyan].\n"
    )
    return loss


def _favourite(console: Console, eyes: NDArray[np.int64]) -> Loss:
    counts = np.bincount(eyes, minlength=len(COLOURS))
    mechanism = Exponential.calibrate(epsilon=0.1, sensitivity=1, monotone=True)
    chosen = mechanism.release(counts)
    best = int(counts.argmax())
    shortfall = mechanism.shortfall(0.95, candidates=len(COLOURS))
    table = _table("3. Which eye colour is most common?", "answer", "at 95 %", "cost", "truth", "short by")
    table.add_row(
        f"[bold]{COLOURS[chosen]}[/bold]",
        f"at most {math.ceil(shortfall)} short of the top",
        _cost(mechanism.loss(1)),
        COLOURS[best],
        f"{counts[best] - counts[chosen]:,}",
    )
    console.print(table)
    console.print()
    return mechanism.loss(1)


def _table(title: str, *columns: str) -> Table:
    table = Table(title=f"[bold]{title}[/bold]", title_justify="left", title_style="", header_style="dim")
    for name in columns:
        table.add_column(name, justify="right" if name in ("answer", "truth", "error", "short by") else "left")
    return table


def _cost(loss: Loss) -> str:
    return f"epsilon {loss.pure:.3g}"
