"""The price of several releases in one statement: one charge, split among them.

Each release gets a part of what is asked for in proportion to the numbers by key that it releases, at least one: the
noise of a total that others are divided by is then as wide as it is in GROUPING SETS. Deltas are split evenly.

Theorem (basic composition; Dwork, McSherry, Nissim, Smith 2006): releases that are (e_i, d_i)-differentially private
are together (sum e_i, sum d_i)-differentially private; for zCDP the rhos add up (Bun, Steinke 2016).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from discreet.base.check import Exact
from discreet.base.errors import QueryError
from discreet.policy.model import Policy
from discreet.privacy.charges import Charge, round_charge
from discreet.query.bound import Bounded
from discreet.query.cost import add_charges
from discreet.query.price import Price
from discreet.query.price_choice import price_question


def share_evenly(policy: Policy, count: int) -> Policy:
    """Return a policy in which a question has the deltas of one of so many releases."""
    key_delta = policy.usual_key_delta / count if policy.usual_key_delta else None
    return replace(policy, question_delta=policy.question_delta / count, key_delta=key_delta)


def split_among(releases: tuple[Bounded, ...]) -> tuple[Fraction, ...]:
    """Return the part of the price that each release gets; they add up to one.

    Public keys alone are no release, and get nothing.
    """
    numbers = [0 if _is_free(each) else max(1, len(each.plan.measures)) for each in releases]
    return tuple(Fraction(each, max(1, sum(numbers))) for each in numbers)


def price_several(
    releases: tuple[Bounded, ...],
    policy: Policy,
    epsilon: Fraction | None = None,
    rho: Fraction | None = None,
    key_delta: Fraction | None = None,
) -> Price:
    """Return the price of the first release with those of the others beside it: its charge is that of all together."""
    if len(releases) == 1:
        return price_question(releases[0], policy, epsilon, rho, key_delta)
    parts = split_among(releases)
    selecting = sum(each.plan.selects_any for each in releases)
    if key_delta is not None and not selecting:
        raise QueryError("key_delta is for keys that come from the data, and this question has none; leave it out")
    each_policy = share_evenly(policy, max(1, sum(part > 0 for part in parts)))
    prices = []
    for bounded, part in zip(releases, parts, strict=True):
        delta = key_delta / selecting if key_delta is not None and bounded.plan.selects_any else None
        amounts = (None if epsilon is None else epsilon * part, None if rho is None else rho * part)
        prices.append(price_question(bounded, each_policy, *(amounts if part else (None, None)), delta))
    return _join_prices(prices, parts, each_policy)


def _join_prices(prices: list[Price], parts: tuple[Fraction, ...], policy: Policy) -> Price:
    first, *others = prices
    charge = first.charge
    for each in others:
        charge = add_charges(charge, each.charge)
    target = sum((each.target for each in prices), Fraction(0))
    by_rho = any(each.by_rho for each in prices)
    return replace(
        first,
        shares=tuple(share * parts[0] for share in first.shares),
        charge=charge,
        guarantee=_write_guarantee(prices, target, by_rho, policy),
        target=target,
        by_rho=by_rho,
        notes=tuple(dict.fromkeys(note for each in prices for note in each.notes)),
        beside=tuple(
            replace(each, shares=tuple(share * part for share in each.shares))
            for each, part in zip(others, parts[1:], strict=True)
        ),
    )


def _write_guarantee(prices: list[Price], target: Fraction, by_rho: bool, policy: Policy) -> str:
    """Say what all releases are together. The epsilon of one with Gaussian noise is more than it was asked for."""
    keys = sum((Fraction(each.charge.delta) for each in prices), Fraction(0))
    if by_rho:
        return f"{float(target):.12g}-zCDP" + (f" with delta {float(keys):g} for its keys" if keys else "")
    gaussian = sum(each.charge.epsilon > _round(each.target) for each in prices)
    delta = keys + gaussian * policy.question_delta
    alone = f"({float(target):.12g}, {float(delta):g})" if delta else f"{float(target):.12g}"
    return f"{alone}-differentially private"


def _round(epsilon: Fraction) -> Exact:
    return round_charge(Charge(epsilon, Fraction(0), Fraction(0))).epsilon


def _is_free(bounded: Bounded) -> bool:
    return not bounded.plan.measures and not bounded.plan.selects_any
