"""The composition theorems, each a small function: losses, epsilons and deltas in, a guarantee out.

Results are rounded up. `loss_a + loss_b` and `loss * k` use the best of them; these are the theorems by name.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
from flint import arb

from discreet.base import check
from discreet.base.errors import DiscreetError, ParameterError
from discreet.base.later import Later
from discreet.base.rounding import ball, float_down, float_up, rounded_up
from discreet.privacy.accountant.pairs import LEAST
from discreet.privacy.certified import Certified
from discreet.privacy.loss import Loss
from discreet.privacy.losses.composed import compose
from discreet.privacy.losses.guarantees import ApproximateLoss, BoundedRangeLoss, PureLoss, ZcdpLoss
from discreet.privacy.losses.noises import GaussianLoss, LaplaceLoss
from discreet.privacy.neighbours import Neighbours

special = Later("scipy.special")


def compose_basic(guarantees: Iterable[tuple[float, float]]) -> ApproximateLoss:
    """Add up epsilons and deltas (Dwork, Kenthapadi, McSherry, Mironov, Naor 2006)."""
    epsilon = delta = Fraction(0)
    for each_epsilon, each_delta in guarantees:
        epsilon += Fraction(check.real("epsilon", each_epsilon, least=0))
        delta += Fraction(check.delta("delta", each_delta))
    return ApproximateLoss(float_up(epsilon), float_up(delta))


def parallel(losses: Sequence[Loss], parts: int = 1, neighbours: str = Neighbours.ADD_REMOVE) -> Loss:
    """Compose releases on parts of the data where one unit lies in at most `parts` of them (McSherry 2009).

    The dearest `parts` losses are summed; under replace neighbours a unit leaves some parts and enters others, so twice
    as many. There each loss must hold for a unit that enters its part, leaves it, or is replaced within it: give
    `loss.replace()` of one that is stated for add-remove. Losses are compared in one currency: their own if it has a
    single parameter, else epsilon, else rho.
    """
    count = check.integer("parts", parts, least=1)
    count *= 1 if Neighbours.named(neighbours) is Neighbours.ADD_REMOVE else 2
    if not losses:
        raise ParameterError("losses", losses, "at least one loss")
    dearest = sorted(_convert_to_one_kind(losses), key=lambda loss: max(loss.zcdp(), 0.0), reverse=True)[:count]
    return compose((loss, 1) for loss in dearest)


def _convert_to_one_kind(losses: Sequence[Loss]) -> list[Loss]:
    if len(set(losses)) == 1:
        return list(losses)
    for kind in (PureLoss, GaussianLoss, ZcdpLoss, LaplaceLoss, BoundedRangeLoss):
        if all(isinstance(loss, kind) for loss in losses):
            return list(losses)
    if all(math.isfinite(loss.pure) for loss in losses):
        return [PureLoss(loss.pure) for loss in losses]
    if all(math.isfinite(loss.zcdp()) for loss in losses):
        return [ZcdpLoss(loss.zcdp()) for loss in losses]
    raise DiscreetError("these losses cannot be ordered: they have neither an epsilon nor a rho in common")


def compose_advanced(epsilon: float, delta: float, count: int, slack: float) -> ApproximateLoss:
    """Compose `count` (epsilon, delta) releases with an extra delta of `slack` (Dwork, Rothblum, Vadhan 2010).

    epsilon' = sqrt(2 k ln(1/slack)) epsilon + k epsilon (e^epsilon - 1) and delta' = k delta + slack. (The last
    factor is e^epsilon minus 1; notes that print a plus are wrong.)
    """
    each = check.real("epsilon", epsilon, least=0)
    miss = check.real("slack", slack, above=0, below=1)
    k = check.integer("count", count, least=0)
    lost = k * Fraction(check.delta("delta", delta)) + Fraction(miss)

    def total() -> arb:
        return (2 * k * -ball(miss).log()).sqrt() * ball(each) + k * ball(each) * ball(each).expm1()

    return ApproximateLoss(rounded_up(total), float_up(lost))


def compute_optimal_delta(epsilon: float, delta: float, count: int, at: float) -> float:
    """Return the exact delta of `count` (epsilon, delta) releases at epsilon `at` (Kairouz, Oh, Viswanath 2015, Thm
    3.3).

    The worst mechanism lies l times of k, l being binomial: delta(e) is the sum over l of its probability times
    (1 - e^(e - (k - 2l) epsilon))+, in log space; then 1 - (1 - delta)^k (1 - delta(e)). Rounded up by more than the
    floats can err.
    """
    each = float_up(check.real("epsilon", epsilon, least=0))
    lost = float_up(check.delta("delta", delta))
    k = check.integer("count", count, least=0)
    target = float_down(check.real("at", at, least=0))
    lies = np.arange(k + 1, dtype=np.float64)
    gap = (k - 2 * lies) * each - target + 2.0**-51 * (k * each + target)
    reached = gap > 0 if Fraction(target) < k * Fraction(each) else np.zeros(k + 1, dtype=bool)
    lies, gap = lies[reached], gap[reached]
    log_choose = special.gammaln(k + 1) - special.gammaln(lies + 1) - special.gammaln(k - lies + 1)
    log_mass = log_choose - lies * np.logaddexp(0, each) - (k - lies) * np.logaddexp(0, -each)
    found = float(np.sum(np.exp(log_mass) * -np.expm1(-gap)))
    found = found * (1 + 1e-14 * (1 + k * math.log(k + 2))) + (LEAST if len(lies) else 0.0)
    return min(
        1.0, -math.expm1(k * math.log1p(-lost) + math.log1p(-min(found, 1.0))) * (1 + 1e-15) if found < 1 else 1.0
    )


def bracket_optimal_epsilon(guarantees: Iterable[tuple[float, float]], delta: float) -> Certified:
    """Bracket the least epsilon at `delta` of different (epsilon, delta) releases.

    Murtagh and Vadhan (2016) show that the exact value is hard to compute (#P) and that it can be approximated; this is
    the accountant's bracket of their formula, the composition of the worst mechanism of each.
    """
    parts = [(ApproximateLoss(e, d) if d else PureLoss(e), 1) for e, d in guarantees]
    return compose(parts).epsilon(delta)


def add_zcdp(rhos: Iterable[float]) -> ZcdpLoss:
    """Add up rho (Bun, Steinke 2016, Lemma 2.3)."""
    return ZcdpLoss(float_up(sum((Fraction(check.real("rho", rho, least=0)) for rho in rhos), Fraction(0))))


def add_gaussians(mus: Iterable[float]) -> GaussianLoss:
    """Add up mu^2 (Dong, Roth, Su 2022, Corollary 3.3)."""
    total = sum((Fraction(check.real("mu", mu, least=0)) ** 2 for mu in mus), Fraction(0))
    return GaussianLoss(rounded_up(lambda: ball(total).sqrt()))


def convert_renyi(alpha: float, divergence: float, delta: float) -> ApproximateLoss:
    """Turn a Renyi divergence of order alpha into (epsilon, delta) (Canonne, Kamath, Steinke 2020, Proposition 12).

    epsilon = D + ln((a - 1) / a) - (ln delta + ln a) / (a - 1), or 0 if that is negative.
    """
    order = check.real("alpha", alpha, above=1)
    size = check.real("divergence", divergence, least=0)
    miss = check.real("delta", delta, above=0, below=1)

    def epsilon() -> arb:
        a = ball(order)
        return ball(size) + ((a - 1) / a).log() - (ball(miss).log() + a.log()) / (a - 1)

    return ApproximateLoss(max(0.0, rounded_up(epsilon)), float_up(miss))


def amplify_by_poisson_sampling(epsilon: float, delta: float, rate: float | Fraction) -> ApproximateLoss:
    """Amplify by a Poisson sample, add-remove neighbours (Li, Qardaji, Su 2012; Balle, Barthe, Gaboardi 2018).

    epsilon' = ln(1 + rate (e^epsilon - 1)) and delta' = rate * delta.
    """
    share = Fraction(check.real("rate", rate, above=0, most=1))
    each, lost = check.real("epsilon", epsilon, least=0), Fraction(check.delta("delta", delta))
    return ApproximateLoss(rounded_up(lambda: (1 + ball(share) * ball(each).expm1()).log()), float_up(share * lost))


def amplify_by_fixed_size_sampling(epsilon: float, delta: float, taken: int, size: int) -> ApproximateLoss:
    """Amplify by a sample of `taken` of `size` units, replace neighbours (Balle, Barthe, Gaboardi 2018, Theorem 9)."""
    total = check.integer("size", size, least=1)
    rate = Fraction(check.integer("taken", taken, least=1, most=total), total)
    return amplify_by_poisson_sampling(epsilon, delta, rate)


def bound_exponential_mechanisms(epsilon: float, count: int, delta: float) -> float:
    """Return epsilon at `delta` for `count` exponential mechanisms (bounded range: Dong, Durfee, Rogers 2020)."""
    return (BoundedRangeLoss(epsilon) * count).epsilon(delta).high


def post_process(loss: Loss) -> Loss:
    """Return the same loss: whatever is done with an answer alone costs nothing (Dwork, Roth 2014, Proposition 2.1)."""
    return loss


def bound_total_variation(epsilon: float) -> float:
    """Return the total variation that epsilon-differential privacy allows: tanh(epsilon / 2)."""
    each = check.real("epsilon", epsilon, least=0)
    return rounded_up(lambda: (ball(each) / 2).tanh())


def refuse_total_variation(distance: float) -> Loss:
    """Refuse: a bound on total variation alone is no privacy guarantee.

    "Name and shame" publishes one random person's whole record. With n people its total variation is 1/n, as small as
    any useful bound, and yet it always betrays somebody. (It is (0, 1/n)-differentially private: why delta must be far
    below 1/n.)
    """
    raise DiscreetError(
        f"total variation {distance!r} is not a privacy guarantee: publishing one random person's record has total "
        "variation 1/n; state an epsilon"
    )
