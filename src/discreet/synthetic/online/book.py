"""What was released of one table's cells so far, and what a histogram may cost: public facts alone.

No noisy value is read here. Which way is taken depends on charges, on noises' scales and on the questions, so it can be
replayed from the ledger, and tells nothing that its reader does not know.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

from discreet.base.check import Exact
from discreet.privacy.charges import Charge
from discreet.synthetic.online.counts import CellCounts, Release
from discreet.synthetic.online.inference import MOST_ROWS, Inference, LeastSquares
from discreet.synthetic.online.span import CellSpan

PATIENCE = 10
"""A histogram is bought when this many times its price was spent on direct answers: so at most a tenth more is paid."""

SERVED = 0.9
"""A histogram is bought fine enough for this part of the questions that were answered directly so far."""

MARGIN = 1.02
"""How much finer a histogram is bought than is needed: whole half-widths are rounded up."""


@dataclass(frozen=True)
class HistogramTerms:
    """What a histogram costs: how far one unit moves it in L1 and, squared, in L2, and in which currency it is paid."""

    l1: int
    l2_squared: int
    by_rho: bool

    def price(self, scale: float) -> float:
        """Return what a histogram with this scale costs."""
        return self.l2_squared / (2 * scale**2) if self.by_rho else self.l1 / scale

    def amount(self, charge: Charge) -> Exact:
        """Return what a charge is in the currency that is paid."""
        return charge.rho if self.by_rho else charge.epsilon


@dataclass
class Book:
    """All releases of one table's cells on one version of the data, in the order in which they were charged."""

    miss: float
    releases: list[Release] = field(default_factory=list)
    _needs: dict[tuple[int, bool, int], float] = field(default_factory=dict)
    _solver: LeastSquares | None = None
    _span: CellSpan | None = None
    _spanned: int = 0
    _sums: dict[bool, tuple[int, Exact, Exact]] = field(default_factory=dict)

    @property
    def histograms(self) -> list[Release]:
        """Histograms that were bought, whether their answers are recorded or not."""
        return [each for each in self.releases if each.bought]

    def infer(self, counts: CellCounts, width: float) -> Inference | None:
        """Return how counts are inferred from direct answers within this half-width; None where they cannot be."""
        if not self._may_follow(counts):
            return None
        known = tuple((place, each) for place, each in enumerate(self.releases) if each.recorded and not each.bought)
        if self._solver is None or self._solver.releases != known:
            self._solver = LeastSquares(known)
        return self._solver.infer(counts, width, self.miss)

    def _may_follow(self, counts: CellCounts) -> bool:
        """Say whether counts are in the span of earlier direct ones: others are not solved for."""
        if self._span is None:
            self._span = CellSpan(counts.labels.size)
        for each in self.releases[self._spanned :]:
            if not each.bought and self._span.rank + each.counts.groups <= MOST_ROWS:
                for group in range(each.counts.groups):
                    self._span.add(each.counts.labels == group)
        self._spanned = len(self.releases)
        if counts.groups > MOST_ROWS:
            return False
        return all(self._span.holds(counts.labels == group) for group in range(counts.groups))

    def find_histogram(self, counts: CellCounts, width: float, *, recorded: bool = True) -> tuple[int, Release] | None:
        """Return the number and the release of the histogram that answers within this half-width, the finest first.

        One that is not recorded was paid for, and somebody runs it, or died while they did.
        """
        found = []
        for number, each in enumerate(self.histograms, 1):
            if each.recorded is recorded:
                widest = max(counts.bound(each.noise, self.miss, number), default=0)
                found.append((widest, number, each))
        if not found:
            return None
        widest, number, each = min(found, key=lambda one: one[:2])
        return (number, each) if widest <= width else None

    def choose_price(self, counts: CellCounts, width: float, terms: HistogramTerms) -> Fraction | None:
        """Return the price at which a histogram is to be bought now; None where a direct answer is better.

        All histograms together never cost more than a tenth of what was spent on direct answers. A direct answer is of
        a question that was not asked before, so an exact cache pays for it too: in all at most 1.1 times as much.
        """
        direct = [each for each in self.releases if not each.bought]
        left = self.find_allowance(terms)
        number = len(self.histograms) + 1
        needed = self._find_need(counts, width, terms, number)
        if left <= 0 or needed > left:
            return None
        known = sorted(self._need_of(each, terms, number) for each in direct)
        usual = known[math.ceil(SERVED * len(known)) - 1] if known else needed
        price = max(needed, usual)
        return Fraction(price) if price <= left else None

    def find_allowance(self, terms: HistogramTerms) -> Fraction:
        """Return the most that a histogram may cost now: none where a charge is of the other currency only."""
        seen, spent, paid = self._sums.get(terms.by_rho, (0, Fraction(0), Fraction(0)))
        for each in self.releases[seen:]:
            exact = terms.amount(each.charge)
            amount = Fraction(exact) if math.isfinite(exact) else exact
            spent, paid = (spent, paid + amount) if each.bought else (spent + amount, paid)
        self._sums[terms.by_rho] = len(self.releases), spent, paid
        if not (math.isfinite(spent) and math.isfinite(paid)):
            return Fraction(0)
        return Fraction(spent) / PATIENCE - Fraction(paid)

    def _need_of(self, release: Release, terms: HistogramTerms, number: int) -> float:
        key = (release.entry, terms.by_rho, number)
        if key not in self._needs:
            width = float(release.noise.interval(1 - self.miss))
            self._needs[key] = self._find_need(release.counts, width, terms, number)
        return self._needs[key]

    def _find_need(self, counts: CellCounts, width: float, terms: HistogramTerms, number: int) -> float:
        """Return the least price of a histogram that answers these counts within this half-width."""
        widest = counts.find_widest(not terms.by_rho, self.miss, number)
        return math.inf if width <= 0 else terms.price(width / (widest * MARGIN)) if widest else 0.0
