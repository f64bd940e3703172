"""What of a curator needs the ledger alone: what is spent, and who may ask. No table is opened, and no engine."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from discreet.base.errors import PolicyError
from discreet.curator.owner.budget import Budget, read_budget
from discreet.curator.owner.ledger_place import find_ledger_place
from discreet.ledger import Failure, Ledger, LedgerFacts
from discreet.policy import describe_policy, describe_protected, load
from discreet.policy.model import Policy


def read_facts(policy: Policy) -> LedgerFacts:
    """Return what the ledger knows of a policy."""
    known, told = describe_protected(policy), describe_policy(policy)
    caps = {analyst.name: (analyst.epsilon, analyst.delta) for analyst in policy.analysts}
    return LedgerFacts(known["neighbours"], known["tables"], policy.epsilon, policy.delta, caps, told)


class Account:
    """The budget of a policy. It works while the tables, or the server that they are on, are not there."""

    def __init__(self, policy: Policy, ledger: Ledger, analyst: str | None, *, operator: bool = False) -> None:
        self.policy, self._ledger, self.analyst, self._operator = policy, ledger, analyst, operator

    def close(self) -> None:
        """Let go of the ledger."""
        self._ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def budget(self) -> Budget:
        """What is spent and left, of the whole budget and of each analyst's cap, and who is suspended."""
        everybody = self._operator and self.analyst is None
        return read_budget(self.policy, self._ledger, self.analyst, everybody=everybody)

    def resume(self, analyst: str | None = None) -> None:
        """Let an analyst ask again who is suspended after a failure (None: whoever asks without a name).

        Only for the operator, who has seen to what failed: what failed once may fail again, and tell about the data.
        """
        self._check_operator("resumes")
        self._ledger.resume(analyst)

    def retry(self, charge: int) -> None:
        """Let a charge be run again whose runs died twice. Only for the operator, who has seen to why."""
        self._check_operator("lets a charge be run again")
        self._ledger.retry(charge)

    @property
    def failures(self) -> tuple[Failure, ...]:
        """What failed after a charge, the oldest first, in the engine's own words. Only for the operator."""
        self._check_operator("sees failures")
        return self._ledger.failures

    def _check_operator(self, what: str) -> None:
        if not self._operator:
            raise PolicyError(f"only the operator {what}: open the curator with operator=True")

    @property
    def ledger(self) -> Ledger:
        """The ledger, for the operator."""
        return self._ledger


def open_account(path: str | Path, analyst: str | None = None) -> Account:
    """Open the ledger of a policy for the operator, who need not name an analyst."""
    policy = load(path)
    asker = None if analyst is None else policy.analyst(analyst)
    ledger = Ledger.open(find_ledger_place(policy), read_facts(policy))
    return Account(policy, ledger, asker.name if asker else None, operator=True)
