"""A worker process: reads calls from a pipe, has the clerk answer them in threads, and writes replies back."""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from discreet.base.errors import DiscreetError
from discreet.server.workers.clerk import Clerk, Planned
from discreet.server.workers.telling import ToldError, tell, tell_owner

THREADS = 16
"""Calls that one worker answers at once; the doors send fewer questions that run."""

CALLS = frozenset({"ask", "describe", "preview", "list_tables", "read_budget", "list_entries"})
OWNER_CALLS = frozenset(
    {"read_budget", "read_spending", "list_failures", "resume", "retry", "list_data", "accept", "check"}
)
"""What is done for owners alone; the door asks who somebody is before it sends one."""

log = logging.getLogger("discreet.server")


@dataclass(frozen=True, slots=True)
class ClerkCall:
    """What a door wants: a method of the clerk, and what it is given."""

    number: int
    method: str
    arguments: tuple[Any, ...]
    owner: bool = False
    """Whether an owner wants it: only then is it looked for among what owners may do, and only there."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What comes back: first what was planned, where something is to be charged, then the result or an error."""

    number: int
    result: Any = None
    error: ToldError | None = None
    planned: Planned | None = None


def work(pipe: Connection, path: str) -> None:
    """Answer calls until the pipe closes; what runs then is recorded before the process ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from discreet.synthetic import online  # noqa: F401  (so that routes that a policy asks for are there)

    try:
        clerk = Clerk(path)
    except DiscreetError as trouble:
        pipe.send(Reply(0, error=ToldError("ServerError", str(trouble))))  # read by the operator, who starts the server
        return
    pipe.send(Reply(0))
    lock = threading.Lock()

    def send(reply: Reply) -> None:
        with lock, contextlib.suppress(OSError):  # nobody is there any more: what was paid for is recorded
            pipe.send(reply)

    with contextlib.closing(clerk), ThreadPoolExecutor(THREADS) as threads:
        while True:
            try:
                call = pipe.recv()
            except (EOFError, OSError):
                return
            if call is None:
                return
            threads.submit(_answer, clerk, call, send)


def _answer(clerk: Clerk, call: ClerkCall, send: Any) -> None:
    try:
        if call.method not in (OWNER_CALLS if call.owner else CALLS):
            raise ValueError(call.method)
        if call.owner:
            send(Reply(call.number, getattr(clerk.owner, call.method)(*call.arguments)))
            return
        more = (lambda planned: send(Reply(call.number, planned=planned)),) if call.method == "ask" else ()
        send(Reply(call.number, getattr(clerk, call.method)(*call.arguments, *more)))
    except BaseException as trouble:
        told = tell_owner(trouble) if call.owner else tell(trouble)
        if told.kind == "ServerError":
            log.error("%s failed", call.method, exc_info=trouble)
        send(Reply(call.number, error=told))
