"""One client's connection after its login: messages in, messages out, by the rules of the protocol."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

from discreet.server.wire import replies
from discreet.server.wire.commands import Acknowledge, Nothing, ReadStatement
from discreet.server.wire.conversation import Conversation
from discreet.server.wire.decoding import decode_value, spread_formats
from discreet.server.wire.errors import GENERIC, WireError, translate_error, violate
from discreet.server.wire.limits import WireLimits
from discreet.server.wire.messages import MessageBody, read_message
from discreet.server.wire.oids import WireColumn
from discreet.server.wire.outcomes import WireOutcome
from discreet.server.wire.sending import ClientGoneError, WireSender

LOG = logging.getLogger("discreet.server.wire")


@dataclass(slots=True)
class WireStatement:
    """A prepared statement: read, and nothing more."""

    read: ReadStatement
    types: tuple[int, ...]


@dataclass(slots=True)
class Portal:
    """A statement with the values of its parameters. Its question is asked when rows are first wanted."""

    read: ReadStatement
    types: tuple[int, ...]
    values: tuple[object, ...]
    formats: tuple[int, ...]
    outcome: WireOutcome | None = None
    at: int = 0
    size: int = 0
    columns: tuple[WireColumn, ...] | None = field(default=None)


class WireConnection:
    """Reads messages and answers them until the client leaves."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        talk: Conversation,
        limits: WireLimits,
    ) -> None:
        self._reader, self._talk, self._limits = reader, talk, limits
        self._sender = WireSender(writer, limits.send_seconds)
        self._statements: dict[str, WireStatement] = {}
        self._portals: dict[str, Portal] = {}
        self._running: asyncio.Task[WireOutcome] | None = None
        self._skips = False
        self._canceled = False

    def cancel(self) -> None:
        """Stop what runs now. A question that was paid for goes on and is recorded: asking again finds it."""
        if self._running is not None and not self._running.done():
            self._canceled = True
            self._talk.stop()
            self._running.cancel()

    async def serve(self) -> None:
        """Answer messages until the client ends the connection, or breaks the protocol."""
        await self._be_ready()
        while True:
            async with asyncio.timeout(self._limits.idle_seconds):
                message = await read_message(self._reader, self._limits.message_bytes)
            if message is None or message[0] == ord("X"):
                return
            await self._answer(*message)

    async def _answer(self, kind: int, body: bytes) -> None:
        if kind == ord("S"):
            MessageBody(body).end()
            self._skips = False
            self._end_implicit()
            await self._be_ready()
            return
        if self._skips or kind in b"dcf":
            return  # what follows a mistake is skipped up to the next Sync, and data of a COPY that is over is ignored
        try:
            await self._handle(kind, MessageBody(body))
        except (WireError, Exception) as error:
            await self._complain(error)
            if kind == ord("Q"):
                await self._be_ready()
            else:
                self._skips = True

    async def _handle(self, kind: int, body: MessageBody) -> None:
        match chr(kind):
            case "Q":
                await self._query(body)
            case "P":
                await self._parse(body)
            case "B":
                await self._bind(body)
            case "D":
                await self._describe(body)
            case "E":
                await self._execute(body)
            case "C":
                self._close(body)
            case "H":
                body.end()
                await self._sender.drain()
            case "F":
                raise WireError("0A000", "function calls are not answered; write SELECT")
            case _:
                raise violate("this message has no place here", fatal=True)

    async def _query(self, body: MessageBody) -> None:
        text = body.text()
        body.end()
        statements = await self._talk.split(text)
        self._statements.pop("", None)
        self._portals.pop("", None)
        if not statements:
            self._sender.write(replies.EMPTY)
        for statement in statements:
            read = await self._talk.read(statement)
            outcome = await self._run(read, ())
            self._sender.report(outcome, self._talk.settings)
            if isinstance(read.command, Nothing):
                self._sender.write(replies.EMPTY)
            elif outcome.copy is not None:
                await self._sender.send_copy(outcome)
            else:
                if outcome.columns is not None:
                    formats = (0,) * len(outcome.columns)
                    self._sender.write(replies.describe_rows([each.shape for each in outcome.columns], formats))
                    await self._sender.send_rows(outcome, formats, 0, len(outcome.rows))
                self._sender.write(replies.complete(outcome.tag))
        self._end_implicit()
        await self._be_ready()

    async def _parse(self, body: MessageBody) -> None:
        name, text = body.text(), body.text()
        declared = [body.uint32() for _ in range(body.count())]
        body.end()
        if name and name in self._statements:
            raise WireError("42P05", f'prepared statement "{name[:60]}" already exists')
        held = sum(len(each.read.text) for each in self._statements.values()) + len(text)
        if len(self._statements) >= self._limits.statements or held > self._limits.held_bytes:
            raise WireError("53200", "too many prepared statements; close some")
        statements = await self._talk.split(text)
        if len(statements) > 1:
            raise WireError("42601", "cannot insert multiple commands into a prepared statement")
        read = await self._talk.read(statements[0] if statements else "")
        self._statements[name] = WireStatement(read, await self._talk.find_types(read, declared))
        self._sender.write(replies.PARSED)

    async def _bind(self, body: MessageBody) -> None:
        name, source = body.text(), body.text()
        formats = [body.int16() for _ in range(body.count())]
        given = [body.value() for _ in range(body.count())]
        results = [body.int16() for _ in range(body.count())]
        body.end()
        statement = self._find_statement(source)
        if len(given) != len(statement.types):
            raise violate(f"the statement has {len(statement.types)} parameters, and {len(given)} came")
        if name and name in self._portals:
            raise WireError("42P03", f'cursor "{name[:60]}" already exists')
        if len(self._portals) >= self._limits.portals:
            raise WireError("53200", "too many portals; close some")
        size = sum(len(each) for each in given if each is not None)
        if size + sum(each.size for each in self._portals.values()) > self._limits.held_bytes:
            raise WireError("53200", "too many values are held; close some portals")
        binary = spread_formats(formats, len(given))
        values = tuple(
            decode_value(content, oid, bool(form))
            for content, oid, form in zip(given, statement.types, binary, strict=True)
        )
        if any(form not in (0, 1) for form in results):
            raise violate("a format is 0 for text or 1 for binary")
        self._portals[name] = Portal(statement.read, statement.types, values, tuple(results), size=size)
        self._sender.write(replies.BOUND)

    async def _describe(self, body: MessageBody) -> None:
        kind, name = body.byte(), body.text()
        body.end()
        if kind == ord("S"):
            statement = self._find_statement(name)
            columns = await self._talk.describe(statement.read, statement.types)
            self._sender.write(replies.describe_parameters(statement.types))
            formats: Sequence[int] = (0,) * len(columns or ())
        elif kind == ord("P") and name not in self._portals and self._talk.has_cursor(name):
            columns = await self._talk.describe_cursor(name)
            formats = (0,) * len(columns)
        elif kind == ord("P"):
            portal = self._find_portal(name)
            if portal.outcome is not None:
                columns = portal.outcome.columns
            else:
                columns = await self._talk.describe(portal.read, portal.types, portal.values)
            portal.columns = columns
            formats = spread_formats(portal.formats, len(columns or ()))
        else:
            raise violate("statements (S) and portals (P) are described")
        if columns is None:
            self._sender.write(replies.NO_DATA)
        else:
            self._sender.write(replies.describe_rows([each.shape for each in columns], formats))

    async def _execute(self, body: MessageBody) -> None:
        name, most = body.text(), body.int32()
        body.end()
        portal = self._find_portal(name)
        if portal.outcome is None:
            portal.outcome = await self._run(portal.read, portal.values)
            self._sender.report(portal.outcome, self._talk.settings)
            self._check_held()
        outcome = portal.outcome
        if isinstance(portal.read.command, Nothing):
            self._sender.write(replies.EMPTY)
        elif outcome.copy is not None:
            await self._sender.send_copy(outcome)
        elif outcome.columns is None:
            self._sender.write(replies.complete(outcome.tag))
        else:
            await self._send_part(portal, outcome, outcome.columns, most)

    async def _send_part(
        self, portal: Portal, outcome: WireOutcome, columns: tuple[WireColumn, ...], most: int
    ) -> None:
        if portal.columns is not None and tuple(each.oid for each in portal.columns) != tuple(
            each.oid for each in columns
        ):
            raise WireError("0A000", "the columns are not those that were described; describe the statement again")
        end = len(outcome.rows) if most <= 0 else min(len(outcome.rows), portal.at + most)
        start, portal.at = portal.at, end
        await self._sender.send_rows(outcome, spread_formats(portal.formats, len(columns)), start, end)
        if most > 0 and end - start == most:
            self._sender.write(replies.SUSPENDED)
        else:
            word, _, _ = outcome.tag.rpartition(" ")
            self._sender.write(
                replies.complete(f"{word} {end - start}" if word in ("SELECT", "FETCH") else outcome.tag)
            )

    def _close(self, body: MessageBody) -> None:
        kind, name = body.byte(), body.text()
        body.end()
        if kind == ord("S"):
            self._statements.pop(name, None)
        elif kind == ord("P"):
            self._portals.pop(name, None)
        else:
            raise violate("statements (S) and portals (P) are closed")
        self._sender.write(replies.CLOSED)

    async def _run(self, read: ReadStatement, values: Sequence[object]) -> WireOutcome:
        """Run a statement as a task of its own, so that a cancel request or a timeout can stop it."""
        self._canceled = False
        self._running = asyncio.ensure_future(self._talk.run(read, values))
        try:
            async with asyncio.timeout(self._talk.settings.timeout):
                outcome = await asyncio.shield(self._running)
        except TimeoutError:
            if self._talk.settings.timeout is None:
                raise
            self._talk.stop()
            self._running.cancel()
            raise WireError("57014", "canceling statement due to statement timeout", hint=PAID) from None
        except asyncio.CancelledError:
            if not self._canceled:
                self._running.cancel()
                raise
            raise WireError("57014", "canceling statement due to user request", hint=PAID) from None
        finally:
            self._running = None
        command = read.command
        if isinstance(command, Acknowledge) and command.deallocates is not None:
            self._deallocate(command.deallocates)
        return outcome

    def _deallocate(self, name: str) -> None:
        if name == "*":
            self._statements.clear()
        elif self._statements.pop(name, None) is None:
            raise WireError("26000", f'prepared statement "{name[:60]}" does not exist')

    def _check_held(self) -> None:
        held = sum(len(each.outcome.rows) for each in self._portals.values() if each.outcome is not None)
        if held > self._limits.held_rows:
            raise WireError("53200", "too many rows are held by open portals; close some")

    def _end_implicit(self) -> None:
        """Outside of a transaction, portals end with the Sync after them."""
        if self._talk.status == b"I":
            self._portals.clear()

    def _find_statement(self, name: str) -> WireStatement:
        if name not in self._statements:
            raise WireError("26000", f'prepared statement "{name[:60]}" does not exist')
        return self._statements[name]

    def _find_portal(self, name: str) -> Portal:
        if name not in self._portals:
            raise WireError("34000", f'portal "{name[:60]}" does not exist')
        return self._portals[name]

    async def _be_ready(self) -> None:
        self._sender.write(replies.be_ready(self._talk.status))
        await self._sender.drain()

    async def _complain(self, error: Exception) -> None:
        told = translate_error(error)
        if told is None:
            if isinstance(error, ClientGoneError):
                raise error
            LOG.error("a statement failed", exc_info=error)
            told = WireError("XX000", GENERIC)
        self._talk.fail()
        self._sender.write(replies.complain(told))
        if told.fatal:
            raise told


PAID = "what was paid for goes on and is recorded: asking again finds it, without a new charge"
