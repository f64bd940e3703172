"""Read what the owner says of a server: by which names it is reached, and how much may be sent and spent at once."""

from __future__ import annotations

import re
from fractions import Fraction

from discreet.policy import exact
from discreet.policy.model import DeclaredServer
from discreet.policy.problems import quote_value
from discreet.policy.section import Section

KEYS = ("hosts", "workers", "rate", "login_epsilon", "patience", "session_hours")
MOST_WORKERS = 64
HOST = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\]", re.IGNORECASE)


def read_server(root: Section) -> DeclaredServer:
    """Return what the section [server] says; the usual values where it says nothing."""
    section, usual = root.section("server", KEYS), DeclaredServer()
    hosts = section.texts("hosts")
    for host in hosts:
        if not HOST.fullmatch(host):
            section.wrong("hosts", f"{quote_value(host)} is no name", 'write such as hosts = ["data.example.org"]')
    workers = section.whole("workers") or usual.workers
    if workers > MOST_WORKERS:
        section.wrong("workers", f"is {workers}", f"write at most {MOST_WORKERS}: each holds the tables open")
    hours = _read_positive(section, "session_hours", "12") or usual.session_hours
    return DeclaredServer(
        tuple(host.casefold() for host in hosts),
        workers,
        section.whole("rate") or usual.rate,
        _read_positive(section, "login_epsilon", "0.5"),
        _read_positive(section, "patience", "2") or usual.patience,
        hours,
    )


def _read_positive(section: Section, name: str, usual: str) -> Fraction | None:
    remedy = f"write a number above 0, such as {name} = {usual}"
    value = section.number(name, remedy)
    if value is not None and value <= 0:
        section.wrong(name, f"is {exact.write_number(value)}", remedy)
        return None
    return value
