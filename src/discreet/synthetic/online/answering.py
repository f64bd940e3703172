"""Answers that are made from what was recorded: inferred from direct answers, or summed from cells of a histogram.

Noisy values are read here and nowhere else in this room. What is made of them is shown after the asker's cap paid.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from discreet.answers import Answer, Receipt
from discreet.curator.asking.prepared import Prepared
from discreet.curator.asking.routes import Recorded, Routed
from discreet.curator.estimates.arithmetic import Interval
from discreet.curator.estimates.assemble import assemble
from discreet.curator.estimates.values import ReleasedRow, Values
from discreet.curator.release.released import Released, ReleasedSet
from discreet.synthetic.online.book import Book
from discreet.synthetic.online.counts import CellCounts
from discreet.synthetic.online.frame import Frame
from discreet.synthetic.online.inference import Inference
from discreet.synthetic.online.tails import CountNoise
from discreet.synthetic.online.ways import FromHistogram, Inferred, Way

UNSEEN = (
    "answered by inference from earlier answers (entries {}): nothing was drawn for it. Its interval holds if this "
    "question and those were chosen without looking at their answers"
)
STORED = (
    "answered from a noisy histogram of {} that was bought once (entry {}). The intervals hold for all questions to it "
    "at once, also for those that were chosen after a look at it"
)
BOUGHT = (
    ". It was bought for this question, {}: more than was asked for, which later questions about these columns need "
    "not pay. `fresh` asks directly"
)
PAID_BEFORE = "made from answers that were paid for before; nothing was read for it"

Paid = tuple[Receipt, str]
"""The receipt of a histogram that was bought for this question, and what it guarantees."""


@dataclass(frozen=True)
class AskedCells:
    """A question that counts cells: what a direct answer would be like, and the frame that it belongs to."""

    prepared: Prepared
    frame: Frame
    name: str
    counts: CellCounts
    width: float
    miss: float


@dataclass(frozen=True)
class InferredValues(Values):
    """Counts that were inferred, with half-widths of their own: by the group's place and what may be missed."""

    half_width: Callable[[int, float], float]

    def interval(self, aggregate: int, row: ReleasedRow, miss: float) -> Interval:
        """Return an interval that misses the truth with at most this probability."""
        (measure,) = self.priced.bounded.sources[aggregate]
        value, half = self.released.sets[row.set].sums[measure][row.place], self.half_width(row.place, miss)
        return value - half, value + half

    def bound_total(self, aggregate: int, count: int, miss: float) -> float | None:
        """Return nothing: what was inferred for different groups may come from the same noises."""
        return None


def make_answer(asked: AskedCells, way: Way, book: Book, records: Recorded, paid: Paid | None = None) -> Routed | None:
    """Return the answer of a way that needs no new run; `paid` is for a histogram that was bought for this question."""
    if isinstance(way, Inferred):
        return _infer(asked, way.inference, book, records)
    return _add_cells(asked, way, records, paid) if isinstance(way, FromHistogram) else None


def bound_inference(inference: Inference, book: Book) -> Callable[[float], float]:
    """Return how wide the widest interval of an inference is, by its confidence."""
    noises = {place: book.releases[place].noise for place in inference.used}
    groups = range(len(inference.terms))
    return lambda confidence: max((inference.bound(noises, each, 1 - confidence) for each in groups), default=0.0)


def bound_cells(counts: CellCounts, noise: CountNoise, number: int) -> Callable[[float], float]:
    """Return how wide the widest interval is that a histogram gives, by its confidence."""
    return lambda confidence: float(max(counts.bound(noise, 1 - confidence, number), default=0))


def _infer(asked: AskedCells, inference: Inference, book: Book, records: Recorded) -> Routed | None:
    entries = tuple(book.releases[place].entry for place in inference.used)
    sums = {place: _read_sums(records, book.releases[place].entry) for place in inference.used}
    if any(found is None or len(found) != book.releases[place].counts.groups for place, found in sums.items()):
        return None
    noises = {place: book.releases[place].noise for place in inference.used}
    values = []
    for terms in inference.terms:
        total = Fraction(0)
        for place, group, factor in terms:
            total += factor * (sums[place] or ())[group]
        values.append(round(total))
    note = UNSEEN.format(", ".join(str(entry) for entry in entries))

    def half_width(group: int, miss: float) -> float:
        return inference.bound(noises, group, miss)

    return _put_together(asked, entries, tuple(values), half_width, note, None)


def _add_cells(asked: AskedCells, way: FromHistogram, records: Recorded, paid: Paid | None) -> Routed | None:
    found = _read_sums(records, way.release.entry)
    if found is None or len(found) != asked.frame.cells:
        return None
    totals = [0] * asked.counts.groups
    for group, place in zip(asked.counts.labels.tolist(), way.release.counts.labels.tolist(), strict=True):
        if group >= 0:
            totals[group] += found[place]
    names = ", ".join(column.name for column in asked.frame.columns)

    def half_width(group: int, miss: float) -> float:
        return float(asked.counts.bound_group(group, way.release.noise, miss, way.number))

    note = STORED.format(names, way.release.entry)
    if paid is not None:
        note += BOUGHT.format(paid[1])
    return _put_together(asked, (way.release.entry,), tuple(totals), half_width, note, paid)


def _put_together(
    asked: AskedCells,
    entries: tuple[int, ...],
    sums: tuple[int, ...],
    half_width: Callable[[int, float], float],
    note: str,
    paid: Paid | None,
) -> Routed:
    prepared = asked.prepared
    released = Released((ReleasedSet((sums,)),))

    def show(receipt: Receipt) -> Answer:
        values = InferredValues(prepared.question.aggregates, prepared.priced, released, half_width)
        told, guarantee = paid or (receipt, PAID_BEFORE)
        made = assemble(prepared.question, prepared.priced, released, told, prepared.text, values)
        return replace(made, guarantee=guarantee, notes=(note, *made.notes))

    return Routed(entries, show)


def _read_sums(records: Recorded, entry: int) -> tuple[int, ...] | None:
    """Return the noisy counts that a charge released, in the order of its keys."""
    measured = records.read_record(entry)
    if measured is None:
        return None
    (released,) = Released.from_bytes(measured).sets
    return released.sums[0]
