"""The data version: the operator's name for a state of the data, and whether the files changed since it was given.

Only the operator moves it. If a changed file moved it by itself, "free or charged" would tell an analyst whether
anybody's rows changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from shlex import quote

from discreet.base.errors import PolicyError
from discreet.base.showing import ShownAsText
from discreet.ledger import Ledger
from discreet.policy.model import Policy, SourceFormat, Table
from discreet.policy.problems import explain_problem

FIRST = "1"
"""The version of data that nobody named."""

NOTE = "DATA"
"""The kind of the ledger's entries about accepted data."""


@dataclass(frozen=True, slots=True, repr=False)
class DataState(ShownAsText):
    """What is known of one table's data. For the operator: it tells whether anybody's rows changed."""

    table: str
    version: str
    declared: bool
    """Whether the policy names the version; then the owner moves it there, and files are not watched."""
    accepted: bool
    """Whether the files that are there now are the ones that the version stands for."""
    known: bool
    """Whether any files were ever accepted."""

    @property
    def remedy(self) -> str | None:
        """What the operator is to do, if anything."""
        if self.accepted:
            return None
        what = f"changed since version {self.version!r} was accepted" if self.known else "was never accepted"
        return f"{self.table} {what}: `discreet data accept {quote(self.table)} --version NAME` takes it as it is now"

    def __str__(self) -> str:
        return f"{self.table}: version {self.version!r}" if self.remedy is None else self.remedy


def find_version(table: Table, ledger: Ledger) -> str:
    """Return the policy's version of a table, else the accepted one."""
    if table.version is not None:
        return table.version
    accepted = ledger.get_state(f"version of {table.name}")
    return accepted.decode() if accepted is not None else FIRST


def is_watched(table: Table) -> bool:
    """Say whether a table's source is compared with what it was: not where the policy names its version."""
    return table.version is None and table.format is not SourceFormat.PYTHON


def remember(ledger: Ledger, fingerprints: Mapping[str, str]) -> None:
    """Store what the sources look like now, under the first version: what a new ledger begins with."""
    for table, found in fingerprints.items():
        ledger.set_state(f"fingerprint of {table}", found.encode())


Fingerprint = Callable[[str], str]
"""A table's name to a hash of its source, that changes when it does."""


def list_data_states(policy: Policy, ledger: Ledger, fingerprint: Fingerprint) -> tuple[DataState, ...]:
    """Return what is known of every table's data."""
    return tuple(_find_state(table, ledger, fingerprint) for table in policy.tables)


def accept_data(policy: Policy, ledger: Ledger, fingerprint: Fingerprint, name: str, version: str) -> DataState:
    """Take a table's files as they are now under a version that it never had: earlier answers stay with theirs.

    No budget is given back: the people in the data are the same.
    """
    table = policy.table(name)
    key = ("tables", table.name, "version")
    if table.version is not None:
        wrong = f"the policy names the version of this table, {table.version!r}"
        raise explain_problem(policy.path, key, wrong, "change version in the policy")
    if table.format is SourceFormat.PYTHON:
        wrong = "this table is handed over from Python, and no file of it can be watched"
        raise explain_problem(policy.path, key, wrong, "name its version in the policy")
    if not version.strip():
        raise PolicyError("a version needs a name, such as 2026-03")
    if ledger.get_state(f"fingerprint of {table.name}") is not None and version in _list_earlier(table, ledger):
        raise PolicyError(f"{table.name} had version {version!r} already, and its answers stay with it; name another")
    found = fingerprint(table.name)
    ledger.set_state(f"version of {table.name}", version.encode())
    ledger.set_state(f"fingerprint of {table.name}", found.encode())
    ledger.note(NOTE, {"table": table.name, "version": version, "fingerprint": found})
    return _find_state(table, ledger, fingerprint)


def _find_state(table: Table, ledger: Ledger, fingerprint: Fingerprint) -> DataState:
    version = find_version(table, ledger)
    if table.version is not None or table.format is SourceFormat.PYTHON:
        return DataState(table.name, version, table.version is not None, True, True)
    known = ledger.get_state(f"fingerprint of {table.name}")
    same = known is not None and known.decode() == fingerprint(table.name)
    return DataState(table.name, version, False, same, known is not None)


def _list_earlier(table: Table, ledger: Ledger) -> set[str]:
    """Return every version that a table's data had."""
    notes = [entry.body["details"] for entry in ledger.entries() if entry.kind == NOTE]
    named = {str(note["version"]) for note in notes if note.get("table") == table.name}
    return {FIRST, find_version(table, ledger)} | named
