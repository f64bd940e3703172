"""Several releases in one statement: one charge that covers them all, split from public facts."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from discreet.base.errors import QueryError
from discreet.plan.beside import list_releases
from discreet.query.bound import Bounded, bound
from discreet.query.cost import add_charges, cost_measures, fits_within
from discreet.query.draws import Draws
from discreet.query.price_several import price_several, share_evenly, split_among
from support.hospital import asked, catalog_of
from support.oracle import ENGINE

TOTAL = "(SELECT COUNT(*) FROM visits)"
SHARES = f"SELECT ward, COUNT(*) / {TOTAL} AS s FROM visits GROUP BY ward"
MEANS = f"SELECT ward, AVG(cost), COUNT(*) / {TOTAL} AS s FROM visits GROUP BY ward"
KEYS = f"SELECT ward, {TOTAL} AS n FROM visits GROUP BY ward"
POLICY = replace(ENGINE.policy, delta=Fraction(1, 10**6), question_delta=Fraction(1, 10**8))


def releases(text: str) -> tuple[Bounded, ...]:
    return tuple(bound(each, catalog_of(ENGINE)) for each in list_releases(asked(ENGINE, text)).questions)


def test_each_release_gets_a_part_by_the_numbers_that_it_has() -> None:
    assert split_among(releases(SHARES)) == (Fraction(1, 2), Fraction(1, 2))
    assert split_among(releases(MEANS)) == (Fraction(3, 4), Fraction(1, 4))
    assert split_among(releases(KEYS)) == (Fraction(0), Fraction(1))


@pytest.mark.parametrize("text", [SHARES, MEANS, KEYS])
@pytest.mark.parametrize("amount", [{"epsilon": Fraction(1)}, {"rho": Fraction(1, 100)}])
def test_the_charge_covers_all_releases_in_every_currency(text: str, amount: dict[str, Fraction]) -> None:
    priced = price_several(releases(text), POLICY, **amount)
    costs = [
        cost_measures(each.bounded.plan, Draws(each.noises))
        for each in (priced, *priced.beside)
        if each.bounded.plan.measures
    ]
    whole = costs[0] if len(costs) == 1 else add_charges(*costs)
    assert fits_within(whole, priced.charge)
    (name, asked_for), *_ = amount.items()
    assert abs(getattr(priced.charge, name) - asked_for) < Fraction(1, 10**9)
    assert sum(share for each in (priced, *priced.beside) for share in each.shares) == 1
    assert not priced.free


def test_the_guarantee_is_that_of_all_together() -> None:
    pure = price_several(releases(SHARES), ENGINE.policy, epsilon=Fraction(1))
    assert pure.guarantee == "1-differentially private"
    assert pure.target == 1
    assert price_several(releases(MEANS), ENGINE.policy, epsilon=Fraction(1, 3)).guarantee.startswith("0.333")
    by_rho = price_several(releases(SHARES), POLICY, rho=Fraction(1, 10))
    assert by_rho.guarantee == "0.1-zCDP"
    assert by_rho.by_rho


def test_deltas_are_split_so_that_one_question_never_has_more_than_its_own() -> None:
    many = releases("SELECT age, COUNT(*) / (SELECT COUNT(*) FROM visits) AS s FROM visits GROUP BY age")
    half = share_evenly(POLICY, 2)
    assert [half.question_delta * 2, half.usual_key_delta * 2] == [POLICY.question_delta, POLICY.usual_key_delta]
    wide = replace(POLICY, key_delta=None)
    priced = price_several(many, wide, epsilon=Fraction(1), key_delta=None)
    assert Fraction(priced.charge.delta) <= wide.usual_key_delta
    noisy = price_several(releases(SHARES), POLICY, epsilon=Fraction(1, 1000))
    if "e-" in noisy.guarantee:
        assert float(noisy.guarantee.split(", ")[1].split(")")[0]) <= float(POLICY.question_delta)


def test_a_delta_for_keys_needs_keys_of_the_data() -> None:
    with pytest.raises(QueryError, match="key_delta is for keys"):
        price_several(releases(SHARES), POLICY, epsilon=Fraction(1), key_delta=Fraction(1, 10**9))


def test_one_release_is_priced_as_ever() -> None:
    (alone,) = releases("SELECT ward, COUNT(*) FROM visits GROUP BY ward")
    assert not price_several((alone,), POLICY, epsilon=Fraction(1)).beside
