"""Pictures of attacks, in the style of answers: what is unprotected in orange, what a curator gave in blue."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from discreet.answers.picture_parts import quote_label, write_tick
from discreet.audit.attacks.picture_frame import (
    finish_picture,
    leave_room,
    put_legend_above,
    start_picture,
    write_percents,
    write_whole_numbers,
)
from discreet.audit.attacks.telling import write_guessed, write_percent
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.noise.coin import Bools

BARE, SAFE, OTHER, YELLOW, GREY = "#d55e00", "#0072b2", "#009e73", "#e69f00", "0.45"
CLEAR = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
"""What lies behind words, so that no line runs through them."""

MARKS = "os^"
"""Of each method of an attack."""

NotedLine = tuple[str, Sequence[float], Sequence[float]]
"""A label, places and heights."""


def draw_differences(sides: Sequence[tuple[str, Ints]], has: Bools, below: str, path: Path | None) -> Any:
    """Draw the difference of both counts for all targets, those with the secret beside those without."""
    figure, panels = start_picture(len(sides), 3.4)
    for axes, (title, values) in zip(panels, sides, strict=True):
        low, high = min(int(values.min()), -1), max(int(values.max()), 2)
        step = max(1, math.ceil((high - low) / 24))
        edges = np.arange(low, high + step + 1, step) - 0.5
        for mask, colour, label in ((has, BARE, "has the secret"), (~has, SAFE, "has not")):
            axes.hist(values[mask], bins=edges, color=colour, alpha=0.55, label=label, edgecolor="white", linewidth=0.4)
        axes.set_title(title, loc="left", fontsize=10)
        axes.set_xlabel("difference of the two counts", fontsize=9)
        axes.set_xlim(min(edges[0], -2), max(edges[-1], 3))
        write_whole_numbers(axes)
    panels[0].set_ylabel("targets", fontsize=9)
    leave_room(panels[-1])
    panels[-1].legend(fontsize=8, frameon=False, loc="upper right")
    return finish_picture(figure, below, path)


def draw_reconstruction(
    curves: Sequence[NotedLine], guards: Sequence[tuple[str, float, NotedLine]], below: str, path: Path | None
) -> Any:
    """Draw the share of bits found against the noise of one answer; a curator's points, each beside its bound."""
    figure, (axes,) = start_picture(1, 4.6)
    every = sorted({each for _, at, _ in curves for each in at})
    least = min((each for each in [*every, *(at for *_, (_, own, _) in guards for at in own)] if each), default=1.0) / 2
    for (label, at, heights), colour, mark in zip(curves, (BARE, YELLOW, GREY), MARKS, strict=False):
        axes.plot(np.maximum(at, least), heights, color=colour, marker=mark, markersize=4, label=label)
    for place, ((words, bound, (label, at, heights)), colour) in enumerate(zip(guards, (SAFE, OTHER), strict=False)):
        for each, (noise, height, mark) in enumerate(zip(at, heights, MARKS, strict=False)):
            shown = {"color": colour, "marker": mark, "markersize": 9 - 3 * place, "linestyle": "", "zorder": 3}
            axes.plot([max(noise, least)], [height], label="_" if each else f"{label}: noise {noise:.3g}", **shown)
        axes.axhline(bound, color=colour, linestyle=(5 * place, (5, 5)), linewidth=1.2, label=words)
    axes.axhline(0.5, color=GREY, linestyle=":", linewidth=1, label="tossing coins")
    axes.set_xscale("log")
    axes.set_xticks(np.maximum(every, least), [f"{each:.3g}" for each in every], fontsize=8)
    axes.minorticks_off()
    least_found = min([0.45, *(min(heights) for _, _, (_, _, heights) in guards)])
    axes.set_ylim(max(0.0, least_found - 0.05), 1.02)
    write_percents(axes)
    axes.set_xlabel("standard deviation of the noise in each answer", fontsize=9)
    axes.set_ylabel("secret bits found", fontsize=9)
    put_legend_above(axes)
    return finish_picture(figure, below, path)


def draw_tracing(
    members: Floats, outsiders: Floats, curves: Sequence[NotedLine], most: NotedLine, below: str, path: Path | None
) -> Any:
    """Draw scores of members and outsiders, and members caught against false alarms below the most that is allowed."""
    figure, (left, right) = start_picture(2, 4.0)
    edges = np.linspace(min(members.min(), outsiders.min()), max(members.max(), outsiders.max()), 50)
    for values, colour, label in ((members, BARE, "members"), (outsiders, SAFE, "outsiders")):
        left.hist(values, bins=edges, color=colour, alpha=0.55, label=label)
    left.set_title("scores on exact means", loc="left", fontsize=10)
    left.set_xlabel("how far the means lean towards a person", fontsize=9)
    left.set_ylabel("people", fontsize=9)
    write_whole_numbers(left)
    leave_room(left)
    left.legend(fontsize=8, frameon=False, loc="upper left")
    for (label, at, heights), colour in zip(curves, (BARE, SAFE), strict=True):
        right.plot(at, heights, color=colour, label=label, clip_on=False)
    label, at, heights = most
    right.plot(at, heights, color=GREY, linestyle="--", linewidth=1, label=label)
    right.plot([0, 1], [0, 1], color=GREY, linestyle=":", linewidth=1, label="tossing coins")
    right.set(xlim=(0, 1), ylim=(0, 1.01))
    right.set_ylabel("members caught", fontsize=9)
    right.set_xlabel("outsiders taken for members", fontsize=9)
    write_percents(right, both=True)
    put_legend_above(right, 1)
    return finish_picture(figure, below, path)


