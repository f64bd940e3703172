"""Projective geometry response, counted by point and decoded by one transform over the finite field."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.base.wide import Ints
from discreet.local.client import ProjectiveResponse
from discreet.local.client.projective import count_points
from discreet.local.oracles.oracle import Batch, Counted, ItemOracle, pack_numbers, toss, unpack_numbers
from discreet.noise import uniform_int


class ProjectiveOracle(ItemOracle[ProjectiveResponse]):
    """Counts how often each point was told."""

    @property
    def shape(self) -> tuple[int, ...]:
        """A count for each point."""
        return (self.mechanism.points,)

    def encode(self, values: Any) -> Batch:
        """Return a report for each item."""
        prime, length = self.mechanism.prime, self.mechanism.length
        items = find_points(np.asarray(values, dtype=np.int64), prime, length)
        orthogonal = toss(self.mechanism.truth, len(items))
        drawn = np.zeros_like(items)
        left = np.arange(len(items))
        while len(left):
            own, near = items[left], orthogonal[left]
            fresh = uniform_int(prime, own.shape)
            pivots = (own != 0).argmax(axis=1)
            lines = np.arange(len(left))
            products = (own * fresh).sum(axis=1)
            fresh[lines, pivots] = np.where(near, (fresh[lines, pivots] - products) % prime, fresh[lines, pivots])
            drawn[left] = fresh
            apart = (own * fresh).sum(axis=1) % prime != 0
            left = left[(apart == near) | ~fresh.any(axis=1)]
        numbers = find_numbers(drawn, prime)
        return Batch(np.zeros(len(items), dtype=np.int64), pack_numbers(numbers, self.mechanism.payload_size))

    def count(self, batch: Batch) -> Counted:
        """Return how often each point was told."""
        told = unpack_numbers(batch.payloads)
        good = (told < self.mechanism.points) & (batch.seeds == 0)
        return Counted(np.bincount(told[good], minlength=self.mechanism.points), good)

    def find_supports(self, counts: Ints) -> Ints:
        """Return how many told points are orthogonal to each item's.

        Where a count stands at every multiple of its point, the Fourier transform at u adds, for each told point v,
        prime - 1 if it is orthogonal to u and -1 if not. So the supports are (transform + reports) / prime: whole
        numbers, which the transform's round-off (below 2^-20 for up to 2^30 reports) is rounded away from.
        """
        prime, length = self.mechanism.prime, self.mechanism.length
        points = find_points(np.arange(self.mechanism.points), prime, length)
        places = prime ** np.arange(length - 1, -1, -1)
        table = np.zeros(prime**length)
        for factor in range(1, prime):
            table[(points * factor % prime) @ places] = counts
        transformed = np.fft.fftn(table.reshape((prime,) * length)).real.ravel()
        own = points[: self.mechanism.size] @ places
        return np.asarray(np.rint((transformed[own] + counts.sum()) / prime), dtype=np.int64)


def find_points(numbers: Ints, prime: int, length: int) -> Ints:
    """Return the vectors of points, as `client.projective.find_point` does."""
    first = np.array([count_points(prime, length) - count_points(prime, length - at) for at in range(length)])
    pivots = np.searchsorted(first, numbers, side="right") - 1
    rest = numbers - first[pivots]
    digits = rest[:, None] // prime ** np.arange(length - 1, -1, -1) % prime
    digits[np.arange(len(numbers)), pivots] = 1
    return np.asarray(digits)


def find_numbers(vectors: Ints, prime: int) -> Ints:
    """Return the numbers of the points that vectors lie on, as `client.projective.find_number` does."""
    length = vectors.shape[1]
    inverses = np.array([0, *(pow(each, -1, prime) for each in range(1, prime))])
    pivots = (vectors != 0).argmax(axis=1)
    lines = np.arange(len(vectors))
    scaled = vectors * inverses[vectors[lines, pivots]][:, None] % prime
    scaled[lines, pivots] = 0
    first = np.array([count_points(prime, length) - count_points(prime, length - at) for at in range(length)])
    return np.asarray(first[pivots] + scaled @ prime ** np.arange(length - 1, -1, -1))
