"""What is said below an answer's table, and text from elsewhere made fit for one line of a terminal."""

from __future__ import annotations

import unicodedata

from discreet.answers.numbers import format_percent, format_price
from discreet.answers.receipt import Receipt
from discreet.answers.sheet import Sheet

CLAMPED = "values were clamped to public bounds first; the intervals cover the noise, not the bias that clamping brings"
"""A note for answers over clamped values."""

NO_ROWS = "(no rows)"
"""Where the rows of an answer would stand, if there are none."""

SELECTED = (
    "HAVING, ORDER BY with LIMIT, or a join chose these rows by their noisy values, which breaks intervals that hold "
    "one by one; simultaneous ones (intervals(simultaneous=True), --simultaneous) hold for all rows at once, also for "
    "chosen ones"
)
"""A note for answers whose rows were chosen by noisy values."""


def to_one_line(text: str, encoding: str = "utf-8") -> str:
    r"""Return text that changes nothing but its own place on the screen.

    Control characters (line feeds, escape sequences, changes of direction) and what the encoding lacks are written as
    escapes; spaces of all kinds become plain ones.

    >>> to_one_line("a\nb"), to_one_line("caf\u00e9", "ascii"), to_one_line("\x1b[31m")
    ('a\\nb', 'caf\\xe9', '\\x1b[31m')
    """
    safe = "".join(_character(character) for character in text)
    try:
        return safe.encode(encoding, "backslashreplace").decode(encoding)
    except LookupError:
        return safe.encode("ascii", "backslashreplace").decode("ascii")


def _character(character: str) -> str:
    if character.isprintable():
        return character
    if unicodedata.category(character) == "Zs":
        return " "
    return character.encode("unicode_escape").decode("ascii")


def describe_intervals(sheet: Sheet) -> str:
    """Say what the intervals are: how sure, each alone or all at once, and how each column's are made."""
    together = "all at once" if sheet.simultaneous else "each on its own"
    made = [f"{field.name} {field.remark}" for field in sheet.fields if field.noisy and field.remark]
    return f"{format_percent(sheet.confidence)} intervals, {together}" + (": " + "; ".join(made) if made else "")


def describe_charge(receipt: Receipt) -> str:
    """Say what was charged, and to whom."""
    prices = [(name, getattr(receipt.charge, name)) for name in ("epsilon", "rho", "delta")]
    parts = [f"{name} {format_price(value)}" for name, value in prices if value and value != float("inf")]
    who = f" ({receipt.analyst})" if receipt.analyst else ""
    return f"{', '.join(parts) or 'nothing'}; {receipt.paid}{who}"


def describe_guarantee(receipt: Receipt) -> str:
    """Say what a charge guarantees: in rho where it has one, else in epsilon, with delta."""
    charge = receipt.charge
    if charge.epsilon == float("inf"):
        return f"{format_price(charge.rho)}-zCDP"
    pair = f"({format_price(charge.epsilon)}, {format_price(charge.delta)})" if charge.delta else None
    return f"{pair or format_price(charge.epsilon)}-differentially private"


def describe(sheet: Sheet) -> list[tuple[str, str]]:
    """Return everything that is said below the table, as a label and its words, in order."""
    lines = [("", describe_intervals(sheet))] if any(f.noisy for f in sheet.fields) else []
    lines += [("accuracy", sheet.accuracy)] if sheet.accuracy else []
    lines += [("left out", sheet.left_out)] if sheet.left_out else []
    lines += [("guarantee", sheet.guarantee)]
    if sheet.receipt is not None:
        lines += [("cost", describe_charge(sheet.receipt)), ("receipt", str(sheet.receipt))]
    return lines + [("note", note) for note in sheet.notes]
