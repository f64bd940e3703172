"""Where a policy's ledger is: beside its file, or where its section [ledger] says."""

from __future__ import annotations

from pathlib import Path

from discreet.base.errors import LedgerError, PolicyError
from discreet.ledger import Place, Server
from discreet.policy import LedgerServer, Policy, load_raw, read_ledger_alone


def find_ledger_place(policy: Policy | Path) -> Place:
    """Return where the ledger is. Of a policy that is only a path, nothing but its section [ledger] need be right.

    A file that is no TOML at all names no server; then the ledger is the one beside it, if there is one.
    """
    if isinstance(policy, Policy):
        return _place(policy.path, policy.ledger)
    try:
        content = load_raw(policy)
    except PolicyError as wrong:
        if _beside(policy).exists():
            return _beside(policy)
        raise LedgerError(f"there is no ledger at {_beside(policy)}, and no other is named: {wrong}") from None
    return _place(policy, read_ledger_alone(content, policy))


def choose_new_place(policy: Policy) -> Place:
    """Return where to create the ledger; refuse a server's where there is a file's: it would be a second budget."""
    place = find_ledger_place(policy)
    beside = _beside(policy.path)
    if isinstance(place, Server) and beside.exists():
        raise LedgerError(
            f"this policy has a ledger already: {beside}. A second one would be a second budget; "
            "take [ledger] out of the policy, or move that file away if its budget is to be spent anew"
        )
    return place


def _place(path: Path, server: LedgerServer | None) -> Place:
    return Server(server.dsn_env, server.schema) if server is not None else _beside(path)


def _beside(path: Path) -> Path:
    return path.parent / ".discreet" / "ledger.db"