def draw_linkage(
    sizes: Sequence[tuple[str, int]],
    columns: str,
    bars: Sequence[tuple[str, float | None, float | None]],
    below: str,
    path: Path | None,
) -> Any:
    """Draw how many people share their combination with how many, and the shares that are found before and after."""
    figure, (left, right) = start_picture(2, 3.6)
    names, counts = zip(*sizes, strict=True)
    left.bar(range(len(names)), counts, color=[BARE, *("0.7" for _ in names[1:])], width=0.7)
    left.set_xticks(range(len(names)), names, fontsize=7)
    left.set_title("people who share their combination", loc="left", fontsize=10)
    left.set_xlabel(quote_label(f"people with the same {columns}"), fontsize=9)
    left.set_ylabel("people", fontsize=9)
    _note(left, 0, counts[0], f"{counts[0]:,} found")
    left.margins(y=0.12)
    write_whole_numbers(left, "y")
    left.set_xlim(-0.9, len(names) - 0.4)
    for place, (_, bare, safe) in enumerate(bars):
        for shift, share, colour, label in (
            (-0.2, bare, BARE, "the table without names"),
            (0.2, safe, SAFE, "the curator's release"),
        ):
            right.bar([place + shift], [share or 0.0], width=0.36, color=colour, label="_" if place else label)
            _note(right, place + shift, share or 0.0, write_guessed(share))
    right.set_xticks(range(len(bars)), [name for name, _, _ in bars], fontsize=8)
    right.set_title("what a register of names finds", loc="left", fontsize=10)
    right.set_ylim(0, 1.35)
    right.set_yticks([0, 0.25, 0.5, 0.75, 1])
    write_percents(right)
    right.legend(fontsize=8, frameon=False, loc="upper right")
    return finish_picture(figure, below, path)


def draw_averages(truth: int, ways: Sequence[tuple[str, Floats]], ending: str, below: str, path: Path | None) -> Any:
    """Draw the mean of all answers so far beside the truth, for each way to ask; the last one has an end, in words."""
    figure, (axes,) = start_picture(1, 4.2)
    axes.axhline(truth, color=GREY, linestyle=":", linewidth=1.2, label=f"the truth: {truth:,}")
    for (label, means), colour, mark in zip(ways, (BARE, SAFE, OTHER), ("o", "s", "X"), strict=True):
        last = {"marker": mark, "markevery": [len(means) - 1], "markersize": 11 if mark == "s" else 7}
        shown = last if len(means) == 1 or mark == "X" else {}
        axes.plot(np.arange(1, len(means) + 1), means, color=colour, label=label, linewidth=1.6, **shown)
    longest = max(10, *(len(means) for _, means in ways))
    end, late = (len(means), float(means[-1])), len(means) ** 2 > longest
    words = {"textcoords": "offset points", "fontsize": 8, "color": OTHER, "bbox": CLEAR}
    axes.annotate(ending, end, (-10 if late else 10, -14), ha="right" if late else "left", **words)
    axes.margins(y=0.15)
    axes.set_xscale("log")
    axes.set_xlim(0.9, 1.1 * longest)
    axes.minorticks_off()
    axes.xaxis.set_major_formatter(lambda value, _: write_tick(value))
    axes.yaxis.set_major_formatter(lambda value, _: write_tick(value))
    axes.set_xlabel("times the question was asked", fontsize=9)
    axes.set_ylabel("mean of all answers", fontsize=9)
    put_legend_above(axes)
    return finish_picture(figure, below, path)


def draw_bits(
    certain: Sequence[float], right: Sequence[float], bound: tuple[str, float], below: str, path: Path | None
) -> Any:
    """Draw which answers one count alone can give, and how many guesses are right, for both noises."""
    figure, panels = start_picture(2, 3.4)
    titles = ("answers that one count alone can give", "right guesses")
    for axes, title, shares in zip(panels, titles, (certain, right), strict=True):
        for place, (share, colour) in enumerate(zip(shares, (BARE, SAFE), strict=True)):
            axes.bar([place], [share], color=colour, width=0.6)
            _note(axes, place, share, write_percent(share))
        axes.set_xticks([0, 1], ["noise in floats", "noise of ours"], fontsize=9)
        axes.set_title(title, loc="left", fontsize=10)
        axes.set_ylim(0, 1.12)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
        write_percents(axes)
    words, height = bound
    panels[1].axhline(height, color=GREY, linestyle="--", linewidth=1)
    panels[1].annotate(words, (1.3, height), (0, 16), textcoords="offset points", fontsize=8, color=GREY, ha="right")
    return finish_picture(figure, below, path)


def _note(axes: Any, place: float, height: float, words: str) -> None:
    shown = {"textcoords": "offset points", "ha": "center", "fontsize": 8, "bbox": CLEAR}
    axes.annotate(words, (place, height), (0, 4), **shown)
