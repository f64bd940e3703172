"""The route: counts of a table's online columns from earlier releases, or from a histogram that is bought once."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

import numpy as np

from discreet.base.errors import BudgetError, SuspendedError, TakenError
from discreet.curator.asking.outlook import Outlook, describe_share
from discreet.curator.asking.prepared import Prepared
from discreet.curator.asking.routes import Recorded, Routed
from discreet.ledger import Keepsake
from discreet.mechanisms import Laplace
from discreet.plan.relations import Scan
from discreet.policy.model import Policy, Table
from discreet.privacy.budget import BudgetFilter
from discreet.synthetic.online.answering import AskedCells, Paid, bound_cells, bound_inference, make_answer
from discreet.synthetic.online.book import Book, HistogramTerms
from discreet.synthetic.online.counts import CellCounts
from discreet.synthetic.online.frame import Frame, make_frame
from discreet.synthetic.online.reading import find_noise, read_counts
from discreet.synthetic.online.shelf import Shelf, note_counts, note_purchase
from discreet.synthetic.online.ways import Awaited, Inferred, Purchase, Way, choose_way

WOULD_INFER = "asking would infer it from earlier answers (entries {})"
WOULD_READ = "asking would answer from the noisy histogram of entry {}, which was bought before"
WOULD_BUY = "asking would buy a noisy histogram of the online columns and answer from it"


@dataclass(frozen=True)
class HistogramOrder:
    """The question of a histogram, and what is to be kept with its charge, if that is a new one."""

    histogram: Prepared
    keep: tuple[Keepsake, ...] = ()


class OnlineRoute:
    """Answers counts of the columns that `[tables.T.online]` names; threads may share it."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._shelf = Shelf()
        self._frames: dict[str, Frame | None] = {}
        self._reading, self._buying = threading.RLock(), threading.Lock()

    def answer(self, prepared: Prepared, records: Recorded) -> Routed | Keepsake | None:
        """Return an answer that needs no new run, or buy a histogram where that is worth it; else what is to be kept.

        Which of these depends on the ledger's charges and on public facts alone.
        """
        asked = self._read(prepared, records)
        if asked is None:
            return None
        with self._reading:
            way, book = self._choose(asked, records)
            found = make_answer(asked, way, book, records)
        if found is None and isinstance(way, Purchase | Awaited):
            found = self._buy(asked, records)
        if found is not None:
            return found
        noise, identity = find_noise(prepared), prepared.request.identity
        assert noise is not None
        return note_counts(identity, asked.name, asked.frame.table.name, asked.counts, noise, None)

    def describe(self, prepared: Prepared, records: Recorded) -> Outlook | None:
        """Say which way would answer now, what it would cost and how well it would do."""
        asked = self._read(prepared, records)
        if asked is None:
            return None
        with self._reading:
            way, book = self._choose(asked, records)
            if isinstance(way, Purchase):
                order = self._prepare_purchase(asked, way.price, book, records)
                noise = None if order is None else find_noise(order.histogram)
                if order is None or noise is None:
                    return None
                number = len(book.histograms) + 1
                return Outlook(WOULD_BUY, order.histogram.priced.guarantee, bound_cells(asked.counts, noise, number))
        if way is None:
            return None
        if isinstance(way, Inferred):
            entries = tuple(book.releases[place].entry for place in way.inference.used)
            words = WOULD_INFER.format(", ".join(str(entry) for entry in entries))
            width = bound_inference(way.inference, book)
        else:
            entries, words = (way.release.entry,), WOULD_READ.format(way.release.entry)
            width = bound_cells(asked.counts, way.release.noise, book.histograms.index(way.release) + 1)
        return Outlook(words, describe_share(records.ledger, entries, records.analyst), width)

    def _read(self, prepared: Prepared, records: Recorded) -> AskedCells | None:
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
        return AskedCells(prepared, frame, name, counts, float(noise.interval(confidence)), 1 - confidence)

    def _make_frame(self, table: Table, records: Recorded) -> Frame | None:
        assert table.online is not None
        epsilon = table.online.epsilon
        return make_frame(table, records.catalog, lambda text: records.prepare(text, epsilon))

    def _choose(self, asked: AskedCells, records: Recorded) -> tuple[Way, Book]:
        self._shelf.update(records.ledger)
        book = self._shelf.find_book(asked.name, asked.miss)
        terms = self._set_terms(asked, records)
        way = choose_way(
            book, asked.counts, asked.width, terms, lambda used: records.ledger.has_room(used, records.analyst)
        )
        return way, book

    def _set_terms(self, asked: AskedCells, records: Recorded) -> HistogramTerms:
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

    def _buy(self, asked: AskedCells, records: Recorded) -> Routed | None:
        """Buy a histogram in the asker's name and answer from it; nothing where that does not fit into a cap.

        One at a time in this process, and decided anew: somebody else may have bought one meanwhile. Among processes
        the ledger lets one charge at most have a purchase's number; whoever comes second pays nothing for one.
        """
        with self._buying:
            with self._reading:
                way, book = self._choose(asked, records)
                if isinstance(way, Awaited):
                    order = self._prepare_again(asked, way, records)
                elif isinstance(way, Purchase):
                    order = self._prepare_purchase(asked, way.price, book, records)
                else:
                    return make_answer(asked, way, book, records)
            if order is None:
                return None
            paid: Paid | None = None
            try:
                paid = records.buy(order.histogram, order.keep), order.histogram.priced.guarantee
            except TakenError:
                pass  # somebody else bought one first, which may answer
            except (BudgetError, SuspendedError):
                return None  # whoever is suspended is told so when the question is asked directly
        with self._reading:
            way, book = self._choose(asked, records)
            return make_answer(asked, way, book, records, paid)

    def _prepare_again(self, asked: AskedCells, way: Awaited, records: Recorded) -> HistogramOrder | None:
        """Return the question of a histogram that was paid for: the same charge, which is run again or waited for."""
        paid = self._shelf.find_purchase(way.release.entry)
        again = records.prepare(asked.frame.text, **{paid.currency: paid.amount})
        return HistogramOrder(again) if again.request.identity == paid.identity else None

    def _prepare_purchase(
        self, asked: AskedCells, price: Fraction, book: Book, records: Recorded
    ) -> HistogramOrder | None:
        """Return the histogram's question at this price, or nothing where it would not do what it is bought for."""
        terms, amount = self._set_terms(asked, records), _round_up(price)
        currency = "rho" if terms.by_rho else "epsilon"
        bought = records.prepare(asked.frame.text, **{currency: amount})
        while records.ledger.answered(bought.request):  # somebody asked for just this themselves, so it is no purchase
            amount = _round_up(amount * Fraction(1001, 1000))
            bought = records.prepare(asked.frame.text, **{currency: amount})
        noise, charge = find_noise(bought), bought.priced.charge
        if noise is None or isinstance(noise, Laplace) is terms.by_rho or bought.operation.plan != asked.frame.plan:
            return None
        if terms.amount(charge) > book.find_allowance(terms) or not self._is_allowed(asked.frame.table, bought):
            return None
        if max(asked.counts.bound(noise, asked.miss, len(book.histograms) + 1), default=0) > asked.width:
            return None
        table, identity = asked.frame.table.name, bought.request.identity
        cells = CellCounts(asked.frame.shape, _list_cells(asked.frame), asked.frame.cells)
        note = note_counts(identity, asked.name, table, cells, noise, (currency, amount))
        return HistogramOrder(bought, (note_purchase(table, len(self._shelf.list_bought(table)) + 1, identity), note))

    def _is_allowed(self, table: Table, bought: Prepared) -> bool:
        """Say whether all histograms of a table, this one included, stay within what the policy lets them cost."""
        assert table.online is not None
        left: BudgetFilter | None = BudgetFilter(table.online.epsilon, self._policy.delta)
        for charge in (*self._shelf.list_bought(table.name), bought.priced.charge):
            left = None if left is None else left.take(charge)
        return left is not None


def _list_cells(frame: Frame) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Return for each cell the place of its count among the keys of the frame's question."""
    places = np.empty(frame.cells, dtype=np.int32)
    places[frame.order_cells()] = np.arange(frame.cells, dtype=np.int32)
    return places


def _round_up(price: Fraction) -> Fraction:
    """Return a price to four digits, rounded up."""
    return Fraction(Context(prec=4, rounding=ROUND_CEILING).create_decimal(Decimal(float(price))))
