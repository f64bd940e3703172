"""Budgets as pictures: how much of a cap is spent, question by question, and over time."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.server.console.markup import Element, tag

WIDTH = 600.0


def draw_meter(name: str, spent: float, *, marks: Sequence[tuple[float, str]] = ()) -> Element:
    """Return a bar of how much is spent, from 0 to 1; marks are parts of it with their words, the first first."""
    held = min(max(spent, 0.0), 1.0)
    parts = []
    if marks and (total := sum(size for size, _ in marks)) > 0:
        at = 0.0
        for place, (size, words) in enumerate(marks):
            width = WIDTH * held * size / total
            gap = 1.0 if width > 3 and place < len(marks) - 1 else 0.0
            whole = tag("title", words)
            parts.append(
                tag("rect", whole, x=at, y=0.0, width=max(width - gap, 0.3), height=14.0, class_=f"part{place % 2}")
            )
            at += width
    else:
        parts.append(tag("rect", x=0.0, y=0.0, width=WIDTH * held, height=14.0, class_="part0"))
    return tag(
        "svg",
        tag("rect", x=0.0, y=0.0, width=WIDTH, height=14.0, class_="left"),
        parts,
        viewBox=f"0 0 {WIDTH:g} 14",
        preserveAspectRatio="none",
        class_="meter",
        role="img",
        aria_label=f"{name}: {write_share(held)} spent, {write_share(1 - held)} left",
    )


def write_share(share: float) -> str:
    """Return a share in percent, with digits where they matter.

    >>> write_share(0.0004), write_share(0.123), write_share(0.5), write_share(0), write_share(1), write_share(0.9999)
    ('0.04 %', '12.3 %', '50 %', '0 %', '100 %', '99.99 %')
    """
    percent = 100 * share
    digits = 2 if percent < 1 or 99 < percent < 100 else 1
    return f"{percent:.{digits}f}".rstrip("0").rstrip(".") + " %"
