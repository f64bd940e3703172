"""What was measured, and how far the model is from it, in standard deviations of the noise."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from discreet.answers.drawing import box, choose_ticks, draw, label, safe, stroke, write_number
from discreet.base.grid import Floats
from discreet.mechanisms import Laplace
from discreet.synthetic.fitting import FittedModel
from discreet.synthetic.reading import Reading
from discreet.synthetic.transcript import Transcript

MOST_READINGS = 200
"""Lines of the table of readings."""

REACH, STEP = 5.0, 0.25


def find_residuals(fit: FittedModel, reading: Reading) -> Floats:
    """Return noisy answers less the model's, in standard deviations of the noise."""
    expected = reading.family.answer(0, fit.project(reading.columns))
    noisy = np.asarray(reading.answers, dtype=np.float64)
    return np.asarray((noisy - expected) / math.sqrt(reading.variance))


def draw_residuals(residuals: Sequence[Floats], readings: Sequence[Reading]) -> str:
    """Return a histogram of all residuals, and the law of the noise itself as a line."""
    together = np.concatenate(residuals)
    edges = np.arange(-REACH, REACH + STEP / 2, STEP)
    counts, _ = np.histogram(np.clip(together, -REACH, REACH), edges)
    shares = counts / max(len(together), 1)
    law = _find_law(readings, [len(each) for each in residuals], edges)
    width, height, left, bottom = 960, 240, 44, 40
    most = max(float(shares.max()), float(law.max())) * 1.05
    up, across = (height - bottom - 6) / most, (width - left - 10) / (2 * REACH)
    ground = height - bottom
    parts = []
    for tick in choose_ticks(most):
        parts.append(stroke(f"M{left} {ground - tick * up:.1f}H{width - 10}", "grid"))
        parts.append(label(left - 5, ground - tick * up + 4, f"{tick:.0%}", left, "end", "soft"))
    for edge, share in zip(edges, shares, strict=False):
        x = left + (edge + REACH) * across
        parts.append(box(x + 0.5, ground - share * up, STEP * across - 1, share * up, "bar"))
    points = [
        f"{left + (edge + STEP / 2 + REACH) * across:.1f} {ground - height_at * up:.1f}"
        for edge, height_at in zip(edges, law, strict=False)
    ]
    parts.append(stroke("M" + "L".join(points), "second", 2))
    for at in range(-5, 6):
        name = f"≤ {at}" if at == -REACH else f"≥ {at}" if at == REACH else str(at)
        x = min(max(left + (at + REACH) * across, left + 6), width - 18)
        parts.append(label(x, ground + 15, name.replace("-", "\u2212"), 40, "middle", "soft"))
    parts.append(
        label(
            (left + width) / 2,
            height - 6,
            "noisy answer less the model's, in standard deviations",
            400,
            "middle",
            "soft",
        )
    )
    return draw(width, height, parts, "residuals in standard deviations")


def _find_law(readings: Sequence[Reading], sizes: Sequence[int], edges: Floats) -> Floats:
    """Return how residuals would be spread if they were noise alone: normal, or Laplace of variance 1, by readings."""
    laplace = sum(size for size, each in zip(sizes, readings, strict=True) if isinstance(each.noise, Laplace))
    share = laplace / max(sum(sizes), 1)
    tails = np.exp(-math.sqrt(2) * np.abs(edges)) / 2
    below = share * np.where(edges < 0, tails, 1 - tails)
    below = below + (1 - share) * np.array([0.5 * math.erfc(-edge / math.sqrt(2)) for edge in edges])
    below[0], below[-1] = 0.0, 1.0
    return np.diff(below)


def show_readings(transcript: Transcript, residuals: Sequence[Floats]) -> str:
    """Return a table of all readings: columns, answers, noise, and the root mean square of their residuals."""
    names = [column.name for column in transcript.columns]
    steps = [at for at, step in enumerate(transcript.steps, 1) for _ in step]
    lines = []
    for place, (reading, each) in enumerate(zip(transcript.readings, residuals, strict=True)):
        if place == MOST_READINGS:
            break
        columns = ", ".join(names[at] for at in reading.columns) or "the number of rows"
        size = math.sqrt(float(np.mean(each**2))) if len(each) else 0.0
        lines.append(
            f'<tr><td class="number">{steps[place]}</td><td>{safe(columns)}</td><td>{safe(_name_kind(reading))}</td>'
            f'<td class="number">{len(each):,}</td><td>{safe(describe_noise(reading))}</td>'
            f'<td class="number">{write_number(math.sqrt(reading.variance))}</td>'
            f'<td class="number">{size:.2f}</td><td>{_draw_size(size)}</td></tr>'
        )
    left = len(transcript.readings) - len(lines)
    more = f'<p class="soft small">and {left:,} more readings</p>' if left else ""
    head = (
        '<tr><th class="number">step</th><th>columns</th><th>what</th><th class="number">answers</th><th>noise</th>'
        '<th class="number">deviation in rows</th><th class="number">residual</th><th></th></tr>'
    )
    return f'<div class="wide"><table><thead>{head}</thead><tbody>{"".join(lines)}</tbody></table></div>{more}'


def describe_noise(reading: Reading) -> str:
    """Say which noise a reading has."""
    if isinstance(reading.noise, Laplace):
        return f"discrete Laplace, scale {reading.noise.scale:.4g}"
    return f"discrete Gaussian, sigma {float(reading.noise.sigma):.4g}"


def _name_kind(reading: Reading) -> str:
    kind = type(reading.family).__name__
    bins = " in bins" if getattr(reading.family, "bins", ()) else ""
    known = {
        "Marginals": "table" if reading.columns else "total",
        "Tree": "tree",
        "Ranges": "range",
        "Parities": "parity",
    }
    return known.get(kind, "questions") + bins


def _draw_size(size: float) -> str:
    """Return a dot on a line from 0 to 2 deviations, with a mark at 1."""
    at = 4 + min(size, 2.0) / 2 * 92
    colour = "second" if size > 2 else "line"
    parts = [stroke("M4 7H96", "grid", 2), stroke("M50 3v8", "soft")]
    return draw(100, 14, [*parts, f'<circle cx="{at:.1f}" cy="7" r="3.5" fill="var(--{colour})"/>'], f"{size:.2f}")
