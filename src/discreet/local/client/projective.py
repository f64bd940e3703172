"""Projective geometry response: a point of a plane over a finite field, oftener one on the item's own line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from .coins import ONE, Coins, bound_log, check_count, check_epsilon, read_chance, take_chance
from .errors import ClientError
from .mechanism import ItemMechanism, Randomised, count_bytes, grow

MOST_VECTORS = 1 << 25
"""Vectors of the space: decoding transforms a table of them."""


@dataclass(frozen=True)
class ProjectiveResponse(ItemMechanism):
    """Tells a point of the projective space of dimension `length` - 1 over the field of `prime` elements.

    An item is a point, and its own points are those orthogonal to it. A report is one of these with a chance of
    `truth`, else one of all others; both evenly. Theorem (Feldman, Nelson, Nguyen, Talwar 2022): epsilon =
    ln[truth (points - own) / ((1 - truth) own)]. Any two items share the same number of points, so the mechanism is
    pure; with a prime near e^epsilon + 1 it errs like subset selection, and a report has a few bytes only.
    """

    kind: ClassVar[str] = "projective"

    size: int
    prime: int
    length: int
    truth: int

    def __post_init__(self) -> None:
        check_count("prime", self.prime, 2, 1 << 16)
        check_count("length", self.length, 2, 26)
        if not is_prime(self.prime):
            raise ClientError(f"prime is {self.prime}; write a prime number")
        check_count("vectors", self.prime**self.length, 4, MOST_VECTORS)
        check_count("size", self.size, 2, self.points)
        read_chance("truth", self.truth)

    @classmethod
    def calibrate(cls, epsilon: float, size: int) -> ProjectiveResponse:
        """Return the response with the least variance whose epsilon is this one, or a little less."""
        grown = grow(check_epsilon(epsilon, 10.0))
        check_count("size", size, 2, MOST_VECTORS)
        found = []
        for prime in range(2, math.ceil(2 * grown) + 4):
            length = next(each for each in range(2, 64) if count_points(prime, each) >= size)
            points, own = count_points(prime, length), count_points(prime, length - 1)
            if is_prime(prime) and prime**length <= MOST_VECTORS:
                found.append(cls(size, prime, length, take_chance(own * grown / (own * grown + points - own))))
        if not found:
            raise ClientError(f"epsilon is {epsilon!r} for {size:,} items; write less of either: too many points")
        return min(found, key=lambda each: (each.variance(), each.points))

    @property
    def points(self) -> int:
        """How many points there are."""
        return count_points(self.prime, self.length)

    @property
    def own(self) -> int:
        """How many points are orthogonal to one."""
        return count_points(self.prime, self.length - 1)

    @property
    def epsilon(self) -> float:
        """What one report tells at most, rounded up."""
        ratio = self.supported * (self.points - self.own) / ((1 - self.supported) * self.own)
        return bound_log(max(ratio, 1 / ratio))

    @property
    def supported(self) -> Fraction:
        """The chance that the point is one of the item's own."""
        return Fraction(self.truth, ONE)

    @property
    def strayed(self) -> Fraction:
        """The chance that the point is one of another item's."""
        shared = count_points(self.prime, self.length - 2)
        inside = self.supported * Fraction(shared, self.own)
        return inside + (1 - self.supported) * Fraction(self.own - shared, self.points - self.own)

    @property
    def payload_size(self) -> int:
        """How many bytes a payload has."""
        return count_bytes(self.points - 1)

    def randomise(self, value: int, coins: Coins) -> Randomised:
        """Return the number of a point."""
        item, orthogonal = find_point(value, self.prime, self.length), coins.toss(self.truth)
        pivot = next(place for place, each in enumerate(item) if each)
        while True:
            drawn = [coins.choose(self.prime) for _ in range(self.length)]
            if orthogonal:
                rest = sum(a * b for a, b in zip(item, drawn, strict=True)) - drawn[pivot]
                drawn[pivot] = -rest % self.prime
            apart = sum(a * b for a, b in zip(item, drawn, strict=True)) % self.prime
            if any(drawn) and bool(apart) != orthogonal:
                break
        return Randomised(0, find_number(drawn, self.prime).to_bytes(self.payload_size, "little"))


def count_points(prime: int, length: int) -> int:
    """Return how many points a projective space has: vectors other than 0, up to a factor."""
    return int((prime**length - 1) // (prime - 1))


def find_point(number: int, prime: int, length: int) -> list[int]:
    """Return the vector of a point: after some zeros a 1, then the digits of its number among these."""
    free = length - 1
    while number >= prime**free:
        number -= prime**free
        free -= 1
    digits = [number // prime**place % prime for place in reversed(range(free))]
    return [0] * (length - 1 - free) + [1] + digits


def find_number(vector: list[int], prime: int) -> int:
    """Return the number of the point that a vector other than 0 lies on."""
    pivot = next(place for place, each in enumerate(vector) if each)
    inverse = pow(vector[pivot], -1, prime)
    free = len(vector) - 1 - pivot
    number = sum(int(prime**more) for more in range(free + 1, len(vector)))
    for at, each in enumerate(vector[pivot + 1 :]):
        number += each * inverse % prime * int(prime ** (free - 1 - at))
    return number


def is_prime(number: int) -> bool:
    """Say whether a small number is prime."""
    return number > 1 and all(number % each for each in range(2, math.isqrt(number) + 1))
