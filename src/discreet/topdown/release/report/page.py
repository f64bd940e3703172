"""The quality report as one page without scripts; everything on it is public."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from discreet.answers.drawing import box, choose_ticks, draw, label, safe, stroke
from discreet.answers.export import replacing
from discreet.answers.page import check_page, wrap_page
from discreet.policy.exact import write_number
from discreet.topdown.release.census_release import CensusRelease
from discreet.topdown.release.report.icicle import draw_icicle
from discreet.topdown.release.report.quality import (
    CensusQuality,
    count_replications,
    measure_quality,
    name_class,
)
from discreet.topdown.spec.allocation import write_epsilon, write_rho


def write_report(release: CensusRelease | str | Path, path: str | Path) -> Path:
    """Write the quality report of a finished release to an HTML file, and return it."""
    target = check_page(path)
    found = release if isinstance(release, CensusRelease) else CensusRelease.open(release)
    page = render_page(measure_quality(found))
    with replacing(target) as part:
        part.write_text(page, encoding="utf-8")
    return target


def render_page(quality: CensusQuality) -> str:
    """Return the report as one HTML page."""
    told = quality.release.told
    parts = [
        f"<h1>Census release of {safe(told['table'])}</h1>",
        '<p class="soft">Released numbers, public facts and simulations only: this page may be shown to anybody.</p>',
        _show_facts(quality),
        "<h2>What is guaranteed</h2>",
        _show_guarantee(quality),
    ]
    if quality.queries:
        parts += _show_errors(quality)
    parts += [
        "<h2>How the numbers were found</h2>",
        '<p class="soft small">Each solve is the nearest counts to the estimates that add up to their parent, none '
        "below 0, then rounded. Its gap is how far its objective may be above the least, as a part of it.</p>",
        _show_table(quality.list_solves()),
        f'<p class="card below">{"<br/>".join(safe(words) for words in quality.list_checks())}</p>',
    ]
    return wrap_page(f"Census release of {told['table']}", parts)


def _show_errors(quality: CensusQuality) -> list[str]:
    told = quality.release.told
    return [
        "<h2>Where errors are</h2>",
        f'<p class="soft small">The released counts were taken for the truth, measured with new noise and estimated '
        f"again, in {count_replications(told['replications'])}. Each row is a level; an area is as wide as it has "
        f"people, and darker the more of them are counted in a wrong cell of the query {safe(told['finest'])}.</p>",
        f'<div class="card wide">{draw_icicle(quality.levels)}</div>',
        "<h2>Errors by level and query</h2>",
        '<p class="soft small">The mean absolute error of one answer.</p>',
        _show_table(quality.list_queries()),
        "<h2>Errors by size of area</h2>",
        '<p class="soft small">Of the number of people, and the share of people in a wrong cell.</p>',
        f'<div class="card wide">{_draw_sizes(quality)}</div>',
        _show_table(quality.list_sizes()),
        *_show_cells(quality),
    ]


def _show_cells(quality: CensusQuality) -> list[str]:
    """Return errors by size of cell; their bias, where replications are enough to tell it."""
    finest = safe(quality.release.told["finest"])
    if not quality.tells_bias:
        return [
            "<h2>Errors by size of cell</h2>",
            f'<p class="soft small">Cells of {finest} by released size: {safe(quality.describe_cells())}.</p>',
            _show_table(quality.list_cells()),
        ]
    return [
        "<h2>Bias of small cells</h2>",
        f'<p class="soft small">Mean errors of the cells of {finest} by released size, signs kept; the line through a '
        "bar's end reaches two of its standard errors to both sides. No count is below 0, so empty cells gain, and "
        "others lose what these have gained. The unbiased estimates stand beside the counts in every table (`gls`)."
        "</p>",
        f'<div class="card wide">{_draw_bias(quality)}</div>',
        _show_table(quality.list_cells()),
    ]


def _show_facts(quality: CensusQuality) -> str:
    told = quality.release.told
    epsilon = told["receipt"]["epsilon"][0]
    areas = sum(count for _, count in told["levels"])
    facts = [
        (f"{told['people']:,}", "people, one row of microdata each"),
        (f"{areas:,}", f"areas in {len(told['levels'])} levels, {told['cells']:,} cells each"),
        (f"{len(told['tables']):,}", "tables with margins of error"),
        (write_epsilon(epsilon["epsilon"]), f"certified epsilon at delta {write_number(Fraction(epsilon['delta']))}"),
    ]
    shown = "".join(
        f'<div class="card"><b>{safe(number)}</b><span>{safe(words)}</span></div>' for number, words in facts
    )
    return f'<div class="facts">{shown}</div>'


def _show_guarantee(quality: CensusQuality) -> str:
    told = quality.release.told["receipt"]
    lines = [("rho", write_rho(Fraction(told["rho"])))]
    for each in told["epsilon"]:
        delta = write_number(Fraction(each["delta"]))
        lines.append(("epsilon", f"{write_epsilon(each['epsilon'])} at delta {delta}, certified"))
    lines += [("holds between", told["protects"])]
    lines += [("what was public", words) for words in told["guarantee"]]
    lines += [("receipt", told["charge"]["receipt"])]
    listed = "".join(f"<dt>{safe(name)}</dt><dd>{safe(words)}</dd>" for name, words in lines)
    return f'<div class="card"><dl>{listed}</dl></div>'


def _show_table(rows: Sequence[Sequence[str]]) -> str:
    head, *lines = rows
    kinds = ['class="number"' if place else "" for place in range(len(head))]
    top = "".join(f"<th {kind}>{safe(cell)}</th>" for cell, kind in zip(head, kinds, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td {kind}>{safe(cell)}</td>" for cell, kind in zip(line, kinds, strict=True)) + "</tr>"
        for line in lines
    )
    return f'<div class="card wide below"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def _draw_sizes(quality: CensusQuality) -> str:
    """Return bars: for each level and class of areas, the share of people in a wrong cell."""
    shown = [each for each in quality.sizes if each.least > 0]
    most = max((each.misplaced for each in shown), default=0.0) or 1.0
    left, width, high = 270.0, 560.0, 19.0
    parts = []
    for tick in choose_ticks(most):
        x = left + tick / most * width
        parts.append(stroke(f"M{x:.1f} 0V{high * len(shown):.1f}", "grid"))
        parts.append(label(x, high * len(shown) + 14, f"{tick:.0%}", 60, "middle", "soft"))
    for row, each in enumerate(shown):
        y = row * high
        parts.append(label(left - 8, y + 13, f"{each.level}, {name_class(each.least)} people", left - 10, "end"))
        parts.append(box(left, y + 3, max(each.misplaced / most * width, 1.0), high - 6, "bar", 'rx="2"'))
        words = f"{each.misplaced:.1%}, {each.areas:,} area{'' if each.areas == 1 else 's'}"
        parts.append(label(left + each.misplaced / most * width + 6, y + 13, words, 120, "start", "soft"))
    return draw(left + width + 140, high * len(shown) + 20, parts, "people in a wrong cell by size of area")


def _draw_bias(quality: CensusQuality) -> str:
    """Return bars to both sides: the mean error of cells of the finest query, by level and released size."""
    rows = [
        (level.level, name_class(each.least), each.bias, each.bias_error)
        for level in quality.finest
        for each in level.classes
        if each.bias is not None and each.bias_error is not None
    ]
    most = max((abs(bias) + 2 * off for _, _, bias, off in rows), default=0.0) or 1.0
    left, half, high = 270.0, 280.0, 17.0
    middle = left + half
    parts = [stroke(f"M{middle:.1f} 0V{high * len(rows):.1f}", "soft")]
    for row, (level, size, bias, off) in enumerate(rows):
        y, long, reach = row * high, abs(bias) / most * half, 2 * off / most * half
        parts.append(label(left - 8, y + 12, f"{level}, {size}", left - 10, "end"))
        start, end = (middle, middle + long) if bias >= 0 else (middle - long, middle - long)
        colour = "second" if bias >= 0 else "bar"
        parts.append(box(start, y + 3, max(long, 0.6), high - 6, colour, 'rx="2"'))
        parts.append(stroke(f"M{end - reach:.1f} {y + high / 2:.1f}H{end + reach:.1f}", "line"))
        parts.append(label(left + 2 * half + 8, y + 12, f"{bias:+.2f}", 70, "start", "soft"))
    return draw(left + 2 * half + 90, high * len(rows) + 8, parts, "bias by size of cell")
