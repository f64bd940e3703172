"""The listener: TLS and SCRAM stand before everything, and silent sockets do not pile up."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
from dataclasses import dataclass, field

from discreet.server.visits import Door, Visit
from discreet.server.wire import replies
from discreet.server.wire.bench import WireBench
from discreet.server.wire.connection import WireConnection
from discreet.server.wire.conversation import Conversation
from discreet.server.wire.errors import GENERIC, WireError, translate_error, violate
from discreet.server.wire.limits import WireLimits
from discreet.server.wire.messages import MessageBody, read_message, read_startup
from discreet.server.wire.scram import ScramExchange, hash_certificate, list_mechanisms
from discreet.server.wire.settings import REPORTED, WireSettings
from discreet.server.wire.startup import (
    CANCEL_REQUEST,
    GSS_REQUEST,
    SSL_REQUEST,
    CancelKeys,
    Startup,
    is_local,
    read_code,
    read_options,
    read_parameters,
)

LOG = logging.getLogger("discreet.server.wire")
BUFFERED = 16_384
"""Bytes of a socket that are read ahead, about: nobody fills the memory by sending what is not asked for."""

FAREWELL = 1.0
"""Seconds that the end of a connection may take."""

REFUSED = "password authentication failed"
TOKEN_HINT = "the user is the analyst's name, the password the token that the owner gave them"


@dataclass(frozen=True)
class WireTls:
    """The server's certificate: for TLS, and as what a login is bound to."""

    context: ssl.SSLContext
    fingerprint: bytes | None = field(repr=False)

    @classmethod
    def load(cls, certificate: str, key: str) -> WireTls:
        """Read a certificate and its key from PEM files."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(certificate, key, password="")  # asked for none: nobody is there to type it
        with open(certificate, encoding="ascii", errors="replace") as file:
            first = file.read().partition("-----END CERTIFICATE-----")
        begin = first[0].rindex("-----BEGIN CERTIFICATE-----")
        return cls(context, hash_certificate(ssl.PEM_cert_to_DER_cert(first[0][begin:] + first[1] + "\n")))


class WireServer:
    """Listens for PostgreSQL's clients. Nothing is read of anybody who has not logged in, but their login."""

    def __init__(self, door: Door, tls: WireTls | None = None, limits: WireLimits | None = None) -> None:
        self._door, self._tls, self._limits = door, tls, limits or WireLimits()
        self._keys, self._bench = CancelKeys(), WireBench()
        self._waiting: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._inside: set[asyncio.Task[None]] = set()
        self._every: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def start(self, host: str = "127.0.0.1", port: int = 5432) -> None:
        """Begin to listen."""
        self._server = await asyncio.start_server(self._take, host, port, limit=BUFFERED, backlog=1_024)

    @property
    def port(self) -> int:
        """The port it listens on."""
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        """End all connections and stop listening."""
        if self._server is not None:
            self._server.close()
        for task in (*self._waiting, *self._inside):
            task.cancel()
        await asyncio.gather(*self._every, return_exceptions=True)
        await self._bench.close()
        await asyncio.sleep(0)  # so that the last sockets are closed

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take a connection; where too many wait for their login, the one that waited longest ends."""
        task = asyncio.current_task()
        assert task is not None
        self._every.add(task)
        task.add_done_callback(self._every.discard)
        while len(self._waiting) >= self._limits.waiting:
            oldest = next(iter(self._waiting))
            self._waiting.pop(oldest).transport.abort()
            oldest.cancel()
        self._waiting[task] = writer
        try:
            await self._serve(reader, writer, task)
        except (ConnectionError, TimeoutError, asyncio.CancelledError):
            pass
        except ssl.SSLError:  # whoever asks for TLS can send anything instead of it
            LOG.info("a connection ended: TLS failed")
        except WireError as told:
            LOG.info("a connection ended: %s %s", told.code, told.message)
        except Exception:
            LOG.exception("a connection failed")
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError, TimeoutError, ssl.SSLError, asyncio.CancelledError):
                async with asyncio.timeout(FAREWELL):
                    await writer.wait_closed()
            writer.transport.abort()  # a client that does not say farewell in turn is not waited for
            self._waiting.pop(task, None)
            self._inside.discard(task)

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, task: asyncio.Task[None]
    ) -> None:
        try:
            async with asyncio.timeout(self._limits.login_seconds):
                startup = await self._greet(reader, writer)
                if startup is None:
                    return
                settings = read_settings(startup)
                visit = await self._log_in(reader, writer, startup)
        except Exception as error:
            await self._refuse(writer, error)
            raise
        self._waiting.pop(task, None)
        self._inside.add(task)
        talk = Conversation(visit, settings, self._bench)
        try:
            await self._converse(reader, writer, startup, talk)
        finally:
            await talk.close()

    async def _converse(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, startup: Startup, talk: Conversation
    ) -> None:
        connection = WireConnection(reader, writer, talk, self._limits)
        process, key = self._keys.issue(startup.minor, connection.cancel)
        try:
            if len(self._inside) > self._limits.connections:
                raise WireError("53300", "sorry, too many clients already", fatal=True)
            writer.write(replies.LOGGED_IN)
            for name in REPORTED:
                writer.write(replies.report_setting(name, talk.settings.show(name)))
            writer.write(replies.give_cancel_key(process, key))
            await connection.serve()
        except WireError as told:
            if len(self._inside) > self._limits.connections or not isinstance(told, WireError):
                writer.write(replies.complain(told))
            raise
        finally:
            self._keys.forget(process)

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Startup | None:
        """Read first packets until one says who comes; None where all that came was a cancel request, or nothing."""
        encrypted = False
        for _ in range(3):  # at most one refused request for GSSAPI and one for TLS come before the parameters
            body = await read_startup(reader, self._limits.startup_bytes)
            if body is None:
                return None
            code = read_code(body)
            if code == CANCEL_REQUEST:
                self._keys.obey(body)
                return None
            if code in (SSL_REQUEST, GSS_REQUEST):
                MessageBody(body[4:]).end()
                if code == GSS_REQUEST or self._tls is None or encrypted:
                    writer.write(b"N")
                    await writer.drain()
                    continue
                await self._encrypt(reader, writer, self._tls)
                encrypted = True
                continue
            if not encrypted and not is_local(writer.get_extra_info("peername")):
                hint = "connect with sslmode=verify-full, or sslmode=require"
                raise WireError("28000", "connections from elsewhere need TLS", hint=hint, fatal=True)
            return read_parameters(body)
        raise violate("too many requests came before the parameters of the connection", fatal=True)

    async def _encrypt(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, tls: WireTls) -> None:
        """Begin TLS; bytes that came before it in the open are refused, as somebody in the middle could send them."""
        if getattr(reader, "_buffer", b""):
            raise violate("bytes came in the open after the request for TLS", fatal=True)
        writer.write(b"S")
        await writer.drain()
        await writer.start_tls(tls.context, ssl_handshake_timeout=self._limits.login_seconds)

    async def _log_in(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, startup: Startup) -> Visit:
        """Check the password by SCRAM-SHA-256 and ask the door for the visit."""
        if startup.negotiates:
            writer.write(replies.negotiate_version(startup.minor, startup.unknown))
        encrypted = writer.get_extra_info("ssl_object") is not None
        fingerprint = self._tls.fingerprint if encrypted and self._tls is not None else None
        verifier = await self._door.find_verifier(startup.user)
        writer.write(replies.ask_for_scram(list_mechanisms(fingerprint)))
        await writer.drain()
        first = MessageBody(await self._read_login(reader))
        exchange = ScramExchange(verifier, first.text(), fingerprint)
        said = first.value()
        first.end()
        writer.write(replies.go_on_with_scram(exchange.answer_first(said or b"")))
        await writer.drain()
        proved, signature = exchange.check_final(await self._read_login(reader))
        where = _describe_peer(writer)
        try:
            visit = await self._door.admit(startup.user, proved, where)
        except Exception as error:
            if proved:
                raise
            LOG.info("a login failed: %s", type(error).__name__)
            raise WireError("28P01", REFUSED, hint=TOKEN_HINT, fatal=True) from None
        if not proved:
            visit.close()
            raise WireError("28P01", REFUSED, hint=TOKEN_HINT, fatal=True)
        writer.write(replies.end_scram(signature))
        return visit

    async def _read_login(self, reader: asyncio.StreamReader) -> bytes:
        message = await read_message(reader, self._limits.login_bytes)
        if message is None:
            raise ConnectionResetError("the client left during its login")
        if message[0] != ord("p"):
            raise violate("a message came that has no place in a login", fatal=True)
        return message[1]

    async def _refuse(self, writer: asyncio.StreamWriter, error: Exception) -> None:
        """Tell why a login failed; what is not ours to tell becomes one word for all."""
        if isinstance(error, ConnectionError | ssl.SSLError):
            return
        if isinstance(error, TimeoutError):
            told = WireError("57014", "the login took too long", fatal=True)
        else:
            found = translate_error(error)
            if found is None:
                LOG.error("a login failed", exc_info=error)
            elif not isinstance(error, WireError):
                found.code = "28000"
            told = found or WireError("XX000", GENERIC, fatal=True)
            told.fatal = True
        with contextlib.suppress(ConnectionError, TimeoutError):
            writer.write(replies.complain(told))
            async with asyncio.timeout(1):
                await writer.drain()


def read_settings(startup: Startup) -> WireSettings:
    """Return the settings that a startup packet asks for; refuse those that cannot be."""
    settings = WireSettings(startup.user)
    given = dict(startup.parameters)
    given.pop("database", None)
    given.pop("replication", None)
    options = read_options(given.pop("options", ""))
    try:
        for name, value in (*options.items(), *given.items()):
            settings = settings.set(name, value)
    except WireError as told:
        told.fatal = True
        raise
    return settings


def _describe_peer(writer: asyncio.StreamWriter) -> str:
    peer = writer.get_extra_info("peername")
    return f"postgresql {peer[0]}" if isinstance(peer, tuple) and peer else "postgresql socket"
