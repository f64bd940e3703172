"""Many attributes of a person, of which one is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from .coins import Coins, check_count
from .errors import ClientError
from .mechanism import MOST_SEEDS, Mechanism, Randomised

MOST_ATTRIBUTES = 1000


@dataclass(frozen=True)
class Sampled(Mechanism):
    """Tells one attribute of a record, drawn evenly, by the mechanism of this attribute.

    Theorem: the attribute is drawn without looking at the record, so epsilon is the largest of the mechanisms': all of
    it goes to one attribute. An attribute is then told by 1 of d people; its variance grows d times, where a d-th of
    epsilon for each attribute would make it grow about d^2 times (Nguyen et al. 2016; Wang et al. 2019).
    """

    kind: ClassVar[str] = "sampled"
    takes: ClassVar[str] = "record"

    parts: tuple[Mechanism, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.parts, tuple) or not all(isinstance(each, Mechanism) for each in self.parts):
            raise ClientError("parts is a tuple of mechanisms, one for each attribute")
        check_count("number of parts", len(self.parts), 1, MOST_ATTRIBUTES)
        if any(isinstance(each, Sampled) for each in self.parts):
            raise ClientError("a part is sampled itself; write its parts among the others")
        check_count("seeds", self.seeds, 1, MOST_SEEDS)

    @property
    def epsilon(self) -> float:
        """What one report tells at most, rounded up."""
        return max(each.epsilon for each in self.parts)

    @property
    def each_seeds(self) -> int:
        """How many seeds are set apart for each attribute: as many as the mechanism has that needs most."""
        return max(each.seeds for each in self.parts)

    @property
    def seeds(self) -> int:
        """How many pairs of an attribute and a seed there are."""
        return len(self.parts) * self.each_seeds

    @property
    def payload_size(self) -> int:
        """How many bytes a payload has: as many as the longest one."""
        return max(each.payload_size for each in self.parts)

    def randomise(self, value: tuple[Any, ...], coins: Coins) -> Randomised:
        """Return a noisy attribute, filled up with zeros; its number and seed are the seed."""
        place = coins.choose(len(self.parts))
        seed, payload = self.parts[place].randomise(value[place], coins)
        return Randomised(place * self.each_seeds + seed, payload.ljust(self.payload_size, b"\0"))
