"""A wing of one sum over the clinic's visits, and of whatever a test does beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from discreet.base.canonical import Json
from discreet.curator import Curator
from discreet.curator.door.clipping import Clip
from discreet.curator.door.desk import Desk
from discreet.curator.door.unit_functions import ColumnSums
from discreet.mechanisms import Gaussian, Laplace
from discreet.mechanisms.identity import describe_mechanism
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy.charges import Charge

CLIP, NOISE, ENOUGH = Clip(1 << 14, 2.0**-2), Laplace(2.0**17), Charge(Fraction(10), Fraction(100))


@dataclass(frozen=True)
class SumsOfCosts:
    """A wing of one sum, and of what a test does beside it."""

    kind: ClassVar[str] = "sums of costs"
    version: ClassVar[int] = 1

    plan: RowsPlan
    beside: Any = None
    clip: Clip = CLIP
    noise: Laplace | Gaussian = NOISE
    charge: Charge = ENOUGH

    def parameters(self) -> Json:
        return {"clip": self.clip.describe(), "noise": describe_mechanism(self.noise)}

    def plans(self) -> tuple[RowsPlan, ...]:
        return (self.plan,)

    def run(self, desk: Desk) -> bytes:
        told = [desk.sum(self.plan, ColumnSums(1), self.clip, self.noise)]
        if self.beside is not None:
            told += self.beside(desk, self, told[0])
        return json.dumps(told).encode()

    def finish(self, measured: bytes) -> object:
        return json.loads(measured)


def sum_costs(curator: Curator, beside: Any = None, **how: Any) -> object:
    session = curator.session()
    operation = SumsOfCosts(session.plan_rows("SELECT cost FROM visits"), beside, **how)
    return session.perform(operation, "sums of costs")
