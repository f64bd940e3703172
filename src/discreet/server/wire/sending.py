"""What goes out to a client: in batches, and never faster than it reads."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from discreet.server.wire import replies
from discreet.server.wire.copy_options import write_copy
from discreet.server.wire.encoding import encode_row
from discreet.server.wire.outcomes import WireOutcome
from discreet.server.wire.settings import WireSettings

BATCH = 65_536
"""Bytes after which what was written is handed on."""

QUIET = ("warning", "error")
"""Values of client_min_messages that leave notices out."""


class ClientGoneError(ConnectionError):
    """There is nobody left to write to."""


class WireSender:
    """Writes messages. A client that leaves them unread for too long is dropped."""

    def __init__(self, writer: asyncio.StreamWriter, seconds: float) -> None:
        self._writer, self._seconds = writer, seconds

    def write(self, content: bytes) -> None:
        """Write bytes, which are sent with the next drain at the latest."""
        self._writer.write(content)

    async def drain(self) -> None:
        """Wait until the client has read enough."""
        try:
            async with asyncio.timeout(self._seconds):
                await self._writer.drain()
        except (ConnectionError, TimeoutError):
            raise ClientGoneError("the client is gone, or does not read") from None

    def report(self, outcome: WireOutcome, settings: WireSettings) -> None:
        """Tell of changed settings, and of what people should know."""
        for name, value in outcome.reports:
            self.write(replies.report_setting(name, value))
        if settings.show("client_min_messages").lower() not in QUIET:
            for text in outcome.notices:
                self.write(replies.remark(text))

    async def send_rows(self, outcome: WireOutcome, formats: Sequence[int], start: int, end: int) -> None:
        """Send some rows of an outcome."""
        assert outcome.columns is not None
        types = [each.oid for each in outcome.columns]
        rows = (encode_row(outcome.rows[place], types, formats) for place in range(start, end))
        await self._send(map(replies.send_row, rows))

    async def send_copy(self, outcome: WireOutcome) -> None:
        """Send an outcome as a copy, with its tag."""
        assert outcome.copy is not None
        assert outcome.columns is not None
        self.write(replies.begin_copy(len(outcome.columns), outcome.copy.form == "binary"))
        await self._send(map(replies.send_copy, write_copy(outcome.copy, outcome.columns, outcome.rows)))
        self.write(replies.COPY_DONE + replies.complete(outcome.tag))

    async def _send(self, messages: Iterable[bytes]) -> None:
        waiting: list[bytes] = []
        size = 0
        for message in messages:
            waiting.append(message)
            size += len(message)
            if size >= BATCH:
                self.write(b"".join(waiting))
                waiting, size = [], 0
                await self.drain()
        self.write(b"".join(waiting))
