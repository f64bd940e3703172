"""One connection's conversation: what is set, whether a transaction is open, and what statements give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from sqlglot import exp

from discreet.curator.owner.tables import Tables
from discreet.server.pg_catalog.catalog import PublicCatalog
from discreet.server.pg_catalog.rewritten import LookUpError
from discreet.server.questions import Asked, Described
from discreet.server.visits import Visit
from discreet.server.wire import oids
from discreet.server.wire.bench import WireBench
from discreet.server.wire.commands import (
    Acknowledge,
    AskQuestion,
    ChangeSetting,
    CloseCursor,
    CopyOut,
    DeclareCursor,
    ExplainQuestion,
    FetchRows,
    LookUp,
    Nothing,
    ReadStatement,
    ShowSetting,
    Transact,
)
from discreet.server.wire.cursors import Cursor, PendingCursor
from discreet.server.wire.errors import WireError, refuse
from discreet.server.wire.lexing import split_statements
from discreet.server.wire.oids import WireColumn
from discreet.server.wire.outcomes import WireOutcome, list_columns, show_answer, show_look_up, show_text
from discreet.server.wire.parameters import choose_samples, fill_samples, infer_types, name_values
from discreet.server.wire.reading import read_command
from discreet.server.wire.settings import FIXED, OWN, PREFIX, REPORTED, SERVER_VERSION, USUAL, WireSettings
from discreet.server.wire.transactions import BROKEN, ENDS, IDLE, TransactionState

K = TypeVar("K")
V = TypeVar("V")

VERSION = f"PostgreSQL {SERVER_VERSION}, discreet"
REMEMBERED, SHORT = 200, 4_000
"""Descriptions of questions and short statements that are kept: tools prepare and ask the same again and again."""


class Conversation:
    """Answers statements for one visit, one after another. Only `run` of a question, or a FETCH of it, can charge."""

    def __init__(self, visit: Visit, settings: WireSettings, bench: WireBench) -> None:
        self._visit, self._bench = visit, bench
        self._state = TransactionState(settings)
        self._cursors: dict[str, Cursor | PendingCursor] = {}
        self._tables: Tables | None = None
        self._catalog: PublicCatalog | None = None
        self._described: dict[tuple[object, ...], Described] = {}
        self._read: dict[str, ReadStatement] = {}

    @property
    def settings(self) -> WireSettings:
        """What is set now."""
        return self._state.settings

    @property
    def status(self) -> bytes:
        """Whether a transaction is open: I, T, or E for one that failed."""
        return self._state.status

    async def close(self) -> None:
        """Let go of the catalog and end the visit."""
        if self._catalog is not None:
            await self._work(self._catalog.close)
        self._visit.close()

    async def split(self, text: str) -> list[str]:
        """Return the statements of a text: free."""
        return await self._work(lambda: split_statements(text))

    async def read(self, text: str) -> ReadStatement:
        """Read a statement: free. What is never answered is refused here."""
        found = self._read.get(text)
        if found is None:
            tables = await self._list_tables()
            found = await self._work(lambda: ReadStatement(text, read_command(text, tables)))
            if len(text) <= SHORT:
                _remember(self._read, text, found)
        return found

    async def find_types(self, read: ReadStatement, declared: Sequence[int]) -> tuple[int, ...]:
        """Return the types of a statement's parameters."""
        inner = _find_query(read)
        if inner is None:
            return tuple(oid or oids.TEXT for oid in declared)
        tables = await self._list_tables()
        return await self._work(lambda: infer_types(inner.tree, inner.parameters, declared, tables))

    async def describe(
        self, read: ReadStatement, types: Sequence[int], values: Sequence[object] | None = None
    ) -> tuple[WireColumn, ...] | None:
        """Return the columns that a statement gives, None where it gives none: free, whatever it asks.

        Without values of its parameters, public ones of the same types stand for them. A question without a price is
        described as well; only running it says that the price is missing.
        """
        command, settings = read.command, read.settings(self.settings)
        match command:
            case AskQuestion():
                params = await self._choose_params(command, types, values)
                described = await self._describe(command, settings, params)
                return list_columns(described.fields, settings)
            case LookUp():
                tree = command.tree if values is not None else fill_samples(command.tree, types)
                return (await self._look_up(tree, values or (), settings)).columns
            case ExplainQuestion():
                return (WireColumn("QUERY PLAN", oids.TEXT),)
            case ShowSetting(name):
                names = ("name", "setting", "description") if name is None else (_shown(name),)
                return tuple(WireColumn(each, oids.TEXT) for each in names)
            case FetchRows(name, moves=False):
                return (await self._open_cursor(name, describing=True)).columns
        return None

    async def run(self, read: ReadStatement, values: Sequence[object] = ()) -> WireOutcome:
        """Run a statement. A question is charged here and nowhere else."""
        command = read.command
        if self.status == BROKEN and not (isinstance(command, Transact) and command.verb in ENDS):
            raise WireError("25P02", "current transaction is aborted, commands ignored until end of transaction block")
        settings = read.settings(self.settings)
        match command:
            case Nothing():
                return WireOutcome("")
            case Transact():
                return self._transact(command)
            case ChangeSetting():
                return self._state.change(command)
            case ShowSetting(name):
                return self._show(name)
            case Acknowledge(tag):
                return self._acknowledge(tag)
            case AskQuestion():
                return await self._ask(command, settings, values)
            case LookUp():
                return await self._look_up(command.tree, values, settings)
            case ExplainQuestion(question):
                params = name_values(values, question.tree)
                described = await self._visit.describe(_make_asked(question, settings, params))
                return show_text("QUERY PLAN", described.text.splitlines(), "EXPLAIN")
            case CopyOut(inner):
                found = await self.run(replace(read, command=inner), values)
                return replace(found, tag=f"COPY {len(found.rows)}", copy=command)
            case DeclareCursor():
                return self._declare(command, settings, values)
            case FetchRows():
                return await self._fetch(command)
            case CloseCursor(name):
                return self._close_cursor(name)

    def has_cursor(self, name: str) -> bool:
        """Say whether a cursor of that name was declared."""
        return name in self._cursors

    async def describe_cursor(self, name: str) -> tuple[WireColumn, ...]:
        """Return the columns of a cursor: free."""
        return (await self._open_cursor(name, describing=True)).columns

    def fail(self) -> None:
        """Note that a statement failed: an open transaction is broken until it ends."""
        self._state.fail()

    def stop(self) -> None:
        """Stop a look-up that runs in another thread."""
        if self._catalog is not None:
            self._catalog.interrupt()

    async def _work(self, what: Callable[[], V]) -> V:
        return await self._bench.work(self._visit.analyst, what)

    async def _list_tables(self) -> Tables:
        if self._tables is None:
            self._tables = await self._visit.list_tables()
        return self._tables

    async def _choose_params(
        self, command: AskQuestion, types: Sequence[int], values: Sequence[object] | None
    ) -> Mapping[str, object]:
        if values is not None:
            return name_values(values, command.tree)
        return choose_samples(command.tree, types, await self._list_tables())

    async def _describe(self, command: AskQuestion, settings: WireSettings, params: Mapping[str, object]) -> Described:
        asked = _make_asked(command, settings, params)
        if not settings.priced:
            asked = replace(asked, epsilon="1")  # the columns are the same at every price, and nothing is charged
        key = (asked.sql, asked.epsilon, asked.rho, repr(asked.within), repr(params))
        found = self._described.get(key)
        if found is None:
            found = await self._visit.describe(asked)
            _remember(self._described, key, found)
        return found

    async def _ask(self, command: AskQuestion, settings: WireSettings, values: Sequence[object]) -> WireOutcome:
        asked = _make_asked(command, settings, name_values(values, command.tree))
        if not settings.priced:
            await self._visit.describe(asked)  # raises with the list
            raise WireError("55000", "this question has no price", hint="SET discreet.epsilon = 0.1")
        return show_answer(await self._visit.ask(asked), settings)

    async def _look_up(self, tree: exp.Expr, values: Sequence[object], settings: WireSettings) -> WireOutcome:
        if self._catalog is None:
            tables = await self._list_tables()
            self._catalog = await self._work(lambda: PublicCatalog(tables, self._visit.analyst, VERSION))
        catalog = self._catalog
        shown = {name.lower(): settings.show(name) for name in (*USUAL, *FIXED, *(PREFIX + key for key in OWN))}
        params = {str(at): value for at, value in enumerate(values, 1)}
        try:
            return show_look_up(await self._work(lambda: catalog.look_up(tree, shown, params)))
        except LookUpError as refused:
            raise WireError(refused.code, str(refused)) from None

    def _transact(self, command: Transact) -> WireOutcome:
        outcome = self._state.transact(command)
        if self.status == IDLE:
            self._cursors = {name: each for name, each in self._cursors.items() if each.hold}
        return outcome

    def _show(self, name: str | None) -> WireOutcome:
        if name is not None:
            return show_text(_shown(name), [self.settings.show(name)], "SHOW")
        every = sorted([*USUAL, *FIXED, *(PREFIX + key for key in OWN)])
        columns = tuple(WireColumn(each, oids.TEXT) for each in ("name", "setting", "description"))
        return WireOutcome("SHOW", columns, [(each, self.settings.show(each), "") for each in every])

    def _acknowledge(self, tag: str) -> WireOutcome:
        if tag == "DISCARD ALL":
            if self.status != IDLE:
                raise WireError("25001", "DISCARD ALL cannot run inside a transaction block")
            self._cursors.clear()
            return replace(self._state.change(ChangeSetting(None, None, tag)), tag=tag)
        return WireOutcome(tag)

    def _declare(self, command: DeclareCursor, settings: WireSettings, values: Sequence[object]) -> WireOutcome:
        if self.status == IDLE and not command.hold:
            raise WireError("25P01", "DECLARE CURSOR can only be used in transaction blocks", hint="BEGIN first")
        if command.name in self._cursors:
            raise WireError("42P03", f'cursor "{command.name[:60]}" already exists')
        if len(self._cursors) >= REMEMBERED:
            raise WireError("54000", "too many cursors; CLOSE some")
        self._cursors[command.name] = PendingCursor(command, settings, tuple(values))
        return WireOutcome("DECLARE CURSOR")

    async def _open_cursor(self, name: str, describing: bool = False) -> Cursor:
        found = self._cursors.get(name)
        if found is None:
            raise WireError("34000", f'cursor "{name[:60]}" does not exist')
        if isinstance(found, Cursor):
            return found
        inner, settings, values = found.command.inner, found.settings, found.values
        hold, binary = found.command.hold, found.command.binary
        if describing and isinstance(inner, AskQuestion):
            described = await self._describe(inner, settings, name_values(values, inner.tree))
            return Cursor(list_columns(described.fields, settings), (), hold, binary)
        if isinstance(inner, AskQuestion):
            outcome = await self._ask(inner, settings, values)
        else:
            outcome = await self._look_up(inner.tree, values, settings)
        assert outcome.columns is not None
        opened = self._cursors[name] = Cursor(outcome.columns, outcome.rows, hold, binary)
        return opened

    async def _fetch(self, command: FetchRows) -> WireOutcome:
        cursor = await self._open_cursor(command.name)
        end = len(cursor.rows) if command.count is None else min(len(cursor.rows), cursor.at + command.count)
        rows, cursor.at = cursor.rows[cursor.at : end], end
        if command.moves:
            return WireOutcome(f"MOVE {len(rows)}")
        return WireOutcome(f"FETCH {len(rows)}", cursor.columns, rows)

    def _close_cursor(self, name: str | None) -> WireOutcome:
        if name is None:
            self._cursors.clear()
            return WireOutcome("CLOSE CURSOR ALL")
        if self._cursors.pop(name, None) is None:
            raise WireError("34000", f'cursor "{name[:60]}" does not exist')
        return WireOutcome("CLOSE CURSOR")


def _remember(shelf: dict[K, V], key: K, value: V) -> None:
    """Keep a value; the oldest goes where there are too many."""
    if len(shelf) >= REMEMBERED:
        shelf.pop(next(iter(shelf)))
    shelf[key] = value


def _find_query(read: ReadStatement) -> AskQuestion | LookUp | None:
    match read.command:
        case AskQuestion() | LookUp() as query:
            return query
        case ExplainQuestion(inner) | CopyOut(inner) | DeclareCursor(inner=inner):
            return inner
    return None


def _make_asked(command: AskQuestion, settings: WireSettings, params: Mapping[str, object]) -> Asked:
    if any(isinstance(value, list) for value in params.values()):
        raise refuse("arrays are no parameters of questions", "write one parameter for each value")
    return Asked(command.sql, params=params or None, **settings.terms())


def _shown(name: str) -> str:
    return {each.lower(): each for each in REPORTED}.get(name.lower(), name.lower())
