"""What the minimum of a randomly pushed objective loses: objective perturbation, as zero-concentrated privacy.

Let w minimise F(w) + <b, w> for F = f_1 + ... + f_n + ridge / 2 |w|^2, with b Gaussian of deviation sigma in every
entry, and let a unit's convex f have gradients no longer than L and second derivatives of trace at most `curvature`;
those of a unit of r rows lie in a space of r dimensions, the *rank*. Write t = L / sigma and a = curvature / ridge.

**Theorem.** Adding or removing one unit, w is rho-zCDP with

    rho = t^2 / 2 + a^2 max(c, 16/9 min(log 2 + (r - 1) log(1 + 3 t / (4 a m_r)), 3 sqrt(r) t / (4 a))),

c = 16/9 (log 4 - 3/4) < 1.14, and m_r the root of order r - 1 of the mean of |X|^(r - 1), X a standard Gaussian. For
units of one row that is t^2 / 2 + 1.24 a^2, about: the Gaussian mechanism on gradients, and little more. (The theorems
of Iyengar et al. 2019 and of Redberg, Koskela, Wang 2023 have a term of the order of a + t, since they bound the loss
point by point; here the means of powers are computed by a change of variables.)

Proof. Let S'(w) = grad F'(w) be without the unit and S = S' + g with it, H' and H' + A their derivatives: A >= 0 and
|g| <= L. The map from w to b = -S(w) is one-to-one and Lipschitz both ways, so w has the density phi(S) det(H' + A),
and phi(S') det(H') without. For k > 1,

    k |S' + g|^2 + (1 - k) |S'|^2 = |S' + k g|^2 - k (k - 1) |g|^2,

and S' + k g is such a map as well, with the derivative H' + k A. So the integral of p^k q^(1 - k) is the mean, over a
Gaussian S' + k g, of exp(k (k - 1) |g|^2 / 2 sigma^2) times the product over the eigenvalues a_i of A relative to H' of
(1 + a_i)^k / (1 + k a_i). Each of those is at most exp(k (k - 1) a_i^2 / 2), as its logarithm's derivative in a_i is
k (k - 1) a_i / ((1 + a_i)(1 + k a_i)); and the a_i add up to at most a. So D_k(p|q) <= k (t^2 + a^2) / 2.
The other way, with 1 - k for k, S' - (k - 1) g is such a map as long as y = (k - 1) a < 1. Up to y = 3/4 the product is
that of (1 + a_i)^(1-k) / (1 - (k - 1) a_i), whose logarithm is at most (k - 1)(a_i^2 / 2 + c (k - 1) a_i^2), since
-log(1 - y) <= y + c y^2 there: so D_k(q|p) <= k (t^2 / 2 + c a^2). Beyond, the loss itself is at most
(|S' + g|^2 - |S'|^2) / 2 sigma^2 <= t^2 / 2 + t |Pb| / sigma, with P the projection on the unit's space, so that
D_k(q|p) <= k t^2 / 2 + h / (k - 1), where h is the excess of log E exp(s chi_r) over s^2 / 2 at s = (k - 1) t. That is
at most s sqrt(r), since chi_r is 1-Lipschitz with a mean below sqrt(r); and at most log 2 + (r - 1) log(1 + s / m_r),
from the density of chi_r, Minkowski's inequality for (s + X)^(r - 1) and the constants at s = 0. Both grow slower than
s, and k - 1 > 3 / (4 a). (Losses whose second derivative jumps are covered: all holds almost everywhere, by the area
formula for Lipschitz maps.)

**More units than expected.** In `gradients/objective.py` all units weigh s(n), which falls once there are more than N.
Then a unit that leaves is a step from weight s to 0 for it alone, of rho at most s^2 times the above; and one for all
others from s to s' = s(n - 1), with |g| <= q L, q <= 1 + e - s, and with eigenvalues of at most
(s' - s) / s <= 4 e / N that add up to at most q a, in d dimensions: by the same proof the root of its rho is at most
q t / sqrt(2) + 4 e / (N sqrt(2)) max(c a / t, 4/3 sqrt(d)). Roots of rho add up along a path (Bun, Steinke 2016, Lemma
5.2, with the best k). So the root is at most (1 + e) sqrt(rho) plus the last term. Where one unit replaces another it
is 2 sqrt(rho), or that.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from discreet.base.rounding import ball, rounded_up


def bound_unit_rho(shift: Fraction, curvature: Fraction, rank: int) -> arb:
    """Return the rho of one unit in an objective: `shift` is t, `curvature` is a above. To be called in balls."""
    t, a = ball(shift), ball(curvature)
    ratio = 3 * t / (4 * a)
    far = (ratio * arb(rank).sqrt()).min(arb(2).log() + (rank - 1) * (1 + ratio / _find_mean(rank)).log())
    return t**2 / 2 + a**2 * (_find_near()).max(far * 16 / 9)


def bound_rho(shift: Fraction, curvature: Fraction, rank: int, entries: int, units: int, ease: Fraction) -> float:
    """Return the rho of a pushed minimum under add-remove neighbours, rounded up: with e = `ease` and N = `units`."""

    def find_rho() -> arb:
        unit, a, t = bound_unit_rho(shift, curvature, rank), ball(curvature), ball(shift)
        others = (_find_near() * a / t).max(arb(entries).sqrt() * 4 / 3)
        return ((1 + ball(ease)) * unit.sqrt() + 4 * ball(ease) / units / arb(2).sqrt() * others) ** 2

    return rounded_up(find_rho)


def bound_replaced_rho(
    shift: Fraction, curvature: Fraction, rank: int, entries: int, units: int, ease: Fraction
) -> float:
    """Return the rho of a pushed minimum under replace neighbours, rounded up."""
    swapped = rounded_up(lambda: 4 * bound_unit_rho(shift, curvature, rank))
    return max(swapped, bound_rho(shift, curvature, rank, entries, units, ease))


def _find_near() -> arb:
    """Return c: what bounds (-log(1 - y) - y) / y^2 up to y = 3/4, where it is largest."""
    return (arb(4).log() - ball(Fraction(3, 4))) * 16 / 9


def _find_mean(rank: int) -> arb:
    """Return m_r: (E |X|^(r - 1))^(1 / (r - 1)) = (2^((r - 1) / 2) Gamma(r / 2) / sqrt(pi))^(1 / (r - 1))."""
    if rank == 1:
        return arb(1)
    half = ball(Fraction(rank, 2))
    return (arb(2).log() / 2 + (half.lgamma() - arb.pi().log() / 2) / (rank - 1)).exp()
