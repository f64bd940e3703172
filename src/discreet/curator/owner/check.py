"""`discreet check`: does everything fit? The policy, its sources, its ledger and the data's versions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from discreet.base.errors import LedgerError, PolicyError
from discreet.curator.curator import Curator
from discreet.curator.owner.ledger_place import find_ledger_place
from discreet.engines.engines import Engines
from discreet.policy import Policy, load


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at, and whether something is to be done about it."""

    what: str
    words: str
    to_do: bool = False


def check_policy(path: Path) -> Iterator[Finding]:
    """Yield everything that was found. Schemas are read and public facts are compared; no private row is read."""
    try:
        policy = load(path)
    except PolicyError as wrong:
        yield from (Finding("policy", line, True) for line in str(wrong).splitlines())
        return
    yield Finding("policy", f"{path}: {_budget(policy)}, neighbours {policy.neighbours.value}")
    yield from (Finding("warning", warning) for warning in policy.warnings())
    try:
        with closing(Engines(policy, partly=True)) as engines:
            engines.open_all()
    except PolicyError as wrong:
        yield from (Finding("source", line, True) for line in str(wrong).splitlines())
        return
    place = find_ledger_place(policy)
    if isinstance(place, Path) and not place.exists():
        yield Finding("ledger", "there is none yet: `discreet init` creates it", True)
        return
    try:
        with Curator.open(path, operator=True) as curator:
            curator.check_views()
            yield from _opened(curator)
    except LedgerError as wrong:
        yield Finding("ledger", str(wrong), True)
    except PolicyError as wrong:
        yield from (Finding("policy", line, True) for line in str(wrong).splitlines())


def _opened(curator: Curator) -> Iterator[Finding]:
    for resolved, state in zip(curator.tables.tables, curator.data_states, strict=True):
        table = resolved.table
        whose = "public" if table.public else f"unit {table.whose}" if table.unit else "every row is a unit"
        columns = f"{len(resolved.columns)} column" + ("s" if len(resolved.columns) != 1 else "")
        yield Finding("table", f"{table.name}: {whose}, {columns}, version {state.version!r}")
        if state.remedy is not None:
            yield Finding("data", state.remedy, True)
    verified = curator.ledger.verify()
    if verified.ok:
        yield Finding(
            "ledger", f"{find_ledger_place(curator.policy)}: {verified.entries} entries, the chain holds together"
        )
    yield from (Finding("ledger", wrong, True) for wrong in verified.problems)
    for each in curator.ledger.suspended:
        yield Finding("analyst", f"{each} at {each.at[:19]}: see to it, then run `{each.remedy}`", True)


def _budget(policy: Policy) -> str:
    words = f"epsilon {float(policy.epsilon):g}" + (f", delta {float(policy.delta):g}" if policy.delta else "")
    return words + (f", {len(policy.analysts)} with caps of their own" if policy.analysts else "")
