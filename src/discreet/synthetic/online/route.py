"""The route: counts of a table's online columns from earlier releases, or from a histogram that is bought once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

import numpy as np

from discreet.answers import Answer, Receipt
from discreet.base.errors import BudgetError
from discreet.curator.asking.prepared import Prepared
from discreet.curator.asking.routes import Recorded, Routed
from discreet.curator.estimates.arithmetic import Interval
from discreet.curator.estimates.assemble import assemble
from discreet.curator.estimates.values import ReleasedRow, Values
from discreet.curator.release.released import Released, ReleasedSet
from discreet.mechanisms import Laplace
from discreet.plan.relations import Scan
from discreet.policy.model import Policy, Table
from discreet.privacy.budget import BudgetFilter
from discreet.synthetic.online.book import Book, HistogramTerms
from discreet.synthetic.online.counts import CellCounts
from discreet.synthetic.online.frame import Frame, make_frame
from discreet.synthetic.online.inference import Inference
from discreet.synthetic.online.reading import find_noise, read_counts
from discreet.synthetic.online.shelf import Shelf, write_note
from discreet.synthetic.online.ways import FromHistogram, Inferred, Purchase, choose_way

UNSEEN = (
    "answered by inference from earlier answers (entries {}): nothing was drawn for it. Its interval holds if this "
    "question and those were chosen without looking at their answers"
)
STORED = (
    "answered from a noisy histogram of {} that was bought once (entry {}). The intervals hold for all questions to it "
    "at once, also for those that were chosen after a look at it"
)
PAID_BEFORE = "made from answers that were paid for before; nothing was read for it"


Bought = tuple[Receipt, str]
"""The receipt of a histogram that was bought for this question, and what it guarantees."""


@dataclass(frozen=True)
class Asked:
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


class OnlineRoute:
    """Answers counts of the columns that `[tables.T.online]` names; threads may share it."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._shelf = Shelf()
        self._frames: dict[str, Frame | None] = {}
        self._reading, self._buying = threading.RLock(), threading.Lock()

    def answer(self, prepared: Prepared, records: Recorded) -> Routed | None:
        """Return an answer that needs no new run, or buy a histogram where that is worth it; else nothing.

        Which of these depends on the ledger's charges and on public facts alone.
        """
        asked = self._read(prepared, records)
        if asked is None:
            return None
        with self._reading:
            way, book = self._choose(asked, records)
            found = self._find(asked, way, book, records)
        if found is None and isinstance(way, Purchase):
            found = self._buy(asked, records)
        if found is None:
            noise = find_noise(prepared)
            assert noise is not None
            identity, table = prepared.request.identity, asked.frame.table.name
            write_note(records.ledger, identity, asked.name, table, asked.counts, noise, bought=False)
        return found

    def _read(self, prepared: Prepared, records: Recorded) -> Asked | None:
        """Return the question as counts of cells, where it is one."""
        source, noise = prepared.priced.bounded.plan.block.source, find_noise(prepared)
        table = self._policy.table(source.table) if isinstance(source, Scan) else None
        if table is None or table.online is None or noise is None:
            return None
        with self._reading:
            if table.name not in self._frames:
                self._frames[table.name] = self._make_frame(table, records)
            frame = self._frames[table.name]
        counts = None if frame is None else read_counts(prepared, frame, records.catalog)
        if frame is None or counts is None:
            return None
        confidence = float(table.online.confidence)
        name = frame.name(prepared.request.version)
        return Asked(prepared, frame, name, counts, float(noise.interval(confidence)), 1 - confidence)

    def _make_frame(self, table: Table, records: Recorded) -> Frame | None:
        assert table.online is not None
        epsilon = table.online.epsilon
        return make_frame(table, records.catalog, lambda text: records.prepare(text, epsilon))

    def _choose(self, asked: Asked, records: Recorded) -> tuple[FromHistogram | Inferred | Purchase | None, Book]:
        self._shelf.update(records.ledger)
        book = self._shelf.find_book(asked.name, asked.miss)
        terms = self._set_terms(asked, records)
        way = choose_way(
            book, asked.counts, asked.width, terms, lambda used: records.ledger.has_room(used, records.analyst)
        )
        return way, book

    def _set_terms(self, asked: Asked, records: Recorded) -> HistogramTerms:
        """Return what a histogram costs, in the currency that binds: of which less of the budget is spent.

        A budget admits while either sum fits, so the one with the smaller share is the one that runs out last.
        """
        plan, spent = asked.frame.plan, records.ledger.spent()
        (measure,) = plan.measures
        charge = asked.prepared.priced.charge
        sums = [
            float(each) + float(more) for each, more in zip(spent.spent, (charge.epsilon, charge.rho), strict=False)
        ]
        by_rho = bool(spent.delta) and sums[1] / spent.caps["rho"] <= sums[0] / spent.caps["epsilon"]
        return HistogramTerms(plan.l1(measure), plan.l2_squared(measure), by_rho)

    def _buy(self, asked: Asked, records: Recorded) -> Routed | None:
        """Buy a histogram in the asker's name and answer from it; nothing where that does not fit into a cap.

        One at a time in this process, and decided anew: somebody else may have bought one meanwhile.
        """
        with self._buying:
            with self._reading:
                way, book = self._choose(asked, records)
                if not isinstance(way, Purchase):
                    return self._find(asked, way, book, records)
                bought = self._prepare_purchase(asked, way.price, book, records)
            if bought is None:
                return None
            cells = CellCounts(asked.frame.shape, _list_cells(asked.frame), asked.frame.cells)
            noise = find_noise(bought)
            assert noise is not None
            write_note(
                records.ledger, bought.request.identity, asked.name, asked.frame.table.name, cells, noise, bought=True
            )
            try:
                receipt = records.buy(bought)
            except BudgetError:
                return None
        with self._reading:
            way, book = self._choose(asked, records)
            return self._find(asked, way, book, records, (receipt, bought.priced.guarantee))

    def _prepare_purchase(self, asked: Asked, price: Fraction, book: Book, records: Recorded) -> Prepared | None:
        """Return the histogram's question at this price, or nothing where it would not do what it is bought for."""
        terms, amount = self._set_terms(asked, records), _round_up(price)
        how = {"rho": amount} if terms.by_rho else {"epsilon": amount}
        bought = records.prepare(asked.frame.text, **how)
        noise, charge = find_noise(bought), bought.priced.charge
        if noise is None or isinstance(noise, Laplace) is terms.by_rho or bought.operation.plan != asked.frame.plan:
            return None
        if terms.amount(charge) > book.find_allowance(terms) or not self._is_allowed(asked.frame.table, bought):
            return None
        number = len(book.histograms) + 1
        return bought if max(asked.counts.bound(noise, asked.miss, number), default=0) <= asked.width else None

    def _is_allowed(self, table: Table, bought: Prepared) -> bool:
        """Say whether all histograms of a table, this one included, stay within what the policy lets them cost."""
        assert table.online is not None
        left: BudgetFilter | None = BudgetFilter(table.online.epsilon, self._policy.delta)
        for charge in (*self._shelf.list_bought(table.name), bought.priced.charge):
            left = None if left is None else left.take(charge)
        return left is not None

    def _find(
        self,
        asked: Asked,
        way: FromHistogram | Inferred | Purchase | None,
        book: Book,
        records: Recorded,
        bought: Bought | None = None,
    ) -> Routed | None:
        if isinstance(way, Inferred):
            return self._answer_inferred(asked, way.inference, book, records)
        if isinstance(way, FromHistogram):
            return self._answer_from_cells(asked, way, records, bought)
        return None

    def _answer_inferred(self, asked: Asked, inference: Inference, book: Book, records: Recorded) -> Routed | None:
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

        return _make_answer(asked, entries, tuple(values), half_width, note, None)

    def _answer_from_cells(
        self, asked: Asked, way: FromHistogram, records: Recorded, bought: Bought | None
    ) -> Routed | None:
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
        return _make_answer(asked, (way.release.entry,), tuple(totals), half_width, note, bought)


