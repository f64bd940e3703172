"""The first packets of a connection: requests for encryption, cancel requests, versions and parameters."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

from discreet.server.wire.errors import WireError, violate
from discreet.server.wire.messages import MessageBody

SSL_REQUEST, GSS_REQUEST, CANCEL_REQUEST = (1234 << 16) | 5679, (1234 << 16) | 5680, (1234 << 16) | 5678
MAJOR, NEWEST_MINOR = 3, 2
LONG_KEY, SHORT_KEY = 32, 4
"""Bytes of a cancel key from version 3.2 on, and before."""


@dataclass(frozen=True, slots=True)
class Startup:
    """What a client says first: who it is, and what it wants set."""

    user: str
    parameters: dict[str, str]
    minor: int
    """The version that is spoken from here on."""
    unknown: tuple[str, ...]
    """Options of the protocol that are not known here."""
    negotiates: bool
    """Whether the client must be told of another version, or of unknown options."""


def read_code(body: bytes) -> int:
    """Return the number that a startup packet begins with: a version, or a request."""
    return MessageBody(body).uint32()


def read_parameters(body: bytes) -> Startup:
    """Return what a startup packet says."""
    content = MessageBody(body)
    version = content.uint32()
    major, minor = version >> 16, version & 0xFFFF
    if major != MAJOR:
        raise WireError("0A000", f"version {major}.{minor} of the protocol is not spoken; version 3 is", fatal=True)
    found: dict[str, str] = {}
    while name := content.text():
        if name in found:
            raise violate("a parameter of the connection is there twice", fatal=True)
        found[name] = content.text()
    content.end()
    user = found.pop("user", "")
    if not user:
        raise WireError("28000", "no user was named; give the analyst's name as user", fatal=True)
    if found.get("replication", "false").lower() not in ("false", "off", "no", "0"):
        raise WireError("0A000", "replication is not offered", fatal=True)
    unknown = tuple(name for name in found if name.startswith("_pq_."))
    parameters = {name: value for name, value in found.items() if name not in unknown}
    spoken = min(minor, NEWEST_MINOR) if minor != 1 else 0  # 3.1 was never in use
    return Startup(user, parameters, spoken, unknown, spoken != minor or bool(unknown))


def read_options(text: str) -> dict[str, str]:
    """Return the settings of a startup packet's `options`, such as `-c discreet.epsilon=0.1`.

    >>> read_options("-c discreet.epsilon=0.1 --search_path=a\\\\ b")
    {'discreet.epsilon': '0.1', 'search_path': 'a b'}
    """
    found: dict[str, str] = {}
    words = iter(_split_words(text))
    for word in words:
        if word == "-c":
            word = next(words, "")
        elif word.startswith(("-c", "--")):
            word = word[2:]
        else:
            raise WireError("22023", "options are read as -c name=value alone", fatal=True)
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise WireError("22023", "options are read as -c name=value alone", fatal=True)
        found[name.replace("-", "_")] = value
    return found


def _split_words(text: str) -> list[str]:
    """Split at blanks; a backslash keeps the letter after it."""
    words, word, escaped, inside = [], "", False, False
    for letter in text:
        if escaped or not (letter.isspace() or letter == "\\"):
            word, escaped, inside = word + letter, False, True
        elif letter == "\\":
            escaped = True
        elif inside:
            words.append(word)
            word, inside = "", False
    return [*words, word] if inside else words


def is_local(peer: object) -> bool:
    """Say whether a connection comes from this computer: from a loopback address, or through a socket file."""
    if isinstance(peer, str | bytes):
        return True
    if not isinstance(peer, tuple) or not peer:
        return False
    try:
        address = ipaddress.ip_address(str(peer[0]).partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


@dataclass(slots=True)
class CancelKeys:
    """Which connection a cancel request means. A number and a key are both drawn at random: 64 bits at the least."""

    _stops: dict[int, tuple[bytes, Callable[[], None]]] = field(default_factory=dict)

    def issue(self, minor: int, stop: Callable[[], None]) -> tuple[int, bytes]:
        """Return a new number and key; a request with both calls `stop`."""
        while (process := secrets.randbits(32)) in self._stops or process == 0:
            pass
        key = secrets.token_bytes(LONG_KEY if minor >= 2 else SHORT_KEY)
        self._stops[process] = (key, stop)
        return process, key

    def forget(self, process: int) -> None:
        """Take back a key."""
        self._stops.pop(process, None)

    def obey(self, body: bytes) -> bool:
        """Stop what a cancel request means, if its key is right; whoever sent it is told nothing."""
        content = MessageBody(body)
        content.uint32()
        process, given = content.uint32(), content.rest()
        key, stop = self._stops.get(process, (b"\0" * SHORT_KEY, _do_nothing))
        right = hmac.compare_digest(given, key) and process in self._stops
        if right:
            stop()
        return right


def _do_nothing() -> None:
    """Stop nothing."""
