"""What a connection has set: PostgreSQL's own parameters, and `discreet.*`, which say what a question may cost."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from discreet.server.wire.errors import WireError
from discreet.server.wire.lexing import list_comments

SERVER_VERSION = "15.0"
"""The version whose catalog is imitated."""

PREFIX = "discreet."
PRICES = ("epsilon", "rho", "within")
"""The three ways to name a price, of which a question has one."""

LONGEST_COMMENT = 1_000
"""Letters of a comment that may set something: reading a longer one could take its length squared."""

AMOUNT = re.compile(r"(\d{1,20}(\.\d{0,40})?|\.\d{1,40})([eE][+-]?\d{1,3})?", re.ASCII)

REPORTED = (
    "application_name",
    "client_encoding",
    "DateStyle",
    "default_transaction_read_only",
    "in_hot_standby",
    "integer_datetimes",
    "IntervalStyle",
    "is_superuser",
    "server_encoding",
    "server_version",
    "session_authorization",
    "standard_conforming_strings",
    "TimeZone",
)
"""Parameters of which clients are told at the login, and when they change."""

FIXED = {
    "in_hot_standby": "off",
    "integer_datetimes": "on",
    "is_superuser": "off",
    "server_encoding": "UTF8",
    "server_version": SERVER_VERSION,
    "server_version_num": "150000",
    "max_identifier_length": "63",
    "max_index_keys": "32",
    "block_size": "8192",
    "lc_collate": "C",
    "lc_ctype": "C",
    "transaction_read_only": "on",
    "max_connections": "100",
    "ssl": "on",
    "wal_level": "replica",
}

USUAL = {
    "application_name": "",
    "client_encoding": "UTF8",
    "datestyle": "ISO, MDY",
    "default_transaction_isolation": "read committed",
    "default_transaction_read_only": "on",
    "default_transaction_deferrable": "off",
    "transaction_isolation": "read committed",
    "transaction_deferrable": "off",
    "intervalstyle": "postgres",
    "standard_conforming_strings": "on",
    "timezone": "UTC",
    "search_path": '"$user", public',
    "extra_float_digits": "1",
    "bytea_output": "hex",
    "client_min_messages": "notice",
    "statement_timeout": "0",
    "lock_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "idle_session_timeout": "0",
    "row_security": "on",
    "synchronous_commit": "on",
    "escape_string_warning": "on",
    "lc_messages": "C",
    "lc_monetary": "C",
    "lc_numeric": "C",
    "lc_time": "C",
    "work_mem": "4MB",
    "jit": "on",
    "role": "none",
    "enable_seqscan": "on",
    "enable_hashjoin": "on",
    "enable_mergejoin": "on",
    "enable_nestloop": "on",
    "enable_bitmapscan": "on",
    "enable_indexscan": "on",
    "geqo": "on",
    "cursor_tuple_fraction": "0.1",
    "default_tablespace": "",
    "default_table_access_method": "heap",
    "xmloption": "content",
    "ssl_renegotiation_limit": "0",
    "plan_cache_mode": "auto",
    "max_parallel_workers_per_gather": "2",
    "password_encryption": "scram-sha-256",
    "quote_all_identifiers": "off",
    "check_function_bodies": "on",
    "synchronize_seqscans": "on",
}
"""Parameters that clients set; what they mean here is in docs/server-wire.md."""

SHOWN = {name.lower(): name for name in ("DateStyle", "IntervalStyle", "TimeZone")}
ENCODINGS = frozenset({"utf8", "utf-8", "unicode", "sql_ascii"})
SWITCHES = {
    **dict.fromkeys(("on", "true", "yes", "1"), "on"),
    **dict.fromkeys(("off", "false", "no", "0"), "off"),
}

OWN = {
    "epsilon": "",
    "rho": "",
    "within": "",
    "intervals": "off",
    "confidence": "0.95",
    "simultaneous": "off",
    "clamping": "off",
    "fresh": "",
    "key_delta": "",
    "max_rows": "",
    "max_groups": "",
    "max_rows_per_group": "",
    "left_out": "",
    "integers": "int8",
}
"""What may be set of `discreet.*`, and what holds without. There is no price until somebody names one."""


@dataclass(frozen=True, slots=True)
class WireSettings:
    """The parameters of a connection, as an immutable value: a rollback goes back to an earlier one."""

    user: str
    values: Mapping[str, str] = field(default_factory=dict)
    """What was set, by the name in lower case."""

    def show(self, name: str) -> str:
        """Return the value of a parameter."""
        key = name.lower()
        if key in self.values:
            return self.values[key]
        if key == "session_authorization":
            return self.user
        if key.startswith(PREFIX) and key.removeprefix(PREFIX) in OWN:
            return OWN[key.removeprefix(PREFIX)]
        if key in FIXED or key in USUAL:
            return {**USUAL, **FIXED}[key]
        raise WireError("42704", f'unrecognized configuration parameter "{name[:80]}"')

    def set(self, name: str, value: str) -> WireSettings:
        """Return the settings with a parameter set; refuse values that it cannot have."""
        key = name.lower()
        if key.startswith(PREFIX):
            return self._set_own(key.removeprefix(PREFIX), value)
        if key in FIXED or key == "session_authorization":
            raise WireError("55P02", f'parameter "{key}" cannot be changed')
        if key not in USUAL and "." not in key:
            raise WireError("42704", f'unrecognized configuration parameter "{name[:80]}"')
        if len(value) > 1_000 or len(self.values) > 200:
            raise WireError("22023", "too much is set; RESET ALL takes all of it back")
        if key == "client_encoding":
            if value.lower().strip("'\"") not in ENCODINGS:
                raise WireError("22023", "texts are in UTF8 here; set client_encoding to UTF8")
            value = "UTF8"
        if key == "statement_timeout":
            read_milliseconds(value)
        return replace(self, values={**self.values, key: value})

    def _set_own(self, key: str, value: str) -> WireSettings:
        if key not in OWN:
            known = ", ".join(OWN)
            raise WireError("42704", f"there is no discreet.{key[:80]}", hint=f"these can be set: {known}")
        value = _check_own(key, value.strip())
        kept = {name: each for name, each in self.values.items() if name != PREFIX + key}
        if key in PRICES and value:
            kept = {name: each for name, each in kept.items() if name.removeprefix(PREFIX) not in PRICES}
        return replace(self, values={**kept, PREFIX + key: value} if value != OWN[key] else kept)

    def reset(self, name: str | None = None) -> WireSettings:
        """Return the settings without a parameter, or without all of them."""
        if name is None:
            return WireSettings(self.user)
        self.show(name)
        return replace(self, values={key: value for key, value in self.values.items() if key != name.lower()})

    def apply_comments(self, text: str) -> WireSettings:
        """Return the settings that hold for one statement: a comment such as `/* epsilon = 0.1 */` sets some.

        Only a comment that is nothing but settings of known names counts; two that set one name are refused.
        """
        found: dict[str, str] = {}
        for comment in list_comments(text):
            for name, value in _read_comment(comment).items():
                if found.setdefault(name, value) != value:
                    raise WireError("22023", f"two comments set {name}; leave one out")
        if sum(name in PRICES for name in found) > 1:
            raise WireError("22023", "give one of epsilon, rho and within, not several")
        settings = self
        for name, value in found.items():
            settings = settings.set(PREFIX + name, value)
        return settings

    def own(self, key: str) -> str:
        """Return what `discreet.KEY` is."""
        return self.values.get(PREFIX + key, OWN[key])

    @property
    def intervals(self) -> bool:
        """Whether noisy numbers have the ends of their intervals beside them."""
        return self.own("intervals") == "on"

    @property
    def priced(self) -> bool:
        """Whether a price is named."""
        return any(self.own(key) for key in PRICES)

    @property
    def timeout(self) -> float | None:
        """Seconds that a statement may take; None where it may take any."""
        return read_milliseconds(self.show("statement_timeout")) / 1_000 or None

    def terms(self) -> dict[str, Any]:
        """Return what is said about a question besides its text, as `Asked` takes it."""
        whole = ("max_rows", "max_groups", "max_rows_per_group")
        return {
            "epsilon": self.own("epsilon") or None,
            "rho": self.own("rho") or None,
            "within": json.loads(self.own("within")) if self.own("within") else None,
            "confidence": float(self.own("confidence")),
            "simultaneous": self.own("simultaneous") == "on",
            "clamping": self.own("clamping") == "on",
            "fresh": bool(self.own("fresh")),
            "key": self.own("fresh") or None,
            "key_delta": self.own("key_delta") or None,
            "left_out": int(self.own("left_out")) if self.own("left_out").isdecimal() else self.own("left_out") or None,
            **{name: int(self.own(name)) if self.own(name) else None for name in whole},
        }


def _read_comment(comment: str) -> dict[str, str]:
    """Return what a comment sets; nothing where it is any other comment."""
    found: dict[str, str] = {}
    if len(comment) > LONGEST_COMMENT:
        return found
    for part in re.split(r"[;,](?![^{]*\})", comment):
        match = re.fullmatch(r"\s*(?:discreet\.)?([a-z_]+)\s*[=:]\s*(\{[^}]*\}|[^\s=:]+)\s*", part, re.IGNORECASE)
        if match is None or match[1].lower() not in OWN:
            return {}
        found[match[1].lower()] = match[2].strip("'\"")
    return found


def _check_own(key: str, value: str) -> str:
    if not value:
        return OWN[key]
    if key in ("intervals", "simultaneous", "clamping"):
        if value.lower() not in SWITCHES:
            raise WireError("22023", f"discreet.{key} is on or off")
        return SWITCHES[value.lower()]
    if key in ("epsilon", "rho", "key_delta"):
        if not AMOUNT.fullmatch(value):
            raise WireError("22023", f"discreet.{key} is a number, such as 0.1")
        return value
    if key == "confidence":
        if not AMOUNT.fullmatch(value) or not 0 < float(value) < 1:
            raise WireError("22023", "discreet.confidence is a number between 0 and 1, such as 0.95")
        return value
    if key == "integers" and value.lower() not in ("int8", "numeric"):
        raise WireError("22023", "discreet.integers is int8 or numeric")
    if key.startswith("max_") and (not re.fullmatch(r"[1-9]\d{0,11}", value, re.ASCII)):
        raise WireError("22023", f"discreet.{key} is a whole number above 0")
    if key == "left_out" and not re.fullmatch(r"units|[1-9]\d{0,6}", value, re.ASCII):
        raise WireError("22023", "discreet.left_out is units, or the most rows of each unit to count, such as 10")
    if key == "fresh" and not re.fullmatch(r"[\x21-\x7e]{1,100}", value):
        raise WireError("22023", "discreet.fresh is a key of your own for this new answer: up to 100 letters")
    return _check_within(value) if key == "within" else value.lower() if key == "integers" else value


def _check_within(value: str) -> str:
    """Return the errors that are wanted, such as {"n": 50}, as JSON."""
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        found = None
    fits = isinstance(found, dict) and found
    if not fits or not all(type(each) in (int, float) and 0 < each < math.inf for each in found.values()):
        raise WireError("22023", 'discreet.within names the errors that are wanted, such as {"n": 50}')
    return json.dumps(found)


def read_milliseconds(value: str) -> float:
    """Return a span of time as PostgreSQL reads it: milliseconds, or a number with a unit."""
    found = re.fullmatch(r"(\d{1,10})\s*(us|ms|s|min|h|d)?", value.strip(), re.ASCII)
    if found is None:
        raise WireError("22023", "a span of time is a number of milliseconds, or one with ms, s, min, h or d")
    units = {"us": 0.001, "ms": 1.0, "s": 1e3, "min": 6e4, "h": 3.6e6, "d": 8.64e7}
    return int(found[1]) * units[found[2] or "ms"]