def _make_answer(
    asked: Asked,
    entries: tuple[int, ...],
    sums: tuple[int, ...],
    half_width: Callable[[int, float], float],
    note: str,
    bought: Bought | None,
) -> Routed:
    prepared = asked.prepared
    released = Released((ReleasedSet((sums,)),))

    def put_together(receipt: Receipt) -> Answer:
        values = InferredValues(prepared.question.aggregates, prepared.priced, released, half_width)
        paid, guarantee = bought or (receipt, PAID_BEFORE)
        made = assemble(prepared.question, prepared.priced, released, paid, prepared.text, values)
        return replace(made, guarantee=guarantee, notes=(note, *made.notes))

    return Routed(entries, put_together)


def _read_sums(records: Recorded, entry: int) -> tuple[int, ...] | None:
    """Return the noisy counts that a charge released, in the order of its keys."""
    measured = records.read_record(entry)
    if measured is None:
        return None
    (released,) = Released.from_bytes(measured).sets
    return released.sums[0]


def _list_cells(frame: Frame) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Return for each cell the place of its count among the keys of the frame's question."""
    places = np.empty(frame.cells, dtype=np.int32)
    places[frame.order_cells()] = np.arange(frame.cells, dtype=np.int32)
    return places


def _round_up(price: Fraction) -> Fraction:
    """Return a price to four digits, rounded up."""
    return Fraction(Context(prec=4, rounding=ROUND_CEILING).create_decimal(Decimal(float(price))))
