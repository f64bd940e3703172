"""Keys shown by their noisy counts: those above a threshold that a single unit hardly ever passes alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import arb, fmpq

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.rounding import ball, float_down, precision, up
from discreet.base.search import least_int
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.key_selection import delta_each
from discreet.mechanisms.laplace import Laplace


@dataclass(frozen=True)
class KeyThreshold:
    """Keeps a key whose noisy count is at least `level`; the noise is that of a count which is released anyway.

    One unit is in at most `groups` keys (twice that where neighbours replace a unit), with at most `rows` of the count
    in each.

    Theorem (Korolova, Kenthapadi, Mishra, Ntoulas 2009; Bun, Nissim, Stemmer 2016): release the noisy counts of the
    keys that the data holds, those below the level left out. If the noise alone makes this epsilon-differentially
    private (or rho-zCDP) for fixed keys, it is (epsilon, delta)-differentially private (delta-approximately rho-zCDP).
    Proof: let D' be D and one more unit, and call the keys that only D' holds new; there are at most `groups`, each
    with a count of at most `rows`. Each of them passes with probability Pr[noise >= level - rows] <= delta_0, so that
    under D' none does with probability 1 - d >= (1 - delta_0)^groups = 1 - delta. If none does, what is seen is the
    noise on the keys of D. So P'(S) <= e^epsilon P(S) + d, and with Q the probability under D' that the keys of D show
    S, P(S) <= min(1, e^epsilon Q) <= e^epsilon Q (1 - d) + d <= e^epsilon P'(S) + d.
    """

    noise: Laplace | Gaussian
    delta: float
    groups: int = 1
    rows: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.noise, Laplace | Gaussian):
            raise ParameterError("noise", self.noise, "Laplace or Gaussian noise")
        object.__setattr__(self, "delta", float_down(check.real("delta", self.delta, above=0, below=0.5)))
        object.__setattr__(self, "groups", check.integer("groups", self.groups, least=1))
        object.__setattr__(self, "rows", check.integer("rows", self.rows, least=1))

    @cached_property
    def level(self) -> int:
        """The least noisy count that is kept."""
        each = delta_each(self.delta, self.groups)
        return self.rows + least_int(lambda far: far > 0 and self.passes(far) <= each, start=1)

    def passes(self, far: int) -> float:
        """Return the probability that the noise is at least `far`, above 0, rounded up."""
        with precision():
            if isinstance(self.noise, Laplace):
                rate = 1 / ball(self.noise.scale)
                return up((-rate * far).exp() / (1 + (-rate).exp()))
            edge = (arb(far) - arb(fmpq(1, 2))) / ball(self.noise.sigma)
            return up((edge / arb(2).sqrt()).erfc() / 2)

    def release(self, noisy: list[int]) -> list[bool]:
        """Say which keys are kept, by their noisy counts."""
        return [count >= self.level for count in noisy]

    @property
    def each(self) -> Fraction:
        """The delta of one key."""
        return Fraction(delta_each(self.delta, self.groups))
