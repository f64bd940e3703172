"""A small wing that begins watches and asks them about the clinic's visits."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from discreet.base.canonical import Json
from discreet.curator import Curator
from discreet.curator.door.desk import Desk
from discreet.families import Ranges
from discreet.families.domain import Domain
from discreet.mechanisms import SparseVector
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy.charges import Charge

BITS = "SELECT CASE WHEN age > 60 THEN 1 ELSE 0 END AS old, CASE WHEN ward = 'icu' THEN 1 ELSE 0 END AS icu FROM visits"
PAIRS = Ranges(Domain((2, 2)), (0,), (((0, 1),), ((1, 2),)))

ENOUGH = Charge(Fraction(200), Fraction(20_000))


@dataclass(frozen=True)
class Watching:
    """Begins watches, and asks which of them is named, one after another, whether a count is above a threshold."""

    kind: ClassVar[str] = "watching"
    version: ClassVar[int] = 1

    plan: RowsPlan
    watches: Sequence[SparseVector]
    asked: Sequence[int]
    threshold: int
    charge: Charge = ENOUGH

    def parameters(self) -> Json:
        return {}

    def plans(self) -> tuple[RowsPlan, ...]:
        return (self.plan,)

    def run(self, desk: Desk) -> bytes:
        begun = [desk.start_watch(self.plan, each, self.plan.rows) for each in self.watches]
        said = [desk.exceeds(begun[each], PAIRS, place % 2, 0, self.threshold) for place, each in enumerate(self.asked)]
        return json.dumps(said).encode()

    def finish(self, measured: bytes) -> object:
        return json.loads(measured)


def watch(curator: Curator, watches: Sequence[SparseVector], asked: Sequence[int], threshold: int) -> object:
    session = curator.session()
    return session.perform(Watching(session.plan_rows(BITS), watches, asked, threshold), "watching")
