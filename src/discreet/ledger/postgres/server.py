"""Which PostgreSQL a ledger is on. The connection string is a secret: it is read from the environment, never kept."""

from __future__ import annotations

import os
from dataclasses import dataclass

from discreet.base.errors import LedgerError


@dataclass(frozen=True, slots=True)
class Server:
    """A schema of the database whose connection string the environment variable `dsn_env` holds."""

    dsn_env: str
    schema: str = "discreet"

    def __str__(self) -> str:
        return f"schema {self.schema} of the PostgreSQL database in ${self.dsn_env}"

    @property
    def dsn(self) -> str:
        """The connection string: for the driver only, and for no message."""
        found = os.environ.get(self.dsn_env, "").strip()
        if not found:
            raise LedgerError(
                f"the environment variable {self.dsn_env} is not set: it must say where the ledger is, "
                f"such as {self.dsn_env}='postgresql://user:password@host/database'"
            )
        return found
