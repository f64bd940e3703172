"""Prices of planned questions, by epsilon, by rho or by the error wanted: free, and out of reach of private rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import NoReturn

from discreet.base import check
from discreet.base.errors import QueryError
from discreet.curator.asking.choosing import PlannedChoice
from discreet.curator.asking.offers import OFFERED, describe_offers
from discreet.curator.asking.within import find_least_epsilon, find_least_for_choice
from discreet.plan.question import Question
from discreet.plan.relations import is_plain, list_scans
from discreet.policy.model import Policy
from discreet.query.bound import Bounded
from discreet.query.left_out import LeftOutPlan
from discreet.query.price import Price, read_amount
from discreet.query.price_choice import price_choice
from discreet.query.price_left_out import SHARE, add_left_out, price_left_out
from discreet.query.price_several import price_several, share_evenly, split_among


def price_bounded(
    question: Question,
    bounded: Bounded,
    policy: Policy,
    epsilon: object,
    rho: object,
    within: Mapping[str, float] | None,
    key_delta: object = None,
    beside: tuple[Bounded, ...] = (),
    left_out: LeftOutPlan | None = None,
) -> Price:
    """Price a bounded question, and what else its statement releases beside it.

    No amount at all is refused, and the refusal shows what some would buy. Where what is `left_out` is counted too, an
    epsilon or rho is for both; `within` is what the answer needs, and the count comes on top of that.
    """
    _refuse_several(epsilon, rho, within)
    releases = (bounded, *beside)
    if not any(each.plan.measures or each.plan.selects_any for each in releases):  # public keys: free at any price
        free = price_several(releases, policy)
        return free if left_out is None else add_left_out(free, left_out)
    delta = None if key_delta is None else read_amount("key_delta", key_delta)

    def make(name: str, amount: Fraction) -> Price:
        def alone(each: Fraction) -> Price:
            return price_several(releases, policy, **{name: each}, key_delta=delta)

        return alone(amount) if left_out is None else price_left_out(left_out, policy, amount, alone)

    if rho is not None:
        return make("rho", read_amount("rho", rho))
    if within is not None:
        found = _find_epsilon(question, releases, policy, within)
        return make("epsilon", found if left_out is None else found / (1 - SHARE))
    if epsilon is None:
        _refuse_unpriced(question, policy, lambda each: price_several(releases, policy, epsilon=each))
    return make("epsilon", read_amount("epsilon", epsilon))


def _find_epsilon(
    question: Question, releases: tuple[Bounded, ...], policy: Policy, within: Mapping[str, float]
) -> Fraction:
    """Return the least epsilon of the whole statement at which its own aggregates err by no more than this."""
    plain = is_plain(question.block)
    least = policy.table(list_scans(question.block)[0].table).min_count if plain else None
    part, *others = split_among(releases)
    alone = policy if not others else share_evenly(policy, 1 + sum(each > 0 for each in others))
    return find_least_epsilon(question, releases[0], alone, within, least) / (part or 1)


def price_planned_choice(made: PlannedChoice, policy: Policy, epsilon: object, rho: object, within: object) -> Price:
    """Price a choice among public candidates; `within` is how far the chosen may fall short of the best, at 95 %."""
    _refuse_several(epsilon, rho, within)
    if within is not None:
        error = float(check.positive("within", within))
        epsilon = find_least_for_choice(lambda each: price_choice(made.draft, policy, each), error)
    if rho is not None:
        return price_choice(made.draft, policy, rho=read_amount("rho", rho))
    if epsilon is None:
        _refuse_unpriced(made.question, policy, lambda each: price_choice(made.draft, policy, each))
    return price_choice(made.draft, policy, read_amount("epsilon", epsilon))


def _refuse_several(*amounts: object) -> None:
    if sum(each is not None for each in amounts) > 1:
        raise QueryError("give one of epsilon, rho and within, not several")


def _refuse_unpriced(question: Question, policy: Policy, price: Callable[[Fraction], Price]) -> NoReturn:
    offers = describe_offers(question, [price(Fraction(each)) for each in OFFERED], policy)
    raise QueryError(f"say how much privacy to spend, such as\n{offers}")
