"""The price of counting what is left out, as a part of a question's own price.

Theorem (composition; Dwork, McSherry, Nissim, Smith 2006; Bun, Steinke 2016). A release that is (e1, delta)-
differentially private and one that is e2-differentially private are together (e1 + e2, delta)-differentially private;
rhos add up likewise. So a question at epsilon e keeps nine tenths of e for its answer, and one tenth pays for the
count: Laplace noise of scale L1 / (e / 10), or Gaussian noise at a tenth of rho.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from discreet.base.errors import QueryError
from discreet.base.rounding import ball, ratio_up, rounded_up
from discreet.mechanisms import Gaussian, Laplace
from discreet.mechanisms.additive import fitting_scale
from discreet.policy.model import Policy
from discreet.privacy.charges import Charge, round_charge
from discreet.query.cost import add_charges, cost_measures, fits_within
from discreet.query.draws import AdditiveNoise, Draws
from discreet.query.left_out import LeftOutPlan
from discreet.query.price import LeftOutPrice, Price, write_amount
from discreet.query.work import check_work

SHARE = Fraction(1, 10)
"""What of the charge counts what is left out."""


def price_left_out(found: LeftOutPlan, policy: Policy, amount: Fraction, make: Callable[[Fraction], Price]) -> Price:
    """Return the price of an answer and of what it leaves out, at this epsilon or rho for both.

    `make` prices the answer alone. Where the policy's floor raises that, the count is raised with it.
    """
    check_work(found.plan, policy)
    return add_left_out(make((1 - SHARE) * amount), found)


def add_left_out(main: Price, found: LeftOutPlan) -> Price:
    """Return the price of an answer with the count of what it leaves out: a ninth of the answer's own price."""
    if main.free:
        raise QueryError("left_out: these keys are public, and no row is read for them; leave this option out")
    part = main.target * SHARE / (1 - SHARE)
    draws = Draws((_make_noise(found, part, main.by_rho),))
    cost = cost_measures(found.plan, draws)
    own = Charge(cost.epsilon, part, cost.delta) if main.by_rho else Charge(part, cost.rho, cost.delta)
    assert fits_within(cost, own), "the noise costs more than its part of the price"
    total = main.target + part
    words = main.guarantee.replace(write_amount(main.target), write_amount(total), 1)
    charge = round_charge(add_charges(main.charge, own))
    return replace(main, charge=charge, target=total, guarantee=words, left_out=LeftOutPrice(found, draws))


def _make_noise(found: LeftOutPlan, part: Fraction, by_rho: bool) -> AdditiveNoise:
    (measure,) = found.plan.measures
    if by_rho:
        square = Fraction(found.plan.l2_squared(measure)) / (2 * part)
        return Gaussian(fitting_scale(rounded_up(lambda: ball(square).sqrt()), "rho", float(part)))
    return Laplace(fitting_scale(ratio_up(found.plan.l1(measure), part), "epsilon", float(part)))
