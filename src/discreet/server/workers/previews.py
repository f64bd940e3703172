"""Previews: what a question would give at several prices, while somebody still types it. Free, and no row is read."""

from __future__ import annotations

from collections.abc import Callable

from discreet.curator.asking.explain import list_errors
from discreet.curator.asking.prepared import Prepared
from discreet.curator.session import Session
from discreet.server.questions import Asked, Offer, Preview

PRICES = ("0.05", "0.2", "1")
"""The epsilons of the price list."""


def preview_question(session: Session, prepare: Callable[[str], Prepared], asked: Asked) -> Preview:
    """Return the price list of a question; where it names a price, what it would give at that one too."""
    chosen = prepare(asked.epsilon) if asked.epsilon is not None else None
    offered = {price: prepare(price) for price in PRICES}
    budget = session.budget

    def offer(epsilon: str, prepared: Prepared) -> Offer:
        errors = list_errors(prepared.question, prepared.priced)
        return Offer(epsilon, errors, budget.more(prepared.priced.charge))

    seconds = session.find_public_time((chosen or offered[PRICES[0]]).operation.plans()) or 0.0
    offers = tuple(offer(price, each) for price, each in offered.items())
    if chosen is None or asked.epsilon is None:
        return Preview(offers, None, "", False, seconds)
    explained = chosen.explain()
    return Preview(offers, offer(asked.epsilon, chosen), str(explained), explained.outlook is not None, seconds)
