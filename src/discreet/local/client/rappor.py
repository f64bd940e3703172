"""RAPPOR (Erlingsson, Pihur, Korolova 2014): a Bloom filter of a text, noise that stays, and noise that does not.

A report has the same bits as the reference clients would send. A text's bits are the first bytes of MD5(cohort, text),
modulo the number of bits. The permanent noise takes one byte of a keyed hash for each bit: the lowest place is a fair
coin, and the other seven say whether that coin replaces the bit.
"""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from .coins import ONE, Coins, KeyedCoins, bound_log, check_count, read_chance
from .errors import ClientError
from .mechanism import Mechanism, Randomised

SHARES = 128
"""The permanent noise replaces a bit with a chance of so many parts: seven places of a byte decide."""

MOST_BITS = 256
MOST_HASHES = 16
MOST_COHORTS = 1 << 16
DIGEST = 32
LABEL = b"discreet rappor secret 1"
MOST_COUNTED = 1 << 12
"""Reports whose joint epsilon is computed exactly; more get a bound that holds for any number of them."""


@dataclass(frozen=True)
class Rappor(Mechanism):
    """Sets `hashes` of `bits` bits by the text and the cohort, and randomises every bit twice.

    The permanent noise replaces a bit by a fair coin with a chance of `f` / 128, once for each Bloom filter. A report
    sets a bit with a chance of q / 2^64 where the permanent one is set, and p / 2^64 where it is not.

    Theorem (Erlingsson et al. 2014): two texts differ in at most `hashes` bits either way. With q* and p* the chances
    that a report sets a bit which the text sets or does not, one report tells h ln[q*(1 - p*) / (p*(1 - q*))] at most;
    and all reports of a text that never changes together tell 2h ln[(1 - f/2) / (f/2)] at most.
    """

    kind: ClassVar[str] = "rappor"
    takes: ClassVar[str] = "text"
    remembers: ClassVar[bool] = True

    bits: int
    hashes: int
    cohorts: int
    p: int
    q: int
    f: int

    def __post_init__(self) -> None:
        check_count("bits", self.bits, 2, MOST_BITS)
        check_count("hashes", self.hashes, 1, min(self.bits, MOST_HASHES))
        check_count("cohorts", self.cohorts, 1, MOST_COHORTS)
        check_count("f", self.f, 0, SHARES - 1)
        if read_chance("p", self.p) == read_chance("q", self.q):
            raise ClientError("p and q are equal: such reports tell nothing; write two chances that differ")

    @classmethod
    def take(cls, bits: int, hashes: int, cohorts: int, p: float, q: float, f: float) -> Rappor:
        """Return the mechanism of probabilities. Of f, the next 128th above is taken: that tells no more than asked."""
        for name, value in (("p", p), ("q", q), ("f", f)):
            if isinstance(value, bool) or not isinstance(value, int | float | Fraction) or not 0 <= value <= 1:
                raise ClientError(f"{name} is {value!r}; write a probability, from 0 to 1")
        chances = [round(Fraction(value) * ONE) for value in (p, q)]
        return cls(bits, hashes, cohorts, chances[0], chances[1], math.ceil(Fraction(f) * SHARES))

    @property
    def set_if_true(self) -> Fraction:
        """The chance q* that a report sets a bit which the text sets."""
        return self._mix(self.q, self.p)

    @property
    def set_if_false(self) -> Fraction:
        """The chance p* that a report sets a bit which the text does not set."""
        return self._mix(self.p, self.q)

    @property
    def epsilon(self) -> float:
        """What one report tells at most, rounded up."""
        return self.bound_constant(1)

    @property
    def constant(self) -> float:
        """What all reports of a text that never changes tell at most, rounded up; infinite without permanent noise."""
        if not self.f:
            return math.inf
        return _scale(2 * self.hashes, bound_log(Fraction(2 * SHARES - self.f, self.f)))

    def bound_constant(self, reports: int) -> float:
        """Return what so many reports of one text that never changes tell at most, rounded up.

        A bit of all reports depends on the permanent bit alone, so the likeliest evidence is that all reports set it,
        or none: h ln[r(q, p) r(1 - p, 1 - q)] with r(a, b) = [(1 - f/2) a^n + (f/2) b^n] / [(f/2) a^n + (1 - f/2) b^n].
        """
        check_count("reports", reports, 1, 1 << 63)
        if not self.f or reports > MOST_COUNTED:
            return min(self.constant, _scale(reports, self._bound_exactly(1)))
        return min(self.constant, self._bound_exactly(reports))

    def bound_lifetime(self, reports: int) -> float:
        """Return what so many reports tell at most, however the text changes, rounded up.

        Theorem. Say p < q, and let L be the larger of ln(q / p) and ln((1 - p) / (1 - q)). The first report tells
        `epsilon`. Given all earlier ones, a later one sets each of its bits with a chance between p and q, so a bit of
        it tells L at most: a permanent bit that was met before is known by now, and a new one is not. This concerns
        all bits, for whether two reports are of one text shows in all of them: n times epsilon is no bound.
        And n reports of one bit have a probability of at most q^a (1 - p)^b, for a ones and b zeros, and at least, for
        each text among them, 2 sqrt(w (1 - w)) times the root of (q p)^a' ((1 - q) (1 - p))^b', where w = f/2 (the
        inequality of the means): n (L / 2 - ln(2 sqrt(w (1 - w)))) at most.
        """
        if check_count("reports", reports, 1, 1 << 40) == 1:
            return self.epsilon
        low, high = sorted((self.p, self.q))
        step = bound_log(max(Fraction(high, low), Fraction(ONE - low, ONE - high)))
        chained = self.epsilon + (reports - 1) * self.bits * step
        if self.f:
            spread = bound_log(Fraction(SHARES**2, self.f * (2 * SHARES - self.f)))
            chained = min(chained, reports * self.bits * (step + spread) / 2)
        return chained * (1 + 2.0**-45)

    def sum_epsilon(self, reports: int) -> Fraction:
        """Return what so many reports of one person tell at most, however the text changes."""
        return Fraction(self.bound_lifetime(reports)) if reports else Fraction(0)

    @property
    def seeds(self) -> int:
        """How many cohorts there are."""
        return self.cohorts

    @property
    def payload_size(self) -> int:
        """How many bytes a payload has."""
        return -(-self.bits // 8)

    def find_places(self, text: bytes, cohort: int) -> tuple[int, ...]:
        """Return which bits a text sets in a cohort: one for each hash, maybe one of them twice."""
        digest = hashlib.md5(cohort.to_bytes(4, "big") + text, usedforsecurity=False).digest()
        return tuple(byte % self.bits for byte in digest[: self.hashes])

    def find_rows(self, text: bytes) -> tuple[int, ...]:
        """Return a text's row of the reference's map: cohort * bits + bit + 1, for every cohort and hash."""
        cohorts = range(self.cohorts)
        return tuple(cohort * self.bits + place + 1 for cohort in cohorts for place in self.find_places(text, cohort))

    def filter(self, text: bytes, cohort: int) -> int:
        """Return a text's Bloom filter in a cohort, the first bit in the lowest place."""
        return sum(1 << place for place in set(self.find_places(text, cohort)))

    def settle(self, bloom: int, secret: bytes, label: bytes = b"") -> int:
        """Return the permanent bits of a Bloom filter: always the same for one secret.

        Up to 32 bits come from HMAC-SHA256(secret, label + filter); more come from HMAC-DRBG, as in the reference's
        C++ client. The reference's Python client has no label, and its C++ client the byte 1 and the metric's name.
        """
        stream = make_stream(secret, label + bloom.to_bytes(max(4, self.payload_size), "big"), self.bits)
        replaced = _place_bits(byte >> 1 < self.f for byte in stream)
        return _replace(bloom, replaced, _place_bits(byte & 1 == 1 for byte in stream))

    def report(self, permanent: int, coins: Coins) -> int:
        """Return the bits of one report, given the permanent ones: one coin for each bit, in their order."""
        places = range(self.bits)
        return _place_bits(coins.toss(self.q if permanent >> place & 1 else self.p) for place in places)

    def pack(self, cohort: int, noisy: int) -> Randomised:
        """Return a report's bits as they are sent."""
        return Randomised(cohort, noisy.to_bytes(self.payload_size, "little"))

    def forget(self, bloom: int, coins: Coins) -> int:
        """Return permanent bits of a Bloom filter that nobody will draw again."""
        replaced = _place_bits(coins.toss(self.f * (ONE // SHARES)) for _ in range(self.bits))
        return _replace(bloom, replaced, _place_bits(coins.toss(ONE // 2) for _ in range(self.bits)))

    def randomise(self, value: bytes, coins: Coins) -> Randomised:
        """Return a report of somebody who reports once: cohort and permanent noise are drawn and forgotten."""
        cohort = coins.choose(self.cohorts)
        return self.pack(cohort, self.report(self.forget(self.filter(value, cohort), coins), coins))

    def recall(self, value: bytes, secret: bytes, coins: Coins) -> Randomised:
        """Return a report whose cohort and permanent noise are functions of a secret.

        The secret serves one person, one metric and version. With one secret for two metrics, equal permanent bits
        would tell that two values are equal, for certain and for ever. A device that loses it starts anew.
        """
        cohort = KeyedCoins(secret, b"cohort").choose(self.cohorts)
        permanent = self.settle(self.filter(value, cohort), derive_secret(secret, "permanent", cohort))
        return self.pack(cohort, self.report(permanent, coins))

    def _mix(self, own: int, other: int) -> Fraction:
        return Fraction((2 * SHARES - self.f) * own + self.f * other, 2 * SHARES * ONE)

    def _bound_exactly(self, reports: int) -> float:
        low, high = sorted((self.p, self.q))
        ratio = self._weigh(high, low, reports) * self._weigh(ONE - low, ONE - high, reports)
        return _scale(self.hashes, bound_log(ratio))

    def _weigh(self, likelier: int, other: int, reports: int) -> Fraction:
        """Return how much likelier it is that all reports have the same bit, where the text has it than where not."""
        often, seldom = likelier**reports, other**reports
        stayed, turned = 2 * SHARES - self.f, self.f
        return Fraction(stayed * often + turned * seldom, turned * often + stayed * seldom)


def derive_secret(secret: bytes, *parts: str | int) -> bytes:
    """Return a secret for one purpose. Every part has its length before it, so no two lists of parts look alike."""
    label = b"".join(len(part).to_bytes(4, "big") + part for part in (str(each).encode() for each in parts))
    return hmac.new(secret, LABEL + label, hashlib.sha256).digest()


def make_stream(secret: bytes, message: bytes, count: int) -> bytes:
    """Return so many pseudorandom bytes: HMAC-SHA256, and beyond its 32 bytes HMAC-DRBG (NIST SP 800-90A)."""
    if count <= DIGEST:
        return hmac.new(secret, message, hashlib.sha256).digest()[:count]
    return make_long_stream(secret + message, count)


def make_long_stream(seed: bytes, count: int) -> bytes:
    """Return the first bytes of HMAC-DRBG with SHA-256, of that seed and no reseeding (NIST SP 800-90A, 10.1.2)."""
    key, state, found = bytes(DIGEST), b"\x01" * DIGEST, b""
    for mark in (b"\x00", b"\x01"):
        key = hmac.new(key, state + mark + seed, hashlib.sha256).digest()
        state = hmac.new(key, state, hashlib.sha256).digest()
    while len(found) < count:
        state = hmac.new(key, state, hashlib.sha256).digest()
        found += state
    return found[:count]


def write_bits(noisy: int, bits: int) -> str:
    """Return a report's bits as the reference's files hold them: the last bit first."""
    return format(noisy, f"0{bits}b")


def _replace(bloom: int, replaced: int, fair: int) -> int:
    """Return the permanent bits: a fair coin where a bit is replaced, and the Bloom filter's own elsewhere."""
    return (bloom & ~replaced) | (fair & replaced)


def _place_bits(bits: Iterable[bool]) -> int:
    return sum(1 << place for place, bit in enumerate(bits) if bit)


def _scale(times: int, bound: float) -> float:
    """Return a multiple of a bound, rounded up."""
    return bound if times == 1 else math.nextafter(times * bound, math.inf)
