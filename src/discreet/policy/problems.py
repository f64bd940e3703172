"""What is wrong with a policy: all of it at once, each line with the file, the key and the remedy."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from discreet.base.errors import PolicyError


class Problems:
    """Collects what is wrong, so that an owner mends a file in one go."""

    def __init__(self, file: object) -> None:
        self._file = str(file)
        self._lines: list[str] = []

    def add(self, key: Sequence[str], wrong: str, remedy: str) -> None:
        """Note one problem: what is wrong at a key, and what to write."""
        line = f"{self._file}: {join_path(key)}: {wrong}; {remedy}"
        if line not in self._lines:
            self._lines.append(line)

    def refuse(self) -> None:
        """Raise one error with every problem on its own line, if there is any."""
        if self._lines:
            raise PolicyError("\n".join(self._lines))


def explain_problem(file: object, key: Sequence[str], wrong: str, remedy: str) -> PolicyError:
    """Return an error with one problem, in the form that all problems of a policy have."""
    return PolicyError(f"{file}: {join_path(key)}: {wrong}; {remedy}")


def join_path(key: Sequence[str]) -> str:
    """Return a key as TOML writes it.

    >>> join_path(["tables", "visits", "first name"])
    'tables.visits."first name"'
    """
    return ".".join(part if re.fullmatch(r"[A-Za-z0-9_-]+", part) else quote(part) for part in key)


def quote(text: str) -> str:
    r"""Return text as a TOML string on one line.

    >>> quote('a "b"\n')
    '"a \\"b\\"\\n"'
    """
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def quote_value(value: object) -> str:
    """Return a value from a policy, on one line and short enough to read."""
    if isinstance(value, str):
        text = quote(value)
    elif isinstance(value, bool):
        text = str(value).lower()
    else:
        text = " ".join(str(value).split())
    return text if len(text) <= 60 else f"{text[:50]}..."
