"""What a replay is given: an operation, databases, and what is declared of the loss; each is checked before any run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MethodType
from typing import Any

from discreet.audit.graybox.databases.neighbours import ReplayNeighbours, list_values, make_neighbours
from discreet.base import check
from discreet.base.check import Exact
from discreet.base.errors import ParameterError
from discreet.curator import Curator
from discreet.policy.model import Policy

GivenNeighbours = ReplayNeighbours | Sequence[Any] | Mapping[str, Any] | Policy | str | Path
GivenOperation = Callable[[Any], object] | str


@dataclass(frozen=True)
class DeclaredLoss:
    """What a caller declares of a plain function: of every mechanism how far it moves, or what all lose together."""

    sensitivity: Exact | None
    epsilon: float | None
    delta: float


def read_declared(
    operation: GivenOperation, found: ReplayNeighbours, sensitivity: Exact | None, epsilon: float | None, delta: float
) -> DeclaredLoss:
    """Return what is declared. A curator's operations have a meter, and of a question `epsilon` is what it spends."""
    if sensitivity is not None:
        sensitivity = check.real("sensitivity", sensitivity, least=0)
    if epsilon is not None:
        epsilon = float(check.real("epsilon", epsilon, least=0))
    check.delta("delta", delta)
    is_question = isinstance(operation, str)
    if found.groups[0][0].tables is not None:
        words = "left out: operations of a curator declare by themselves what they spend, and their meter is compared"
        for name, value in (("sensitivity", sensitivity), ("epsilon", None if is_question else epsilon)):
            if value is not None:
                raise ParameterError(name, value, words)
        if delta:
            raise ParameterError("delta", delta, words)
    return DeclaredLoss(sensitivity, None if is_question else epsilon, delta)


def read_operation(operation: GivenOperation, epsilon: float) -> Callable[[Any], object]:
    """Return a function of one database; a question is asked at this epsilon."""
    if isinstance(operation, str):
        return _ask(operation, epsilon)
    if not callable(operation):
        raise ParameterError("operation", operation, "a function of one database, or a question in SQL")
    return _look_up(operation)


def read_neighbours(given: GivenNeighbours) -> ReplayNeighbours:
    """Return databases and their neighbours: a policy's generated ones, or plain values."""
    if isinstance(given, ReplayNeighbours):
        return given
    if isinstance(given, str | Path | Policy):
        return make_neighbours(given)
    if isinstance(given, Sequence | Mapping):
        return list_values(given)
    raise ParameterError("neighbours", given, "a policy's path, what make_neighbours returned, or a list of databases")


def _ask(question: str, epsilon: float) -> Callable[[Curator], object]:
    return lambda curator: curator.ask(question, epsilon)


def _look_up(operation: Callable[[Any], object]) -> Callable[[Any], object]:
    """Return an operation that is looked up when it runs: a mechanism's own method is heard only under its name."""
    if not isinstance(operation, MethodType):
        return operation
    owner, name = operation.__self__, getattr(operation.__func__, "__name__", "")
    if getattr(owner, name, None) != operation:
        return operation
    return lambda given: getattr(owner, name)(given)
