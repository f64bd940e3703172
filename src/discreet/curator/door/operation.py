"""Operations: everything that looks at private rows. Each declares what it is, what it reads and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeVar, runtime_checkable

from discreet.base.canonical import Json, hash_json
from discreet.base.errors import OperationError
from discreet.base.exact import write_exact
from discreet.curator.door.desk import Desk
from discreet.curator.door.schedule import Schedule
from discreet.plan.identity import hash_plan
from discreet.plan.rows_plan import DeclaredPlan
from discreet.privacy.charges import Charge, round_charge

R = TypeVar("R", covariant=True)

VERSION = 1
"""The version of how identities are put together."""


@runtime_checkable
class Operation(Protocol[R]):
    """Something that reads private rows: a frozen value. Wings define these; SQL is the first.

    `charge` is an upper bound of what the whole run costs, in every currency. `run` asks a desk for draws and returns
    what was measured, which is recorded; `finish` makes the result of it, and reads nothing else. So `finish` may be
    called again at any time, by anybody, and is free. An operation with a `schedule` (see `Scheduled`) declares every
    loss in advance instead, and is charged for the schedule as a whole.
    """

    kind: ClassVar[str]
    """Which operation this is, for good: renaming its class does not change it."""

    version: ClassVar[int]
    """Raised when the same declaration comes to mean something else."""

    @property
    def charge(self) -> Charge:
        """What the run costs at most."""

    def parameters(self) -> Json:
        """Return all that shapes the result beside the plans, such as its noises."""

    def plans(self) -> tuple[DeclaredPlan, ...]:
        """Return every plan that the run may read."""

    def run(self, desk: Desk) -> bytes:
        """Measure, and return what is recorded: noisy numbers only, since a desk hands out nothing else."""

    def finish(self, measured: bytes) -> R:
        """Return the result of what was measured: a pure function."""


@runtime_checkable
class Scheduled(Protocol):
    """What an operation has beside the rest if its draws follow a fixed schedule."""

    @property
    def schedule(self) -> Schedule:
        """The loss of every draw, in order."""


@runtime_checkable
class Live(Protocol):
    """What an operation has beside the rest if it answers somebody while it runs, and lives until it is ended."""

    live: ClassVar[bool]
    """True. It tells results only after `Desk.confirm`, and a policy with a deadline refuses it."""


def find_schedule(operation: Operation[R]) -> Schedule | None:
    """Return the fixed schedule of an operation, if it has one."""
    return operation.schedule if isinstance(operation, Scheduled) else None


@dataclass(frozen=True)
class Declaration:
    """What an operation declared, read once: what is identified, charged, metered and run is then the same."""

    kind: str
    version: int
    parameters: Json
    plans: tuple[DeclaredPlan, ...]
    charge: Charge
    schedule: Schedule | None
    live: bool = False


def declare(operation: Operation[R]) -> Declaration:
    """Read what an operation declares, or refuse it where it declares nothing that can be charged."""
    plans, charge, schedule = tuple(operation.plans()), operation.charge, find_schedule(operation)
    if type(charge) is not Charge:
        raise OperationError(f"charge is {type(charge).__name__}; declare a Charge(epsilon, rho, delta)")
    if not plans:
        raise OperationError("plans() lists nothing; list every plan that is read")
    live = isinstance(operation, Live) and operation.live
    return Declaration(operation.kind, operation.version, operation.parameters(), plans, charge, schedule, live)


def identify(operation: Operation[R] | Declaration, version: str) -> str:
    """Return what an operation is for the ledger, on this version of the data.

    The hash covers its kind and version, its parameters, the forms of all its plans (which hold every bound and
    sensitivity), its charge, its schedule where it has one, and the data's version: all that shapes the result or
    what it costs.
    """
    declared = operation if isinstance(operation, Declaration) else declare(operation)
    charge = round_charge(declared.charge)
    form: dict[str, Json] = {
        "version": VERSION,
        "operation": [declared.kind, declared.version],
        "parameters": declared.parameters,
        "plans": [hash_plan(plan) for plan in declared.plans],
        "charge": [write_exact(each) for each in (charge.epsilon, charge.rho, charge.delta)],
        "data": version,
    }
    if declared.schedule is not None:
        form["schedule"] = declared.schedule.describe()
    return hash_json(form)
