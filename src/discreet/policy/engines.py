"""Engines: where tables lie that are not files beside the policy, and how they are reached."""

from __future__ import annotations

import re

from discreet.policy.model import DUCKDB, DeclaredEngine, EngineKind
from discreet.policy.problems import quote, quote_value
from discreet.policy.section import Section

KEYS = ("kind", "master", "remote", "dsn_env", "settings")
OWN_KEYS = {
    EngineKind.DUCKDB: (),
    EngineKind.SPARK: ("master", "remote", "settings"),
    EngineKind.POSTGRES: ("dsn_env",),
}
"""What may be said of an engine of each kind."""

DEFAULT = "engine"
"""The name of the section, and of the engine in it, that holds all tables which name no other."""

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
SECRET = re.compile(r"password|passwd|secret|token|access\.?key|credential", re.IGNORECASE)


def read_engines(root: Section) -> tuple[DeclaredEngine, ...]:
    """Return the engines that a policy declares; DuckDB is always among them, under its own name."""
    engines = [DeclaredEngine(DUCKDB, EngineKind.DUCKDB)]
    if DEFAULT in root:
        engines.append(_engine(DEFAULT, root.section(DEFAULT, KEYS)))
    for name, part in root.section("engines", None).sections(KEYS):
        if name in (DUCKDB, DEFAULT):
            part.wrong((), "is a name that is taken", "give the engine another name")
        engines.append(_engine(name, part))
    return tuple(engines)


def read_variable(section: Section, name: str) -> str | None:
    """Return the name of an environment variable: what it holds is read when it is needed, and never shown."""
    remedy = f'write the name of an environment variable that holds the address, such as {name} = "CLINIC_DSN"'
    found = section.text(name, remedy)
    if found is not None and not VARIABLE.fullmatch(found):
        section.wrong(name, "is no name of an environment variable", remedy)
        return None
    return found


def _engine(name: str, section: Section) -> DeclaredEngine:
    kind = _kind(section)
    for word in KEYS[1:]:
        if word in section and kind is not None and word not in OWN_KEYS[kind]:
            section.wrong(word, f"is not for engines of kind {quote(kind)}", f"take {word} out")
    master = section.text("master", 'write master = "spark://host:7077" or master = "local[*]"')
    remote = section.text("remote", 'write remote = "sc://host:15002"')
    if (
        kind is EngineKind.SPARK
        and (master is None) == (remote is None)
        and ("master" in section) == ("remote" in section)
    ):
        wrong = "both master and remote are there" if "master" in section else "says not where Spark is"
        section.wrong((), wrong, 'write one of master = "spark://host:7077" and remote = "sc://host:15002"')
    for word, address in (("master", master), ("remote", remote)):
        if address is not None and (SECRET.search(address) or "@" in address):
            section.wrong(word, "looks as if it held a secret", "take it out; Spark's own configuration may hold it")
    if remote is not None and not remote.startswith("sc://"):
        section.wrong(
            "remote", f"is {quote_value(remote)}", 'write an address of Spark Connect, such as "sc://host:15002"'
        )
    dsn_env = read_variable(section, "dsn_env")
    if kind is EngineKind.POSTGRES and "dsn_env" not in section:
        remedy = 'write dsn_env = "NAME" for the environment variable that holds the address of the database'
        section.wrong("dsn_env", "is missing", remedy)
    return DeclaredEngine(name, kind or EngineKind.DUCKDB, master, remote, dsn_env, _settings(section))


def _kind(section: Section) -> EngineKind | None:
    named = section.content.get("kind")
    remedy = "write one of " + ", ".join(f"kind = {quote(word)}" for word in EngineKind)
    if named in list(EngineKind):
        return EngineKind(named)
    section.wrong("kind", "is missing" if named is None else f"is {quote_value(named)}", remedy)
    return None


def _settings(section: Section) -> tuple[tuple[str, str], ...]:
    """Return settings of Spark as texts; none that holds a secret, for policies are shown to people."""
    part, found = section.section("settings", None), []
    for name, value in part.content.items():
        if not isinstance(value, str | int | bool):
            part.wrong(name, f"is {quote_value(value)}", f'write a text, such as {quote(name)} = "4g"')
        elif SECRET.search(name):
            part.wrong(name, "looks as if it held a secret", "put it into Spark's own configuration")
        else:
            found.append((name, str(value).lower() if isinstance(value, bool) else str(value)))
    return tuple(sorted(found))
