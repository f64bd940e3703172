"""The policy in the chain: every change of it is an entry, and what it protects never changes."""

from __future__ import annotations

from typing import Any

from discreet.base.errors import LedgerError
from discreet.ledger.database import Database
from discreet.ledger.entries import chain
from discreet.ledger.facts import check_protected, list_changes


def check_policy(db: Database, facts: dict[str, Any]) -> None:
    """Raise if the ledger counted for something else than these facts protect."""
    check_protected(_read_policy(db)["protected"], facts)


def adopt_policy(db: Database, now: str, facts: dict[str, Any]) -> None:
    """Write what changed in the policy into the chain, or raise if it protects something else now."""
    body = _read_policy(db)
    known = check_protected(body["protected"], facts)
    if changed := list(list_changes(body["facts"], facts)):
        chain.append(db, chain.POLICY, now, {"changes": changed, "facts": facts, "protected": known})


def _read_policy(db: Database) -> dict[str, Any]:
    """Return the newest entry that holds the policy's facts."""
    query = "SELECT number FROM entries WHERE kind IN ('CREATE', 'POLICY') ORDER BY number DESC LIMIT 1"
    row = db.execute(query).fetchone()
    entry = chain.get(db, row[0]) if row else None
    try:
        body = entry.body if entry else {}
        return {name: body[name] for name in ("facts", "protected")}
    except (KeyError, TypeError, ValueError):
        raise LedgerError("the ledger does not tell its policy any more: run `discreet ledger --verify`") from None
