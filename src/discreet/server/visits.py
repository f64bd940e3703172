"""What the doors of the server (HTTP, PostgreSQL's wire) see of everything behind them."""

from __future__ import annotations

from typing import Protocol

from discreet.curator.owner.tables import Tables
from discreet.server.accounts.scram_verifier import ScramVerifier
from discreet.server.questions import Asked, Delivered, Described


class Visit(Protocol):
    """One analyst who has shown who they are. Errors of the family `DiscreetError` are safe to show word for word."""

    @property
    def analyst(self) -> str: ...  # noqa: D102

    async def describe(self, asked: Asked) -> Described:
        """Say what a question would give and cost: free. Without a price it raises with the price list."""
        ...

    async def ask(self, asked: Asked) -> Delivered:
        """Answer a question: charged, and handed out on its tick."""
        ...

    async def list_tables(self) -> Tables:
        """Return the public facts of the tables that this analyst may ask."""
        ...

    def close(self) -> None:
        """End the visit; what was paid for stays recorded."""
        ...


class Door(Protocol):
    """Lets analysts in."""

    async def find_verifier(self, name: str) -> ScramVerifier:
        """Return what checks a name's password; for unknown names one that nobody passes, with the same work."""
        ...

    async def admit(self, name: str, proof_ok: bool, where: str) -> Visit:
        """Log the login and return the visit; raises where the proof failed, or nobody of that name may come in."""
        ...
