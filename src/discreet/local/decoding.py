"""What a collection says: estimated frequencies as a table, as text, and as a picture with error bars."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet.answers.export import write_json_document
from discreet.answers.fields import Bounds, Field, Row
from discreet.answers.picture import draw_picture
from discreet.answers.sheet import Sheet
from discreet.answers.table import AnswerTable
from discreet.answers.text import render_text
from discreet.base import check
from discreet.base.errors import DiscreetError
from discreet.base.types import Type
from discreet.base.wide import Ints
from discreet.local.client import Choices
from discreet.local.collector import Collection
from discreet.local.estimates import Frequencies, estimate
from discreet.local.oracles.find import find_oracle
from discreet.local.oracles.oracle import ItemOracle

MALICIOUS = 0.01
"""The share of reports whose power to mislead is shown, if nobody says how many there may be."""


@dataclass(frozen=True, eq=False)
class Decoded:
    """Estimates from a collection, the most frequent value first.

    With `top`, only so many are shown. They were chosen by their noise too, so intervals then hold for all at once.
    """

    collection: Collection
    frequencies: Frequencies
    top: int | None = None

    @property
    def order(self) -> Ints:
        """The places of the values that are shown."""
        return np.argsort(-self.frequencies.raw, kind="stable")[: self.top]

    def table(self) -> AnswerTable:
        """Return everything about every value that is shown, for files."""
        found, order = self.frequencies, self.order
        numbers = {
            "frequency": found.raw,
            "standard_error": found.errors,
            "low": found.low,
            "high": found.high,
            "all_low": found.all_low,
            "all_high": found.all_high,
            "consistent": found.consistent,
        }
        fields = [Field("value", Type.TEXT, False), *(Field(name, Type.FLOAT, True) for name in numbers)]
        columns = [[found.names[place] for place in order], *(each[order].tolist() for each in numbers.values())]
        return AnswerTable(tuple(fields), tuple(zip(*columns, strict=True)))

    def sheet(self, simultaneous: bool = False, malicious: int | None = None, short: bool = False) -> Sheet:
        """Return what is shown to a person; a `short` one has frequencies alone."""
        found, together = self.frequencies, simultaneous or self.top is not None
        low, high = (found.all_low, found.all_high) if together else (found.low, found.high)
        fields = [Field("value", Type.TEXT, False), Field("frequency", Type.FLOAT, True)]
        others = [] if short else [found.errors, found.consistent]
        fields += [] if short else [Field(name, Type.FLOAT, True) for name in ("standard error", "consistent")]
        rows: list[Row] = []
        bounds: list[Bounds] = []
        for place in self.order.tolist():
            shown = (round_number(float(each[place])) for each in others)
            rows.append((found.names[place], float(found.raw[place]), *shown))
            bounds.append((None, (float(low[place]), float(high[place])), *[None] * len(others)))
        said = (None, self.guarantee, "", tuple(self.notes(malicious)))
        return Sheet(tuple(fields), tuple(rows), tuple(bounds), found.confidence, together, *said)

    @property
    def guarantee(self) -> str:
        """What a person who reported can rely on, whoever collects."""
        metric = self.collection.metric
        words = f"each report is {metric.mechanism.epsilon:.4g}-differentially private before it is sent"
        daily = "" if metric.daily is None else f", {metric.daily:g} on one day"
        return f"{words}; a person's client tells at most {metric.lifetime:g} in a lifetime{daily}"

    def notes(self, malicious: int | None = None) -> list[str]:
        """Return what a reader should know beside the numbers."""
        found, faults = self.frequencies, self.collection.intake.faults
        several = round(MALICIOUS * found.reports) if malicious is None else malicious
        people = f"{several:,} malicious report{'' if several == 1 else 's'}"
        notes = [
            f"{found.reports:,} reports by {self.collection.metric.mechanism.kind}; the smallest frequency that stands "
            f"out of the noise, half of the times, is {found.detectable:.2g}",
            f"{people} can move a frequency by {several * found.shift:.2g} at most",
            "consistent: the nearest numbers that are not below 0 and add up to 1; biased, and without intervals",
        ]
        if faults:
            listed = ", ".join(f"{count:,} {fault}" for fault, count in faults.items())
            notes.append(f"put aside, and not counted: {listed}")
        return notes

    def text(self, width: int, simultaneous: bool, malicious: int | None, encoding: str, rows: int | None) -> str:
        """Return a table with error bars, and the notes below it."""
        return render_text(self.sheet(simultaneous, malicious), width, encoding, rows)

    def to_json(self) -> str:
        """Return everything as one JSON object."""
        found, metric, table = self.frequencies, self.collection.metric, self.table()
        faults = {fault.value: count for fault, count in self.collection.intake.faults.items()}
        parts = {
            "metric": metric.name,
            "mechanism": metric.mechanism.kind,
            "epsilon": metric.mechanism.epsilon,
            "lifetime": metric.lifetime,
            "daily": metric.daily,
            "reports": found.reports,
            "put_aside": faults,
            "confidence": found.confidence,
            "detectable": found.detectable,
            "shift_of_one_malicious_report": found.shift,
            "columns": list(table.names),
            "rows": table.rows,
        }
        return write_json_document(parts)

    def plot(self, path: Path | None, simultaneous: bool = False) -> Any:
        """Draw the frequencies with their intervals; return the figure, saved where a path is given."""
        return draw_picture(self.sheet(simultaneous, short=True), path)


def decode(collection: Collection, confidence: float = 0.95, top: int | None = None) -> Decoded:
    """Return the estimates of a collection of choices."""
    metric, tally = collection.metric, collection.intake.tally
    oracle = find_oracle(metric.mechanism)
    if not isinstance(oracle, ItemOracle) or not isinstance(metric.domain, Choices):
        raise DiscreetError(f"{metric.name} has {metric.domain.kind} by {metric.mechanism.kind}: this decodes choices")
    if not tally.reports:
        raise DiscreetError(f"no sound report of {metric.name} has come yet: there is nothing to estimate from")
    if top is not None:
        check.integer("top", top, least=1)
    found = estimate(oracle, metric.domain.names, tally.reports, tally.counts, confidence)
    return Decoded(collection, found, top)


def round_number(value: float) -> float:
    """Return a number with three digits, for a narrow column."""
    return float(f"{value:.3g}")
