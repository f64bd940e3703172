"""What the tests of policies share: the clinic's, small policies, and their refusals line by line."""

from __future__ import annotations

import pytest

from discreet.base.errors import PolicyError
from discreet.policy import Policy, loads
from support.clinic import write_policy

EXAMPLE = write_policy(analysts=True, files=True)
"""What an owner wrote about the clinic."""

FILE = "owner/policy.toml"


def read(text: str) -> Policy:
    return loads(text, FILE)


def refusals(text: str) -> list[str]:
    """Return the lines of the error that the text gives, each without the name of the file that it must begin with."""
    with pytest.raises(PolicyError) as found:
        read(text)
    return lines_of(found.value)


def lines_of(error: PolicyError) -> list[str]:
    lines = str(error).split("\n")
    assert all(line.startswith(f"{FILE}: ") for line in lines)
    return [line.removeprefix(f"{FILE}: ") for line in lines]


def refusal(text: str) -> str:
    """Return the one line of the error that the text gives."""
    (line,) = refusals(text)
    return line


def table(body: str, columns: str = "", budget: str = "epsilon = 1.0") -> str:
    """Return a policy with one table `t`, of one row per unit unless the body says otherwise."""
    if not any(word in body for word in ("unit", "public")):
        body += "\nrows_are_units = true"
    return f"[budget]\n{budget}\n[tables.t]\n{body}\n[tables.t.columns]\n{columns}\n"
