"""What a collection says: estimates as a table, as text, and as a picture with error bars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.answers.export import write_json_document
from discreet.answers.fields import Bounds, Field, Row
from discreet.answers.numbers import format_price
from discreet.answers.picture import draw_picture
from discreet.answers.sheet import Sheet
from discreet.answers.table import AnswerTable
from discreet.answers.text import render_text
from discreet.base import check
from discreet.base.errors import DiscreetError, ParameterError
from discreet.base.types import Type
from discreet.local.attributes import split_attributes
from discreet.local.client import Metric, Records
from discreet.local.counting import Intake
from discreet.local.estimates import Estimates
from discreet.local.readings import MEAN, TallyReading, take_reading

MALICIOUS = 0.01
"""The share of reports whose power to mislead is shown, if nobody says how many there may be."""

NUMBERS = ("standard_error", "low", "high", "all_low", "all_high", "consistent")

CandidateTexts = Sequence[str] | Mapping[str, Sequence[str]]


@dataclass(frozen=True, eq=False)
class Decoded:
    """Estimates from what was taken in: of the metric, or of each attribute of its records.

    Where names were chosen by their noise (the most frequent alone, or words that nobody listed), intervals are shown
    that hold for all at once: over all attributes, for records.
    """

    intake: Intake
    readings: tuple[TallyReading, ...]

    @property
    def metric(self) -> Metric:
        """What was collected."""
        return self.intake.tally.metric

    @property
    def measures(self) -> tuple[str, ...]:
        """What the numbers are: frequencies, means, or both."""
        return tuple(sorted({reading.measure for reading in self.readings}))

    @property
    def has_attributes(self) -> bool:
        """Whether there are attributes, each with numbers of its own."""
        return isinstance(self.metric.domain, Records)

    def table(self) -> AnswerTable:
        """Return everything about every number that is shown, for files."""
        measure = self.measures[0] if len(self.measures) == 1 else "estimate"
        fields = [*self._list_keys(), *(Field(name, Type.FLOAT, True) for name in (measure, *NUMBERS))]
        rows: list[Row] = []
        for reading in self.readings:
            found = reading.found
            columns = (found.raw, found.errors, found.low, found.high, found.all_low, found.all_high, found.consistent)
            lines = zip(*(column.tolist() for column in columns), strict=True)
            rows += [(*self._name(reading, place), *line) for place, line in enumerate(lines)]
        return AnswerTable(tuple(fields), tuple(rows))

    @property
    def together(self) -> bool:
        """Whether intervals must hold all at once, since noise chose what is shown."""
        return any(reading.chosen for reading in self.readings)

    def sheet(self, simultaneous: bool = False, malicious: int | None = None) -> Sheet:
        """Return what is shown to a person: a column for each measure."""
        together, others = simultaneous or self.together, ("standard error", "consistent")
        columns = list(dict.fromkeys(reading.measure for reading in self.readings))
        fields = [*self._list_keys(), *(Field(name, Type.FLOAT, True) for name in (*columns, *others))]
        rows: list[Row] = []
        bounds: list[Bounds] = []
        for reading in self.readings:
            found = reading.found
            for place, (raw, pair) in enumerate(_pair_intervals(found, together)):
                keys = self._name(reading, place)
                shown = [round_number(float(each[place])) for each in (found.errors, found.consistent)]
                rows.append((*keys, *(raw if name == reading.measure else None for name in columns), *shown))
                pairs = (pair if name == reading.measure else None for name in columns)
                bounds.append((*[None] * len(keys), *pairs, *[None] * len(shown)))
        return self._lay_out(fields, rows, bounds, together, self.notes(malicious))

    def list_panels(self, simultaneous: bool = False) -> list[Sheet]:
        """Return a sheet for each reading with rows, for a picture: each has a scale of its own."""
        together = simultaneous or self.together
        panels = []
        for reading in self.readings:
            head = f"{reading.metric.name}: {reading.measure}" if self.has_attributes else reading.measure
            fields = [Field("value", Type.TEXT, False), Field(head, Type.FLOAT, True)]
            numbers = list(_pair_intervals(reading.found, together))
            rows: list[Row] = [(name, raw) for name, (raw, _) in zip(reading.found.names, numbers, strict=True)]
            bounds: list[Bounds] = [(None, pair) for _, pair in numbers]
            panels += [self._lay_out(fields, rows, bounds, together, [])] if rows else []
        return panels

    def _lay_out(
        self, fields: list[Field], rows: list[Row], bounds: list[Bounds], together: bool, notes: list[str]
    ) -> Sheet:
        said = (None, self.guarantee, "", tuple(notes))
        confidence = self.readings[0].found.confidence
        return Sheet(tuple(fields), tuple(rows), tuple(bounds), confidence, together, *said)

    def _list_keys(self) -> list[Field]:
        names = ("attribute", "value") if self.has_attributes else ("value",)
        return [Field(name, Type.TEXT, False) for name in names]

    def _name(self, reading: TallyReading, place: int) -> tuple[str, ...]:
        name = reading.found.names[place]
        return (reading.metric.name, name) if self.has_attributes else (name,)

    @property
    def guarantee(self) -> str:
        """What a person who reported can rely on, whoever collects: numbers are rounded up."""
        metric = self.metric
        words = f"each report is {format_price(metric.mechanism.epsilon)}-differentially private before it is sent"
        alone = ", looked at alone" if metric.mechanism.remembers else ""
        daily = "" if metric.daily is None else f", {format_price(metric.daily)} on one day{alone}"
        return f"{words}; a person's client tells at most {format_price(metric.lifetime)} in a lifetime{daily}"

    def notes(self, malicious: int | None = None) -> list[str]:
        """Return what a reader should know beside the numbers."""
        own, shared, faults = list[str](), list[str](), self.intake.faults
        several = round(MALICIOUS * self.intake.tally.reports) if malicious is None else malicious
        for reading in self.readings:
            name = f"{reading.metric.name}: " if self.has_attributes else ""
            *particular, consistent = reading.describe(several)
            own += [name + note for note in particular]
            shared.append(consistent)
        notes = [*own, *dict.fromkeys(shared)]
        if faults:
            listed = ", ".join(f"{count:,} {fault}" for fault, count in faults.items())
            notes.append(f"put aside, and not counted: {listed}")
        return notes

    def text(self, width: int, simultaneous: bool, malicious: int | None, encoding: str, rows: int | None) -> str:
        """Return a table with error bars, and the notes below it."""
        return render_text(self.sheet(simultaneous, malicious), width, encoding, rows)

    def to_json(self, malicious: int | None = None) -> str:
        """Return everything as one JSON object."""
        metric, table = self.metric, self.table()
        parts = {
            "metric": metric.name,
            "mechanism": metric.mechanism.kind,
            "epsilon": metric.mechanism.epsilon,
            "lifetime": metric.lifetime,
            "daily": metric.daily,
            "reports": self.intake.tally.reports,
            "put_aside": {fault.value: count for fault, count in self.intake.faults.items()},
            "confidence": self.readings[0].found.confidence,
            "readings": [self._describe(reading) for reading in self.readings],
            "notes": self.notes(malicious),
            "columns": list(table.names),
            "rows": table.rows,
        }
        return write_json_document(parts)

    def _describe(self, reading: TallyReading) -> dict[str, Any]:
        return {
            "attribute": reading.metric.name if self.has_attributes else None,
            "measure": reading.measure,
            "mechanism": reading.metric.mechanism.kind,
            "reports": reading.found.reports,
            "detectable": reading.found.detectable,
            "shift_of_one_malicious_report": reading.found.shift,
            "compared": reading.found.compared,
            "chosen_by_noise": reading.chosen,
        }

    def plot(self, path: Path | None, simultaneous: bool = False) -> Any:
        """Draw the numbers with their intervals; return the figure, saved where a path is given."""
        panels = self.list_panels(simultaneous) or [self.sheet(simultaneous)]
        return draw_picture(panels[0], path, *panels[1:])


def decode(
    intake: Intake, confidence: float = 0.95, top: int | None = None, candidates: CandidateTexts | None = None
) -> Decoded:
    """Return the estimates of what was taken in, for every kind of metric.

    Texts are estimated for `candidates`: a list, or one for each attribute of records that has texts. `top` shows the
    most frequent alone; of words that nobody listed it is how many are looked for.
    """
    check.confidence(confidence)
    if top is not None:
        check.integer("top", top, least=1)
    tally = intake.tally
    if not tally.reports:
        raise DiscreetError(f"no sound report of {tally.metric.name} has come yet: there is nothing to estimate from")
    if not isinstance(tally.metric.domain, Records):
        if isinstance(candidates, Mapping):
            raise ParameterError("candidates", sorted(candidates), "a list: this metric has no attributes")
        return Decoded(intake, (take_reading(tally, confidence, candidates, top).show_top(top),))
    listed = _share_candidates(tally.metric.domain, candidates)
    readings = [
        take_reading(part, confidence, listed.get(name), top, tally.reports)
        for name, part in split_attributes(tally).items()
    ]
    compared = sum(reading.found.compared for reading in readings)
    return Decoded(intake, tuple(each.compare(compared).show_top(_cut(each, top)) for each in readings))


def _share_candidates(domain: Records, candidates: CandidateTexts | None) -> Mapping[str, Sequence[str]]:
    if candidates is None:
        return {}
    if not isinstance(candidates, Mapping) or not set(candidates) <= set(domain.names):
        named = sorted(candidates) if isinstance(candidates, Mapping) else candidates[:1]
        raise ParameterError("candidates", named, f"a list for each attribute with texts, of {', '.join(domain.names)}")
    return candidates


def _cut(reading: TallyReading, top: int | None) -> int | None:
    """Return how many of an attribute's numbers are shown: a mean is always."""
    return None if reading.measure == MEAN else top


def _pair_intervals(found: Estimates, together: bool) -> Iterator[tuple[float, tuple[float, float]]]:
    """Yield each number with its interval."""
    low, high = (found.all_low, found.all_high) if together else (found.low, found.high)
    return zip(found.raw.tolist(), zip(low.tolist(), high.tolist(), strict=True), strict=True)


def round_number(value: float) -> float:
    """Return a number with three digits, for a narrow column."""
    return float(f"{value:.3g}")
