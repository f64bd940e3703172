"""What is audited where only some of it is wanted: what has a word in its name, as tables and findings write it."""

from __future__ import annotations


def write_name(kind: str, name: str) -> str:
    """Return the name of a part of the audit, as its tables write it."""
    return f"{kind}: {name}"


def has_word(only: str, kind: str, name: str, beside: str = "") -> bool:
    """Say whether a name, with what stands beside it, has a word: however it is written, and whatever is large."""
    word = only.replace("`", "").strip().casefold()
    forms = write_name(kind, name), f"{kind} {name} {beside}", f"{kind} {name} ({beside})"
    return any(word in form.casefold() for form in forms)
