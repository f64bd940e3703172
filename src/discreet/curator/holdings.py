"""What all sessions of a curator share, and which plans they made."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from discreet.base.errors import OperationError
from discreet.curator.asking.routes import Route
from discreet.curator.door.keeper import Keeper
from discreet.engines.engines import Engines
from discreet.ledger import Ledger
from discreet.plan.identity import hash_plan
from discreet.plan.rows_plan import DeclaredPlan
from discreet.policy.model import Policy
from discreet.query.catalog import Catalog

MOST_PLANS = 100_000
"""How many plans are remembered, so that asking for prices does not fill the memory."""


class IssuedPlans:
    """The plans that sessions made, as hashes. No other plan is run: what an engine enforces, and what follows from the
    policy and the public tables, is right in these, and nobody else can be asked to prove it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._hashes: dict[str, None] = {}

    def add(self, plan: DeclaredPlan) -> None:
        """Let operations declare this plan; the oldest one is forgotten when there are too many."""
        name = hash_plan(plan)
        with self._lock:
            self._hashes.pop(name, None)
            self._hashes[name] = None
            if len(self._hashes) > MOST_PLANS:
                del self._hashes[next(iter(self._hashes))]

    def check(self, plan: DeclaredPlan) -> None:
        """Refuse a plan that no session made."""
        name = hash_plan(plan)
        with self._lock:
            found = name in self._hashes
        if not found:
            raise OperationError(
                "this plan was changed, or not made by this curator: take it from session.prepare(...).operation.plan "
                "or from session.plan_rows(...)"
            )


@dataclass(frozen=True)
class Holdings:
    """What all sessions of a curator share."""

    policy: Policy
    engines: Engines
    catalog: Catalog
    ledger: Ledger
    keeper: Keeper
    routes: tuple[Route, ...] = ()
    served: bool = False
    """Whether analysts come through a server: then nobody is told of others, and every run has a public time."""

    issued: IssuedPlans = field(default_factory=IssuedPlans)
