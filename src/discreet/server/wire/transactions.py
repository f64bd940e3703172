"""Transactions: they change nothing here but what is set, and clients watch their state."""

from __future__ import annotations

from discreet.server.wire.commands import ChangeSetting, Transact
from discreet.server.wire.errors import WireError
from discreet.server.wire.outcomes import WireOutcome
from discreet.server.wire.settings import REPORTED, WireSettings

IDLE, OPEN, BROKEN = b"I", b"T", b"E"
ENDS = ("commit", "rollback", "rollback to")
"""What may be said in a transaction that failed."""

MOST_SAVEPOINTS = 200


class TransactionState:
    """What is set, inside and outside of a transaction. A rollback goes back, and SET LOCAL ends with it."""

    def __init__(self, settings: WireSettings) -> None:
        self.settings = settings
        self.status = IDLE
        self._before = self._kept = settings
        self._savepoints: dict[str, tuple[WireSettings, WireSettings]] = {}

    def fail(self) -> None:
        """Note that a statement failed: an open transaction is broken until it ends."""
        if self.status == OPEN:
            self.status = BROKEN

    def transact(self, command: Transact) -> WireOutcome:
        """Begin or end a transaction, or set, leave or go back to a savepoint."""
        match command.verb:
            case "begin":
                return self._begin(command.tag)
            case "commit" | "rollback":
                return self._end(command.verb == "commit", command.tag)
        if self.status == IDLE:
            raise WireError("25P01", f"{command.tag} can only be used in transaction blocks")
        if command.verb == "savepoint":
            if len(self._savepoints) >= MOST_SAVEPOINTS:
                raise WireError("54000", "too many savepoints")
            self._savepoints[command.name] = (self.settings, self._kept)
        elif command.name not in self._savepoints:
            raise WireError("3B001", f'savepoint "{command.name[:60]}" does not exist')
        elif command.verb == "rollback to":
            self.settings, self._kept = self._savepoints[command.name]
            self.status = OPEN
        else:
            del self._savepoints[command.name]
        return WireOutcome(command.tag)

    def change(self, command: ChangeSetting) -> WireOutcome:
        """Set or take back a setting."""

        def change(settings: WireSettings) -> WireSettings:
            if command.name is None or command.value is None:
                return settings.reset(command.name)
            return settings.set(command.name, command.value)

        before, after = self.settings, change(self.settings)
        if command.local and self.status == IDLE:
            return WireOutcome(command.tag, notices=("SET LOCAL can only be used in transaction blocks",))
        self.settings = after
        if not command.local:
            self._kept = change(self._kept) if self.status == OPEN else after
        return WireOutcome(command.tag, reports=list_changes(before, after))

    def _begin(self, tag: str) -> WireOutcome:
        if self.status != IDLE:
            return WireOutcome(tag, notices=("there is already a transaction in progress",))
        self._before = self._kept = self.settings
        self.status, self._savepoints = OPEN, {}
        return WireOutcome(tag)

    def _end(self, keep: bool, tag: str) -> WireOutcome:
        if self.status == IDLE:
            return WireOutcome(tag, notices=("there is no transaction in progress",))
        broken, before = self.status == BROKEN, self.settings
        self.settings = self._kept if keep and not broken else self._before
        self.status = IDLE
        return WireOutcome("ROLLBACK" if broken else tag, reports=list_changes(before, self.settings))


def list_changes(before: WireSettings, after: WireSettings) -> tuple[tuple[str, str], ...]:
    """Return the settings that clients are told of when they change."""
    return tuple((name, after.show(name)) for name in REPORTED if before.show(name) != after.show(name))
