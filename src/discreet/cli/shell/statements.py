"""What is typed, cut into questions and commands: a question ends with a semicolon, a command with its line."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKENS = re.compile(
    r"""'(?:[^']|'')*(?:'|\Z)           # a text, whole or not
    | "(?:[^"]|"")*(?:"|\Z)            # a name
    | --[^\n]*                         # a comment up to the end of its line
    | /\*(?:[^*]|\*(?!/))*(?:\*/|\Z)   # another
    | (?P<end>;)
    | (?P<command>\\)""",
    re.VERBOSE,
)


WORDS = {"help": "help", "exit": "q", "quit": "q"}
"""Commands that people type without their backslash, on a line of its own where a question could begin."""


@dataclass(frozen=True, slots=True)
class AskedText:
    """A whole question, without its semicolon."""

    text: str


@dataclass(frozen=True, slots=True)
class ShellCommand:
    """A command such as `\\d visits`: its name, and what follows it in its line."""

    name: str
    argument: str


class TypedLines:
    """Takes lines, gives back what is whole. In texts, names and comments, semicolons and backslashes are letters."""

    def __init__(self) -> None:
        self.pending = ""
        """The question that is not whole yet."""

    def feed(self, line: str) -> list[AskedText | ShellCommand]:
        """Take a line; return the questions and the commands that are whole now."""
        found: list[AskedText | ShellCommand] = []
        word = line.strip().rstrip(";").lower()
        if not self.pending and word in WORDS:
            return [ShellCommand(WORDS[word], "")]
        text = f"{self.pending}\n{line}" if self.pending.strip() else line
        place = start = 0
        while (token := _TOKENS.search(text, place)) is not None:
            place = token.end()
            if token["end"]:
                asked = text[start : token.start()].strip()
                found += [AskedText(asked)] if asked else []
                start = place
            elif token["command"]:
                name, *rest = text[place:].split(None, 1) or [""]
                found.append(ShellCommand(name.rstrip(";"), rest[0].strip() if rest else ""))
                text = text[: token.start()]
                break
        self.pending = text[start:].rstrip() if text[start:].strip() else ""
        return found

    @property
    def open_quote(self) -> str:
        """Return the quote of a text or a name that has no end yet: everything typed goes into it. Else nothing."""
        last = [token[0] for token in _TOKENS.finditer(self.pending)][-1:]
        sign = last[0][0] if last and last[0][0] in "'\"" else ""
        return "" if not sign or last[0][1:].replace(2 * sign, "").endswith(sign) else sign

    def drop(self) -> str:
        """Forget the question that is not whole, and return it."""
        dropped, self.pending = self.pending.strip(), ""
        return dropped
