"""A client: asks a server as one asks a curator, and gets the same answers."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote, urlsplit

from discreet.answers import Answer, Field
from discreet.answers.export import write_json
from discreet.answers.html_tables import render_lines
from discreet.base.errors import BudgetError, DiscreetError, ParameterError
from discreet.base.showing import ShownAsText
from discreet.curator.asking.fluent import TableQuestion
from discreet.curator.bounds import FoundBounds
from discreet.curator.owner.budget import Budget
from discreet.curator.owner.tables import Tables
from discreet.query.candidates import CandidateRange
from discreet.server.accounts.book import LoginError
from discreet.server.documents import read_answer, read_fields
from discreet.server.public_facts import read_budget, read_tables
from discreet.server.requests import AMOUNTS, write_value
from discreet.server.workers.telling import KINDS, ServerError

TIMEOUT = 660.0
"""Seconds until a request that nothing comes back for is given up; what was paid for is found by asking again."""


Amount = float | Fraction | str | None


@dataclass(frozen=True, slots=True, repr=False)
class ServedExplanation(ShownAsText):
    """What a question would do and cost, in the server's words. Nothing was charged."""

    text: str

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return render_lines("what it would do and cost", self.text)


@dataclass(frozen=True)
class ServedQuestion:
    """A question with its price, as a curator's `Prepared`. `fields` are the columns of its answer."""

    fields: tuple[Field, ...]
    _explanation: ServedExplanation = field(repr=False)
    _ask: Callable[[bool, str | None], Answer] = field(repr=False, compare=False)

    def ask(self, *, fresh: bool = False, progress: object = None, key: str | None = None) -> Answer:
        """Answer it, and pay for it where that was not done before."""
        return self._ask(fresh, key)

    def explain(self) -> ServedExplanation:
        """Say what it would do and cost."""
        return self._explanation


class Connection:
    """One analyst's way to a server, with the methods of a curator and the same values. Threads may share it."""

    def __init__(self, address: str, token: str, *, context: ssl.SSLContext | None = None) -> None:
        parts = urlsplit(address)
        if "@" in address or parts.query or parts.fragment:
            raise ParameterError("address", "...", "an address alone: a token has no place in it, where others see it")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ParameterError("address", address, "an address such as https://data.example.org")
        token = token.strip()  # as read from a file, with the end of its line
        if not token or not token.isascii() or not token.isprintable():
            raise ParameterError("token", "...", "what `discreet analyst add` printed")
        if parts.scheme == "http" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
            raise ParameterError("address", address, "https: a token is not sent over a network as it is")
        self._parts, self._token, self._context = parts, token, context
        self._local = threading.local()

    def ask(
        self,
        question: object,
        epsilon: Amount = None,
        *,
        fresh: bool = False,
        key: str | None = None,
        progress: object = None,
        **how: Any,
    ) -> Answer:
        """Answer a question in SQL; as of a curator. What is asked `fresh` gets a key, so that a repeat is not paid.

        There is no progress to be told: an answer leaves on its tick, and nothing is known before.
        """
        return self._ask("/v1/ask", _write_asked(question, epsilon, how), fresh, key)

    def prepare(self, question: object, epsilon: Amount = None, **how: Any) -> ServedQuestion:
        """Plan and price a question: free. What it would cost, and the columns of its answer, are known then."""
        return self._prepare("/v1/ask", "/v1/explain", _write_asked(question, epsilon, how))

    def explain(self, question: object, epsilon: Amount = None, **how: Any) -> ServedExplanation:
        """Say what a question would give and cost: free."""
        return self.prepare(question, epsilon, **how).explain()

    def choose(
        self,
        candidates: Iterable[object] | range | CandidateRange,
        score: str,
        epsilon: Amount = None,
        *,
        fresh: bool = False,
        key: str | None = None,
        progress: object = None,
        **how: Any,
    ) -> Answer:
        """Choose the public candidate with the best score, without releasing any; as of a curator."""
        return self._ask("/v1/choose", _write_choice(candidates, score, epsilon, how), fresh, key)

    def prepare_choice(
        self,
        candidates: Iterable[object] | range | CandidateRange,
        score: str,
        epsilon: Amount = None,
        **how: Any,
    ) -> ServedQuestion:
        """Plan and price a choice among public candidates: free."""
        asked = _write_choice(candidates, score, epsilon, how)
        return self._prepare("/v1/choose", "/v1/choose/explain", asked)

    def bounds(self, column: str, epsilon: Amount, progress: object = None) -> FoundBounds:
        """Find bounds of a numeric column privately, over fixed powers of two; charged like any question."""
        asked = {"column": column, **_write_amounts({"epsilon": epsilon})}
        answer = read_answer(self._send("POST", "/v1/bounds", asked))
        name, *ends = answer.rows[0]
        lower, upper = (Fraction(end) if isinstance(end, float) else None for end in ends)
        return FoundBounds(str(name), lower, upper, answer.receipt)

    def table(self, name: str) -> TableQuestion:
        """Begin a question in Python: `connection.table("visits").where("age >= 65").count(epsilon=0.2)`."""
        return TableQuestion(self.ask, name)

    @property
    def tables(self) -> Tables:
        """What is public about the tables that may be asked."""
        return read_tables(json.loads(self._send("GET", "/v1/tables"))["tables"])

    @property
    def budget(self) -> Budget:
        """What is spent and left of the analyst's own cap."""
        return read_budget(json.loads(self._send("GET", "/v1/budget")))

    @property
    def ledger(self) -> list[dict[str, Any]]:
        """What this analyst has paid for."""
        found: list[dict[str, Any]] = json.loads(self._send("GET", "/v1/ledger"))["entries"]
        return found

    def receipt(self, number: int) -> dict[str, Any]:
        """Return one of the entries of `ledger`."""
        found: dict[str, Any] = json.loads(self._send("GET", f"/v1/receipts/{quote(str(number))}"))
        return found

    def close(self) -> None:
        """Close this thread's connection."""
        link = self._local.__dict__.pop("link", None)
        if link is not None:
            link.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _ask(self, path: str, asked: dict[str, Any], fresh: bool, key: str | None) -> Answer:
        if fresh:
            asked = asked | {"fresh": True, "key": key or uuid.uuid4().hex}

        def ask_again(confidence: float, simultaneous: bool) -> Answer:
            again = {**asked, "confidence": confidence, "simultaneous": simultaneous}
            return read_answer(self._send("POST", path, again))

        return read_answer(self._send("POST", path, asked), ask_again)

    def _prepare(self, ask: str, explain: str, asked: dict[str, Any]) -> ServedQuestion:
        told = json.loads(self._send("POST", explain, asked))
        explanation = ServedExplanation(str(told["text"]))
        return ServedQuestion(
            read_fields(told["columns"]), explanation, lambda fresh, key: self._ask(ask, asked, fresh, key)
        )

    def _send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> str:
        """Send a request and return the reply's text; one whose connection was lost is sent once more.

        That is safe: a repeated request is one charge and one answer.
        """
        for last in (False, True):
            try:
                status, text = self._exchange(method, path, body)
                break
            except (http.client.HTTPException, ConnectionError, TimeoutError) as trouble:
                self.close()
                if last:
                    raise ServerError(f"the server cannot be reached ({type(trouble).__name__})") from None
            except ssl.SSLCertVerificationError as trouble:
                self.close()
                raise ServerError(
                    f"the server's certificate is not trusted here ({trouble.verify_message}); SSL_CERT_FILE names "
                    "the file of an authority of your own"
                ) from None
            except OSError as trouble:
                self.close()
                raise ServerError(f"the server cannot be reached ({trouble.strerror or trouble})") from None
            except BaseException:
                self.close()  # Ctrl-C: what comes later must not be read as the reply to another request
                raise
        if status >= 400:
            raise _read_error(text)
        return text

    def _exchange(self, method: str, path: str, body: Mapping[str, Any] | None) -> tuple[int, str]:
        link: http.client.HTTPConnection | None = getattr(self._local, "link", None)
        if link is None:
            link = self._local.link = self._connect()
        headers = {"authorization": f"Bearer {self._token}", "content-type": "application/json"}
        sent = None if body is None else write_json(body).encode()
        link.request(method, self._parts.path.rstrip("/") + path, sent, headers)
        reply = link.getresponse()
        return reply.status, reply.read().decode()

    def _connect(self) -> http.client.HTTPConnection:
        host = self._parts.hostname or ""
        if self._parts.scheme == "http":
            return http.client.HTTPConnection(host, self._parts.port, timeout=TIMEOUT)
        context = self._context or ssl.create_default_context()
        return http.client.HTTPSConnection(host, self._parts.port, timeout=TIMEOUT, context=context)


