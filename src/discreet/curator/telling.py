"""What an analyst is told beside answers: tables, what is left, and where an answer would come from.

Where analysts come through a server, nobody is told of others: of the budget only their own cap, of recorded answers
only those they have paid for, of refusals only that the owner's budget has too little left.
"""

from __future__ import annotations

from discreet.base.errors import BudgetError
from discreet.curator.asking.explain import Explanation, assume_count
from discreet.curator.asking.fitting import find_what_fits
from discreet.curator.asking.hints import find_hints
from discreet.curator.asking.outlook import Outlook, describe_share
from discreet.curator.asking.prepared import Prepared
from discreet.curator.asking.routes import Recorded
from discreet.curator.holdings import Holdings
from discreet.curator.owner.budget import Budget, read_budget
from discreet.curator.owner.tables import Tables
from discreet.ledger import Request
from discreet.plan.beside import list_releases
from discreet.privacy.charges import Charge
from discreet.query.catalog import Catalog

UNSHOWN = "the owner's budget has too little left for this question; nothing was charged. Ask the owner"


class Telling:
    """What one analyst may be told. What is `held`, by identity, was not handed out yet: its end is not told."""

    def __init__(self, holdings: Holdings, analyst: str | None, held: frozenset[str] = frozenset()) -> None:
        self._holdings, self._analyst, self._held = holdings, analyst, held
        known = None if analyst is None else holdings.policy.analyst(analyst)
        self.catalog: Catalog = holdings.catalog.show(known.tables if known is not None else None)

    @property
    def tables(self) -> Tables:
        """The tables and views that this analyst may ask."""
        tables = (each for each in self._holdings.engines.tables.values() if self.catalog.shows(each.table.name))
        return Tables(
            tuple(tables), tuple(each for each in self._holdings.policy.views if self.catalog.shows(each.name))
        )

    @property
    def budget(self) -> Budget:
        """What is spent and left: of the whole budget, and of this analyst's own cap; when served, of that alone."""
        found = read_budget(self._holdings.policy, self._holdings.ledger, self._analyst)
        return found if not self._holdings.served else Budget(found.analysts[0], (), found.suspended)

    def has_paid(self, request: Request) -> bool:
        """Say whether an answer to a request is recorded that this analyst has paid for."""
        entry = self._holdings.ledger.find_answer(request, self._analyst)
        return entry is not None and self._holdings.ledger.has_paid(entry, self._analyst)

    def refuse(self, refused: BudgetError, charge: Charge) -> BudgetError:
        """Return a refusal as it is told: through a server, of the analyst's own cap alone."""
        if not self._holdings.served:
            return refused
        budget = self.budget
        if budget.admits(charge):
            return BudgetError(UNSHOWN)
        own = " ".join(budget.total.describe(0)[0].split())
        short = " and ".join(budget.total.describe_short(charge))
        return BudgetError(f"this question does not fit into what is left: {own}; there is too little of {short}")

    def refuse_question(self, refused: BudgetError, prepared: Prepared) -> BudgetError:
        """Return the refusal of a question, with what of it would still fit."""
        budget, told = self.budget, self.refuse(refused, prepared.priced.charge)
        if str(told) == UNSHOWN:
            return told
        found = find_what_fits(prepared.priced, self._holdings.policy, budget, self._analyst)
        return BudgetError(f"{told}. {found}", found.amount)

    def list_hints(self, prepared: Prepared) -> tuple[str, ...]:
        """Return what an asker may have meant otherwise: none where it was answered before, and through a server none.

        Analysts of a server are told by `explain`, which their clients show.
        """
        if self._holdings.served or self._holdings.ledger.answered(prepared.request):
            return ()
        return find_hints(prepared.question, self._holdings.policy)

    def explain(self, prepared: Prepared, records: Recorded) -> Explanation:
        """Say what a question would do and cost, how often it still fits, and where its answer would come from."""
        units = {table.name: table.whose for table in self._holdings.policy.tables if table.unit is not None}
        if prepared.priced.free:
            return Explanation(prepared.question, prepared.priced, ("asking this is free",), units)
        left = self.budget.more(prepared.priced.charge, self._analyst)
        outlook = self._find_outlook(prepared, records)
        price = "this price" if outlook is None else "the price that was asked for"
        more = f"{left:,} more questions at {price} fit into what is left" if left else "nothing like it fits any more"
        asked = list_releases(prepared.question).questions
        hints = [hint for each in asked for hint in find_hints(each, self._holdings.policy)]
        prices = (prepared.priced, *prepared.priced.beside)
        coarsened = [remark for each in prices for remark in each.bounded.coarsened]
        remarks = dict.fromkeys((*hints, *coarsened, *prepared.priced.notes, more))
        assumed = assume_count(prepared.question, prepared.priced, self._holdings.policy)
        return Explanation(prepared.question, prepared.priced, tuple(remarks), units, outlook, assumed)

    def _find_outlook(self, prepared: Prepared, records: Recorded) -> Outlook | None:
        """Say where an answer would come from, if not from a new run; nothing is charged or bought for it."""
        if self._holdings.served and (prepared.request.identity in self._held or not self.has_paid(prepared.request)):
            return None  # whether others asked is not told, nor that a run has ended before its answer is handed out
        entry = self._holdings.ledger.find_answer(prepared.request, self._analyst)
        if entry is not None:
            cost = describe_share(self._holdings.ledger, (entry,), self._analyst)
            return Outlook("answered before: asking comes from the ledger, without new noise", cost)
        if prepared.priced.left_out is not None or prepared.question.beside:
            return None
        described = (route.describe(prepared, records) for route in self._holdings.routes)
        return next((each for each in described if each is not None), None)
