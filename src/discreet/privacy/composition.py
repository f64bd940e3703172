"""The composition theorems, each a small function: losses, epsilons and deltas in, a guarantee out.

Results are rounded up. `loss_a + loss_b` and `loss * k` use the best of them; these are the theorems by name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import numpy as np
from flint import arb

from discreet.base import check
from discreet.base.check import Exact
from discreet.base.errors import DiscreetError, ParameterError
from discreet.base.later import Later
from discreet.base.rounding import ball, float_down, float_up, rounded_up
from discreet.privacy.accountant.pairs import LEAST
from discreet.privacy.amounts import read_amount
from discreet.privacy.certified import Certified
from discreet.privacy.conversions import convert_to_epsilon
from discreet.privacy.loss import Loss
from discreet.privacy.losses.composed import compose
from discreet.privacy.losses.concentrated import ZcdpLoss
from discreet.privacy.losses.guarantees import ApproximateLoss, BoundedRangeLoss, PureLoss
from discreet.privacy.losses.noises import GaussianLoss, LaplaceLoss
from discreet.privacy.losses.sampled import SampledLoss
from discreet.privacy.neighbours import Neighbours

special = Later("scipy.special")


def compose_basic(guarantees: Iterable[tuple[float, float]]) -> ApproximateLoss:
    """Add up epsilons and deltas (Dwork, Kenthapadi, McSherry, Mironov, Naor 2006)."""
    epsilon = delta = Fraction(0)
    for each_epsilon, each_delta in guarantees:
        epsilon += read_amount("epsilon", each_epsilon, least=0)
        delta += read_amount("delta", each_delta, least=0, below=1)
    return ApproximateLoss(epsilon, delta)


def parallel(losses: Sequence[Loss], parts: int = 1, neighbours: str = Neighbours.ADD_REMOVE) -> Loss:
    """Compose releases on parts of the data where one unit lies in at most `parts` of them (McSherry 2009).

    Whichever parts a unit lies in, the result bounds their losses. Where the losses can be ordered, each dominating the
    next, these are the first `parts` of them; else the largest epsilons, where all have one; else the largest rho;
    else the first of each kind. Under replace neighbours a unit leaves some parts and enters others, so twice as many
    count. There each loss must hold for a unit that enters its part, leaves it, or is replaced within it: give
    `loss.replace()` of one that is stated for add-remove.
    """
    count = check.integer("parts", parts, least=1)
    count *= 1 if Neighbours.named(neighbours) is Neighbours.ADD_REMOVE else 2
    if not losses:
        raise ParameterError("losses", losses, "at least one loss")
    return compose((loss, 1) for loss in _take_dearest(list(losses), count))


_AMOUNTS: dict[type[Loss], Callable[[Loss], Exact]] = {
    PureLoss: lambda loss: loss.exact_pure,
    LaplaceLoss: lambda loss: loss.exact_pure,
    BoundedRangeLoss: lambda loss: loss.exact_pure,
    GaussianLoss: lambda loss: loss.exact_zcdp(),
    ZcdpLoss: lambda loss: loss.exact_zcdp(),
}
"""Kinds with one parameter: of two such losses the one with the larger amount dominates."""


def _take_dearest(losses: list[Loss], count: int) -> list[Loss]:
    """Return losses whose composition bounds that of any `count` of those given."""
    groups: dict[type[Loss], list[Loss]] = {}
    for loss in losses:
        groups.setdefault(type(loss), []).append(loss)
    ordered = {kind: _take_of_one_kind(group, count) for kind, group in groups.items()}
    (only, *others) = ordered.values()
    if only is not None and not others:
        return only
    epsilons, rhos = [loss.exact_pure for loss in losses], [loss.exact_zcdp() for loss in losses]
    if all(math.isfinite(epsilon) for epsilon in epsilons):
        return [PureLoss(Fraction(epsilon)) for epsilon in sorted(epsilons, reverse=True)[:count]]
    if all(math.isfinite(rho) for rho in rhos):
        return [ZcdpLoss(Fraction(rho)) for rho in sorted(rhos, reverse=True)[:count]]
    # A unit meets at most `count` losses of each kind, so those of every kind together bound them.
    return [loss for kind, group in groups.items() for loss in ordered[kind] or group]


def _take_of_one_kind(losses: list[Loss], count: int) -> list[Loss] | None:
    """Return losses that bound any `count` of those given, all of one kind; nothing where it has no order."""
    if len(set(losses)) == 1:
        return losses[:count]
    amount = _AMOUNTS.get(type(losses[0]))
    if amount is not None:
        return sorted(losses, key=amount, reverse=True)[:count]
    stated = [loss.stated for loss in losses if isinstance(loss, ApproximateLoss)]
    if stated:
        # The curve of a composition depends on all epsilons and all deltas, not on which goes with which.
        epsilons, deltas = (sorted(amounts, reverse=True)[:count] for amounts in zip(*stated, strict=True))
        return [ApproximateLoss(epsilon, delta) for epsilon, delta in zip(epsilons, deltas, strict=True)]
    sampled = [loss for loss in losses if isinstance(loss, SampledLoss)]
    bases = [loss.base for loss in sampled]
    if sampled and len({type(base) for base in bases}) == 1 and (base := _take_of_one_kind(bases, 1)):
        return [SampledLoss(base[0], max(loss.rate for loss in sampled))] * min(count, len(losses))
    return None


def compose_advanced(epsilon: float, delta: float, count: int, slack: float) -> ApproximateLoss:
    """Compose `count` (epsilon, delta) releases with an extra delta of `slack` (Dwork, Rothblum, Vadhan 2010).

    epsilon' = sqrt(2 k ln(1/slack)) epsilon + k epsilon (e^epsilon - 1) and delta' = k delta + slack. (The last
    factor is e^epsilon minus 1; notes that print a plus are wrong.)
    """
    each = read_amount("epsilon", epsilon, least=0)
    miss = read_amount("slack", slack, above=0, below=1)
    k = check.integer("count", count, least=0)
    lost = k * read_amount("delta", delta, least=0, below=1) + miss

    def find_epsilon() -> arb:
        return (2 * k * -ball(miss).log()).sqrt() * ball(each) + k * ball(each) * ball(each).expm1()

    return ApproximateLoss(Fraction(rounded_up(find_epsilon)), lost)


def compute_optimal_delta(epsilon: float, delta: float, count: int, at: float) -> float:
    """Return the exact delta of `count` (epsilon, delta) releases at epsilon `at` (Kairouz, Oh, Viswanath 2015, Thm
    3.3).

    The worst mechanism lies l times of k, l being binomial: delta(e) is the sum over l of its probability times
    (1 - e^(e - (k - 2l) epsilon))+, in log space; then 1 - (1 - delta)^k (1 - delta(e)). Rounded up by more than the
    floats can err. Every l is a term, so there are at most 10^7 releases: `ApproximateLoss(...) * k` takes more.
    """
    each = float_up(read_amount("epsilon", epsilon, least=0))
    lost = float_up(read_amount("delta", delta, least=0, below=1))
    k = check.integer("count", count, least=0, most=10**7)
    target = float_down(check.real("at", at, least=0))
    readings = (
        (Fraction(float(epsilon)), Fraction(float(at))),
        (read_amount("epsilon", epsilon), read_amount("at", at)),
    )
    lies = np.arange(k + 1, dtype=np.float64)
    gap = (k - 2 * lies) * each - target + 2.0**-51 * (k * each + target)
    below = any(where < k * size for size, where in readings)
    reached = gap > 0 if below else np.zeros(k + 1, dtype=bool)
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
    return ZcdpLoss(sum((read_amount("rho", rho, least=0) for rho in rhos), Fraction(0)))


def add_gaussians(mus: Iterable[Exact]) -> GaussianLoss:
    """Add up mu^2 (Dong, Roth, Su 2022, Corollary 3.3)."""
    total = sum((read_amount("mu", mu, least=0) ** 2 for mu in mus), Fraction(0))
    return GaussianLoss(Fraction(rounded_up(lambda: ball(total).sqrt())))


def convert_renyi(alpha: float, divergence: float, delta: float) -> ApproximateLoss:
    """Turn a Renyi divergence of order alpha into (epsilon, delta) (Canonne, Kamath, Steinke 2020, Proposition 12).

    epsilon = D + ln((a - 1) / a) - (ln delta + ln a) / (a - 1), or 0 if that is negative.
    """
    order = read_amount("alpha", alpha, above=1)
    size = read_amount("divergence", divergence, least=0)
    miss = read_amount("delta", delta, above=0, below=1)
    return ApproximateLoss(Fraction(convert_to_epsilon(order, size, miss)), miss)


def amplify_by_poisson_sampling(epsilon: float, delta: float, rate: float | Fraction) -> ApproximateLoss:
    """Amplify by a Poisson sample, add-remove neighbours (Li, Qardaji, Su 2012; Balle, Barthe, Gaboardi 2018).

    epsilon' = ln(1 + rate (e^epsilon - 1)) and delta' = rate * delta.
    """
    share = Fraction(check.real("rate", rate, above=0, most=1))
    each, lost = read_amount("epsilon", epsilon, least=0), read_amount("delta", delta, least=0, below=1)
    amplified = rounded_up(lambda: (1 + ball(share) * ball(each).expm1()).log())
    return ApproximateLoss(Fraction(amplified), share * lost)


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
    each = read_amount("epsilon", epsilon, least=0)
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
