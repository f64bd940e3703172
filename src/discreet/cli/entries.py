"""A ledger's entries as lines for people."""

from __future__ import annotations

from typing import Any

from discreet.answers.words import to_one_line
from discreet.base.errors import DiscreetError
from discreet.base.exact import read_exact
from discreet.ledger import Entry


def name_of(entry: Entry) -> str:
    """Return who an entry is about, or nothing."""
    try:
        return to_one_line(str(entry.body.get("analyst") or ""))
    except (ValueError, AttributeError):
        return ""


def line(entry: Entry, names: int = 0, width: int | None = None) -> str:
    """Return one entry on one line, with room for names, and cut to a width where one is given."""
    try:
        what = to_one_line(" ".join(_words(entry.kind, entry.body).split()))
    except (ValueError, KeyError, TypeError, AttributeError, DiscreetError):
        what = "cannot be read: run `discreet ledger --verify`"
    who = f"{name_of(entry):<{names}}  " if names else ""
    whole = f"{entry.number:>5}  {entry.at[:19].replace('T', ' ')}  {entry.kind:<7}  {who}{what}".rstrip()
    return whole if width is None or len(whole) <= width else whole[: max(width - 1, 0)] + "…"


SENTENCES = {
    "SHARE": "{cost}, own cap only: the answer of entry {charge}",
    "RETRY": "entry {charge} is run again, for what it paid",
    "MEASURE": "measured for entry {charge}, {bytes:,} bytes",
    "OVERRUN": "entry {charge} took longer than the deadline, overrun {count}",
    "DEATH": "the run of entry {charge} died, overrun {count}",
    "ALLOW": "entry {charge} may be run again",
    "RECORD": "the answer of entry {charge}, {bytes:,} bytes",
    "SUSPEND": "asking is suspended: entry {charge} failed after its charge",
    "RESUME": "asking goes on after the failure of entry {charge}",
    "STATE": "{name}",
    "SWEEP": "removed {part}, which nothing named, {bytes:,} bytes",
}
"""What is said of an entry, by its kind, from what it holds."""


def _words(kind: str, body: dict[str, Any]) -> str:
    if kind == "CREATE":
        return f"the ledger, for a budget of {_cost(body['facts']['budget'])}"
    if kind == "POLICY":
        changes = {each["key"].removeprefix("other."): each for each in reversed(body["changes"])}
        return "; ".join(
            f"{key}: {_value(each['old'])} -> {_value(each['new'])}" for key, each in sorted(changes.items())
        )
    if kind == "CHARGE":
        fresh = ", fresh" if body.get("fresh") else ""
        return f"{_cost(body)}{fresh}: {body['text']}"
    if kind in SENTENCES:
        return SENTENCES[kind].format_map({**body, "cost": _cost(body)})
    details = body.get("details", body)
    return ", ".join(f"{name} {_value(value)}" for name, value in details.items())


def _cost(body: dict[str, Any]) -> str:
    amounts = [(name, float(read_exact(body[name]))) for name in ("epsilon", "rho", "delta") if name in body]
    return ", ".join(f"{name} {value:.4g}" for name, value in amounts if value and value != float("inf")) or "nothing"


def _value(value: object) -> str:
    if isinstance(value, str) and "/" in value:
        try:
            return f"{float(read_exact(value)):.6g}"
        except DiscreetError:
            return value
    return "nothing" if value is None else str(value)
