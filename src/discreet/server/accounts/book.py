"""The book of accounts: who is let in, kept in the ledger, whose chain holds every change of it."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Callable

from discreet.base.errors import DiscreetError, ParameterError
from discreet.ledger import Ledger
from discreet.policy.model import Policy
from discreet.server.accounts.account import Role, TokenAccount
from discreet.server.accounts.scram_verifier import ITERATIONS, SALT_BYTES, ScramVerifier
from discreet.server.accounts.tokens import make_token, read_name

PREFIX = "account:"
MOST_KNOWN = 10_000
"""Tokens that were checked and are known again; each costs some milliseconds to check."""


class LoginError(DiscreetError):
    """Nobody is let in by this. It never says whether the name, the token or its time was wrong."""


REFUSED = "this name and token are not valid here; ask the owner for a new one (`discreet analyst rotate NAME`)"


class AccountBook:
    """The accounts of a policy's ledger. Threads may share it; changes by other processes are seen at once."""

    def __init__(self, policy: Policy, ledger: Ledger, clock: Callable[[], float] = time.time) -> None:
        self._policy, self._ledger, self._clock = policy, ledger, clock
        self._pepper = secrets.token_bytes(32)
        self._salting = str(next(ledger.entries()).body["id"]).encode()
        """What the ledger was given at random when it was made: nobody else is told of it."""
        self._known: dict[bytes, ScramVerifier] = {}
        self._lock = threading.Lock()

    def add(self, name: str, role: Role = Role.ANALYST, days: float | None = None) -> str:
        """Make an account and return its token, which is not kept: this is the only time it can be seen."""
        if self.find(name) is not None:
            raise ParameterError("name", name, "a new name; `discreet analyst rotate` gives a known one a new token")
        known = {each.name for each in self._policy.analysts}
        if role is Role.ANALYST and name not in known:
            there = ", ".join(sorted(known)) or "none"
            raise ParameterError("name", name, f"an analyst of the policy ({there}): add [analysts.{name}] there first")
        if role is Role.OWNER and name in known:
            raise ParameterError("name", name, "no analyst's: who owns the data should not spend an analyst's budget")
        return self._write(name, role, days)

    def rotate(self, name: str, days: float | None = None) -> str:
        """Return a new token of a known account; the old one is worth nothing from now on."""
        return self._write(name, self._get(name).role, days)

    def revoke(self, name: str) -> None:
        """Let nobody in by this account any more."""
        found = self._get(name)
        revoked = TokenAccount(found.name, found.role, found.verifier, found.made, found.ends, revoked=True)
        self._ledger.set_state(f"{PREFIX}{name}", revoked.to_bytes())

    def find(self, name: str) -> TokenAccount | None:
        """Return the account of a name."""
        kept = self._ledger.get_state(f"{PREFIX}{name}") if "\0" not in name else None
        return None if kept is None else TokenAccount.from_bytes(kept)

    @property
    def accounts(self) -> tuple[TokenAccount, ...]:
        """All accounts, by name."""
        return tuple(TokenAccount.from_bytes(kept) for kept in self._ledger.list_states(PREFIX).values())

    def find_verifier(self, name: str) -> ScramVerifier:
        """Return what checks the token of a name; for unknown names one that nobody passes, at the same work.

        The salt of an unknown name stays the same for good, as that of a known one does, whichever server is asked and
        however often it was started again.
        """
        found = self.find(name)
        if found is not None:
            return found.verifier
        salt = hmac.digest(self._salting, name.encode("utf-8", "surrogatepass"), "sha256")[:SALT_BYTES]
        return ScramVerifier(salt, ITERATIONS, secrets.token_bytes(32), secrets.token_bytes(32))

    def check_open(self, name: str) -> TokenAccount:
        """Return the account of somebody who has proven to be them, or raise where it is closed."""
        found = self.find(name)
        if found is None or not found.is_open(self._clock()) or not self._is_in_policy(found):
            raise LoginError(REFUSED)
        return found

    def check_token(self, token: str) -> TokenAccount:
        """Return the account whose token this is, or raise the same error whatever is wrong with it."""
        name = read_name(token)
        verifier = self.find_verifier(name or "")
        digest = hmac.digest(self._pepper, token.encode("utf-8", "surrogatepass"), "sha256")
        with self._lock:
            known = self._known.get(digest) == verifier
        if not known:
            derived = ScramVerifier.derive("" if name is None else token, verifier.salt, verifier.iterations)
            if not hmac.compare_digest(derived.stored_key, verifier.stored_key) or name is None:
                raise LoginError(REFUSED)
            with self._lock:
                if len(self._known) >= MOST_KNOWN:
                    self._known.clear()
                self._known[digest] = verifier
        return self.check_open(name or "")

    def _is_in_policy(self, account: TokenAccount) -> bool:
        return account.role is Role.OWNER or any(each.name == account.name for each in self._policy.analysts)

    def _get(self, name: str) -> TokenAccount:
        found = self.find(name)
        if found is None:
            there = ", ".join(each.name for each in self.accounts) or "none"
            raise ParameterError("name", name, f"a known account ({there}); `discreet analyst add` makes one")
        return found

    def _write(self, name: str, role: Role, days: float | None) -> str:
        if not name or any(not letter.isprintable() for letter in name) or len(name) > 200:
            raise ParameterError("name", name, "1 to 200 letters that can be seen")
        if days is not None and not 0 < days <= 36_500:
            raise ParameterError("days", days, "above 0 and at most 36500, or left out for a token without an end")
        now, token = self._clock(), make_token(name)
        verifier = ScramVerifier.derive(token, secrets.token_bytes(SALT_BYTES))
        account = TokenAccount(name, role, verifier, now, None if days is None else now + 86_400 * days)
        self._ledger.set_state(f"{PREFIX}{name}", account.to_bytes())
        return token
