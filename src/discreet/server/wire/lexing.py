"""Texts of SQL in pieces: statements between semicolons, and comments, wherever quotes allow them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_PIECE = re.compile(
    r"""(?P<comment>--[^\n]*)
    |(?P<block>/\*)
    |(?P<escaped>(?<![A-Za-z0-9_$])[eE]'(?:[^'\\]|''|\\.)*(?:'|\Z))
    |(?P<quoted>'(?:[^']|'')*(?:'|\Z)|"(?:[^"]|"")*(?:"|\Z))
    |(?P<dollar>(?<![A-Za-z0-9_$])\$(?:[A-Za-z_\x80-\U0010ffff][A-Za-z0-9_\x80-\U0010ffff]*)?\$)
    |(?P<end>;)
    |(?P<other>[A-Za-z0-9_$\x80-\U0010ffff]+|\s+|.)""",
    re.VERBOSE | re.DOTALL,
)


@lru_cache(maxsize=16)
def cut_pieces(text: str) -> tuple[tuple[str, str], ...]:
    """Return the pieces of a text with their kind: comment, quoted, end or other."""
    return tuple(_cut(text))


def _cut(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while found := _PIECE.match(text, at):
        kind, start, at = found.lastgroup or "other", at, found.end()
        if kind == "block":
            at = _end_comment(text, start)
            kind = "comment"
        elif kind == "dollar":
            close = text.find(found[0], at)
            at = len(text) if close < 0 else close + len(found[0])
            kind = "quoted"
        elif kind == "escaped":
            kind = "quoted"
        yield kind, text[start:at]


def split_statements(text: str) -> list[str]:
    """Return the statements of a text, without the empty ones.

    >>> split_statements("SELECT ';'; -- a;b\\n;SET x = $a$;$a$")
    ["SELECT ';'", 'SET x = $a$;$a$']
    """
    found, now = [], ""
    for kind, piece in cut_pieces(text):
        if kind == "end":
            found.append(now)
            now = ""
        else:
            now += piece
    return [each.strip() for each in (*found, now) if drop_comments(each)]


def drop_comments(text: str) -> str:
    """Return a text with a blank for every comment, and none at its ends."""
    return "".join(" " if kind == "comment" else piece for kind, piece in cut_pieces(text)).strip()


def list_comments(text: str) -> list[str]:
    """Return what the comments of a text say, without their marks."""
    comments = [piece for kind, piece in cut_pieces(text) if kind == "comment"]
    return [each[2:].removesuffix("*/").strip() for each in comments]


def _end_comment(text: str, start: int) -> int:
    """Return where a comment ends, which may hold others."""
    depth, at = 1, start + 2
    while depth:
        opened, closed = text.find("/*", at), text.find("*/", at)
        if closed < 0:
            return len(text)
        if 0 <= opened < closed:
            depth, at = depth + 1, opened + 2
        else:
            depth, at = depth - 1, closed + 2
    return at


ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
"""What stands behind a backslash in E'...'."""


def unquote(word: str) -> str:
    """Return what a word of SQL stands for: a name or a literal without its quotes, plain names in lower case.

    >>> unquote("'it''s'"), unquote('"A"'), unquote("Abc")
    ("it's", 'A', 'abc')
    """
    word = word.strip()
    if len(word) >= 2 and word[0] == word[-1] == "'":
        return word[1:-1].replace("''", "'")
    if len(word) >= 3 and word[0] in "eE" and word[1] == word[-1] == "'":
        inner = word[2:-1].replace("''", "'")
        return re.sub(r"\\(.)", lambda found: ESCAPES.get(found[1], found[1]), inner, flags=re.DOTALL)
    if len(word) >= 2 and word[0] == word[-1] == '"':
        return word[1:-1].replace('""', '"')
    return word.lower()
