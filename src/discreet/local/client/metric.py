"""A metric: what is collected, by which mechanism, and how much of it a person tells in a lifetime."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .coins import Coins, SystemCoins, check_count
from .domain import Records, ValueDomain, is_number, read_domain
from .errors import ClientError
from .kinds import read_mechanism
from .mechanism import Mechanism, Randomised, count_bytes
from .report import HASH_SIZE, MOST_NAME, MOST_PAYLOAD, Report
from .sampled import Sampled

FORMAT = 1
SYSTEM = SystemCoins()


@dataclass(frozen=True)
class Metric:
    """What is collected. Whoever collects and whoever reports hold the same metric, and a report names its hash.

    `lifetime` is the epsilon that a person's reports may tell in all, and `daily` those of one day, looked at alone; a
    metric without the first does not start.
    """

    name: str
    domain: ValueDomain
    mechanism: Mechanism
    lifetime: float
    daily: float | None = None
    version: int = 1

    def __post_init__(self) -> None:
        if not _is_name(self.name):
            raise ClientError(f"the metric's name is {self.name!r}; write a text of 1 to {MOST_NAME} bytes")
        check_count("version", self.version, 1, 1 << 31)
        check_fit(self.domain, self.mechanism)
        if self.mechanism.payload_size > MOST_PAYLOAD:
            raise ClientError(f"a report would have {self.mechanism.payload_size:,} bytes: at most {MOST_PAYLOAD:,}")
        for name in ("lifetime", "daily"):
            cap = getattr(self, name)
            if (name == "lifetime" or cap is not None) and not _is_cap(cap):
                raise ClientError(f"{name} is {cap!r}; write the epsilon that a person's reports may tell, above 0")
            if cap is not None:
                object.__setattr__(self, name, float(cap))

    @cached_property
    def parameters(self) -> bytes:
        """The first bytes of the hash of everything that the metric says."""
        return hashlib.sha256(self.to_json().encode()).digest()[:HASH_SIZE]

    @cached_property
    def seed_width(self) -> int:
        """How many bytes a seed has in a report."""
        return count_bytes(self.mechanism.seeds - 1) if self.mechanism.seeds > 1 else 0

    def encode(self, value: Any, coins: Coins = SYSTEM) -> Report:
        """Return a report of a value. It counts nothing: a `Client` keeps a person's ledger."""
        return self.wrap(self.mechanism.randomise(self.place(value), coins))

    def place(self, value: Any) -> Any:
        """Return what is randomised for a value; an object that cannot even be looked at counts as none."""
        try:
            return self.domain.place(value)
        except Exception:
            return self.domain.place(None)

    def wrap(self, randomised: Randomised) -> Report:
        """Return what a mechanism made, with the metric's name and parameters beside it."""
        seed, payload = randomised
        return Report(self.name, self.parameters, self.mechanism.kind, seed, self.seed_width, payload)

    def to_json(self) -> str:
        """Return the metric as JSON, always the same text."""
        form = {
            "format": FORMAT,
            "metric": self.name,
            "version": self.version,
            "domain": self.domain.describe(),
            "mechanism": self.mechanism.describe(),
            "lifetime": self.lifetime,
            "daily": self.daily,
        }
        return json.dumps(form, sort_keys=True, separators=(",", ":"))


def check_fit(domain: ValueDomain, mechanism: Mechanism) -> None:
    """Refuse a mechanism that does not randomise what a domain gives."""
    if domain.gives != mechanism.takes:
        raise ClientError(
            f"{domain.kind} give each person's {domain.gives}, and the mechanism {mechanism.kind} takes a "
            f"{mechanism.takes}: choose another"
        )
    for name, shown in (("size", "items"), ("bits", "bits")):
        ours, theirs = getattr(mechanism, name, None), getattr(domain, name, None)
        if ours is not None and theirs is not None and ours != theirs:
            raise ClientError(f"the mechanism has {ours:,} {shown} and the domain {theirs:,}: make them equal")
    if isinstance(mechanism, Sampled) and isinstance(domain, Records):
        if len(mechanism.parts) != len(domain.domains):
            raise ClientError(f"there are {len(mechanism.parts)} mechanisms for {len(domain.domains)} attributes")
        for part, each in zip(mechanism.parts, domain.domains, strict=True):
            check_fit(each, part)


def read_metric(text: str | bytes) -> Metric:
    """Return the metric of a JSON text."""
    try:
        form = json.loads(text)
    except (ValueError, RecursionError):
        raise ClientError(
            "this is no JSON; a metric is written by Metric.to_json, or by `discreet local metric -o`"
        ) from None
    fields = {"format", "metric", "version", "domain", "mechanism", "lifetime", "daily"}
    if not isinstance(form, dict) or set(form) != fields or form["format"] != FORMAT:
        raise ClientError(f"a metric of format {FORMAT} has the fields {', '.join(sorted(fields))}")
    domain, mechanism = read_domain(form["domain"]), read_mechanism(form["mechanism"])
    return Metric(form["metric"], domain, mechanism, form["lifetime"], form["daily"], form["version"])


def _is_name(value: object) -> bool:
    try:
        return isinstance(value, str) and 1 <= len(value.encode()) <= MOST_NAME
    except UnicodeEncodeError:
        return False


def _is_cap(value: object) -> bool:
    return is_number(value) and value > 0  # type: ignore[operator]
