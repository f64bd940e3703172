"""What a statement wants: the things that a text can turn out to be."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from discreet.server.wire.settings import WireSettings


@dataclass(frozen=True, slots=True)
class Nothing:
    """A text without a statement."""


@dataclass(frozen=True, slots=True)
class Transact:
    """A word about transactions, which change nothing here but what is set: `begin`, `commit`, `savepoint`, ..."""

    verb: str
    tag: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class ChangeSetting:
    """SET or RESET; without a name, RESET ALL."""

    name: str | None
    value: str | None
    tag: str
    local: bool = False


@dataclass(frozen=True, slots=True)
class ShowSetting:
    """SHOW; without a name, all of them."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Acknowledge:
    """What is acknowledged without doing anything, such as UNLISTEN."""

    tag: str
    deallocates: str | None = None


@dataclass(frozen=True, slots=True)
class AskQuestion:
    """A question about private tables, with what its comments set."""

    sql: str
    parameters: int
    tree: exp.Expr = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class LookUp:
    """A statement that public facts answer: the catalog, probes without rows, declared values. Never charged."""

    tree: exp.Expr
    parameters: int


@dataclass(frozen=True, slots=True)
class ExplainQuestion:
    """EXPLAIN: what a question would do and cost. Free."""

    question: AskQuestion


@dataclass(frozen=True, slots=True)
class CopyOut:
    """COPY (SELECT ...) TO STDOUT."""

    inner: AskQuestion | LookUp
    form: str = "text"
    delimiter: str = "\t"
    null: str = "\\N"
    header: bool = False
    quote: str = '"'
    escape: str = '"'
    quoted: frozenset[str] | None = frozenset()
    """Columns whose values are always quoted; None for all."""


@dataclass(frozen=True, slots=True)
class DeclareCursor:
    """DECLARE name CURSOR FOR ...: nothing runs before the first FETCH."""

    name: str
    inner: AskQuestion | LookUp
    binary: bool
    hold: bool


@dataclass(frozen=True, slots=True)
class FetchRows:
    """FETCH from a cursor; without a number, all that is left."""

    name: str
    count: int | None
    moves: bool = False


@dataclass(frozen=True, slots=True)
class CloseCursor:
    """CLOSE; without a name, all of them."""

    name: str | None


Command = (
    Nothing
    | Transact
    | ChangeSetting
    | ShowSetting
    | Acknowledge
    | AskQuestion
    | LookUp
    | ExplainQuestion
    | CopyOut
    | DeclareCursor
    | FetchRows
    | CloseCursor
)


@dataclass(frozen=True, slots=True)
class ReadStatement:
    """A statement that was read: its text, what it wants, and what holds for it alone."""

    text: str
    command: Command

    def settings(self, session: WireSettings) -> WireSettings:
        """Return the settings under which it runs: the connection's, with what its comments set."""
        return session.apply_comments(self.text)