def connect(address: str, token: str, *, context: ssl.SSLContext | None = None) -> Connection:
    """Return a way to a server: `discreet.connect("https://data.example.org", token=...)`."""
    return Connection(address, token, context=context)


def _write_asked(question: object, epsilon: object, how: Mapping[str, Any]) -> dict[str, Any]:
    from discreet.query.ibis import to_sql

    asked = _write_amounts({"sql": to_sql(question), "epsilon": epsilon, **how})
    if isinstance(asked.get("keys"), list | tuple):
        asked["keys"] = write_value(asked["keys"])
    return asked


def _write_choice(candidates: object, score: str, epsilon: object, how: Mapping[str, Any]) -> dict[str, Any]:
    asked = _write_amounts({"score": score, "epsilon": epsilon, **how})
    if isinstance(candidates, range):
        candidates = CandidateRange.of(candidates)
    if isinstance(candidates, CandidateRange):
        return asked | {
            "candidates": {name: write_value(getattr(candidates, name)) for name in ("lower", "upper", "step")}
        }
    if isinstance(candidates, str | bytes) or not isinstance(candidates, Iterable):
        raise ParameterError("candidates", candidates, "a list of values, a range, or a CandidateRange")
    return asked | {"candidates": [write_value(each) for each in candidates]}


def _write_amounts(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was given, without what was not, so that amounts and parameters arrive as they are."""
    asked = {name: value for name, value in given.items() if value is not None}
    for name in AMOUNTS:
        if isinstance(asked.get(name), Fraction):
            asked[name] = str(asked[name])
    if isinstance(asked.get("params"), Mapping):
        asked["params"] = {name: write_value(each) for name, each in asked["params"].items()}
    return asked


def _read_error(text: str) -> DiscreetError:
    try:
        told = json.loads(text)["error"]
        kind, words = str(told["kind"]), str(told["message"])
    except (ValueError, KeyError, TypeError):
        return ServerError("the server answered with something that is no answer")
    if kind == "BudgetError":
        return BudgetError(words, told.get("fits"))
    return LoginError(words) if kind == "LoginError" else KINDS.get(kind, ServerError)(words)
