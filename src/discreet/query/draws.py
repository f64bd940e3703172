"""How a plan is released: a noise for each measure, and how keys of the data are selected."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from discreet.base.canonical import Json
from discreet.base.errors import OperationError
from discreet.mechanisms import DiscreteGaussian, Gaussian, Laplace
from discreet.mechanisms.identity import describe_mechanism, renew_mechanism
from discreet.mechanisms.key_selection import KeySelection
from discreet.mechanisms.key_threshold import KeyThreshold
from discreet.mechanisms.quantile import Quantile
from discreet.query.choices import Choice

AdditiveNoise = Laplace | Gaussian
Draw = AdditiveNoise | Quantile
"""How one measure of a plan is released."""

DRAWS = (Laplace, Gaussian, Quantile)
"""The same as a closed list: subclasses are none of them."""

VectorNoise = AdditiveNoise | DiscreteGaussian
"""How a vector that is a sum over units is released."""

KeyChoice = KeySelection | KeyThreshold
"""How keys that come from the data are selected."""


@dataclass(frozen=True, slots=True)
class Draws:
    """How every measure of a plan is released.

    `counted` is the measure whose noisy counts a threshold on keys is compared with. `quantiles` are those that are
    looked for in a measure's tree of ranks: (measure, shares). With a `choice`, no measure is released: some keys are,
    chosen by their scores.
    """

    noises: tuple[Draw, ...]
    selection: KeyChoice | None = None
    counted: int | None = None
    quantiles: tuple[tuple[int, tuple[Fraction, ...]], ...] = ()
    choice: Choice | None = None

    def __post_init__(self) -> None:
        if self.counted is not None and not 0 <= self.counted < len(self.noises):
            raise OperationError(f"there is no measure {self.counted} to count: they are numbered from 0")

    @property
    def is_empty(self) -> bool:
        """Whether nothing is drawn: only keys that are public are shown."""
        return not self.noises and self.selection is None and self.choice is None

    def renew(self) -> Draws:
        """Return the same draws with mechanisms made anew from their fields."""
        noises = tuple(map(renew_mechanism, self.noises))
        choice = None if self.choice is None else replace(self.choice, pick=renew_mechanism(self.choice.pick))
        return replace(self, noises=noises, selection=renew_mechanism(self.selection), choice=choice)

    def describe(self) -> Json:
        """Return the form of all draws: equal for releases that are drawn alike, and only for those."""
        if self.choice is not None:
            return {"choice": self.choice.describe()}
        return {
            "noises": [describe_mechanism(noise) for noise in self.noises],
            "selection": None if self.selection is None else describe_mechanism(self.selection),
            "counted": self.counted,
            "quantiles": [[measure, [str(share) for share in shares]] for measure, shares in self.quantiles],
        }
