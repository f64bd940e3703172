"""How much work a function is on one row: what `query.work` bounds the time of one unit's rows by.

*Steps* are what a function does whatever its arguments hold: a comparison is one, and a function whose form guards its
arguments many. *Letters* are those of texts that it goes through: functions that take longer for a letter count it
several times, those that only copy or compare texts count some of them. A search counts a letter once more for every
few places at which its pattern can be half found there.

Efforts are the same on all engines, and so bound the dearest of them; how many nanoseconds a step and a letter take is
each engine's own (`query.work.RATES`). `bench/work.py` measures both.
"""

from __future__ import annotations

from collections.abc import Callable

from discreet.base.types import Type
from discreet.plan.expressions import Call, Literal
from discreet.plan.patterns import parse_pattern

Effort = Callable[[Call, list[int], int], int]
"""From a call, the letters of its arguments (0 for what is no text) and those of its result, to letters of work."""

STEPS = {
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge", "distinct", "in"), 1),
    **dict.fromkeys(("and", "or", "not", "is_true", "is_false", "is_null"), 1),
    **dict.fromkeys(("case", "coalesce", "least", "greatest", "nullif"), 2),
    "mod": 60,
    "pow": 400,
    **dict.fromkeys(("regexp_replace", "regexp_replace_all"), 600),
}
USUAL_STEPS = 20
"""Of a function that is not listed."""

LONGEST_NUMBER, LONGEST_PAD = 40, 1_000
"""Letters of a number, a day or a time as a text, and of a text that is padded (`query.scalars.calls`)."""

MOVED, COMPARED = 4, 16
"""Every so many letters count where texts are only copied, and where they are only compared."""

AT_ONCE, FOUND = 10, 25
"""How many times longer a letter takes for each of several searches at once, and as how many letters a match counts."""


def count_steps(name: str) -> int:
    """Return how many steps a function is, whatever its arguments hold."""
    return STEPS.get(name, USUAL_STEPS)


def moving(made: Call, given: list[int], result: int) -> int:
    """Texts that are copied: a quarter of what goes in or comes out, whichever is more."""
    return -(-max(sum(given), result) // MOVED)


def comparing(made: Call, given: list[int], result: int) -> int:
    """Texts that are compared with the first, up to the end of the shorter one; one of them may be returned."""
    return -(-sum(min(given[0], each) for each in given[1:]) // COMPARED) + -(-result // MOVED)


def reading(times: int) -> Effort:
    """Texts of which every letter is looked at, so many times."""
    return lambda made, given, result: times * max(sum(given), result)


def trimming(made: Call, given: list[int], result: int) -> int:
    """Every letter is looked for among those to trim."""
    return given[0] * (2 + -(-sum(given[1:]) // 4))


def searching(made: Call, given: list[int], result: int) -> int:
    """A text that is searched for in another: at every letter it may be half found in several places."""
    needle = made.arguments[1]
    constant = needle.value if isinstance(needle, Literal) else None
    overlaps = count_overlaps(constant) if isinstance(constant, str) else given[1]
    return given[0] * (2 + -(-overlaps // 4)) + result


def matching(made: Call, given: list[int], result: int) -> int:
    """LIKE: what stands between two % is searched for; where a letter may be any, or is escaped, all may overlap."""
    pattern = made.arguments[1]
    text = pattern.value if isinstance(pattern, Literal) and isinstance(pattern.value, str) else ""
    if len(made.arguments) > 2:
        return given[0] * (2 + len(text))
    parts = (len(part) if "_" in part else count_overlaps(part) for part in text.split("%"))
    return given[0] * (2 + max(parts))


def trying(made: Call, given: list[int], result: int) -> int:
    """A regular expression: at every letter a search may begin, and look at as many as the pattern has.

    Searches that are under way at once take longer; so does beginning one anew behind every match.
    """
    constant = made.arguments[1]
    text = constant.value if isinstance(constant, Literal) and isinstance(constant.value, str) else "x"
    pattern = parse_pattern(text)
    tries = pattern.tries * (AT_ONCE if pattern.overlaps else 1)
    again = -(-FOUND // pattern.least) if made.function == "regexp_replace_all" else 0
    return given[0] * (5 + again + tries) + result


def count_overlaps(pattern: str) -> int:
    """Return in how many places at once a text can be half found, at most: each a beginning of it that ends alike.

    Theorem (Knuth, Morris, Pratt 1977): the beginnings of a pattern that end where its beginning of length n does are
    n, f(n), f(f(n)), ... for the failure function f. A search that begins anew at every letter compares a letter of the
    text once for each of them, and one that compares from the end likewise for the pattern turned round.

    >>> [count_overlaps(each) for each in ("", "icu", "aaab", "baaa", "abab")]
    [1, 1, 3, 3, 2]
    """
    return max(_count_chain(pattern), _count_chain(pattern[::-1]))


def _count_chain(pattern: str) -> int:
    failure, chain, most = [0] * (len(pattern) + 1), [0] * (len(pattern) + 1), 1
    for end in range(1, len(pattern) + 1):
        matched = failure[end - 1] if end > 1 else 0
        while matched and pattern[matched] != pattern[end - 1]:
            matched = failure[matched]
        failure[end] = matched + 1 if end > 1 and pattern[matched] == pattern[end - 1] else 0
        chain[end] = chain[failure[end]] + 1
        most = max(most, chain[end])
    return most


EFFORTS: dict[str, Effort] = {
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge", "distinct", "in", "nullif", "least", "greatest"), comparing),
    **dict.fromkeys(("case", "coalesce", "join", "concat", "length", "strlen", "as_text", "is_null"), moving),
    **dict.fromkeys(("substring", "left", "right", "starts_with", "ends_with", "lpad", "rpad"), reading(1)),
    **dict.fromkeys(("as_boolean", "as_integer", "as_decimal", "as_float", "as_date"), reading(2)),
    **dict.fromkeys(("as_timestamp", "reverse", "lower", "upper"), reading(5)),
    **dict.fromkeys(("trim", "ltrim", "rtrim"), trimming),
    **dict.fromkeys(("strpos", "contains", "replace", "split_part"), searching),
    **dict.fromkeys(("regexp_replace", "regexp_replace_all"), trying),
    "like": matching,
}
"""Functions of texts; all others go through no letters."""


def count_letters(made: Call, given: list[int], result: int) -> int:
    """Return the letters that a call goes through."""
    if Type.TEXT not in (made.type, *(argument.type for argument in made.arguments)):
        return 0
    rule = EFFORTS.get(made.function)
    return rule(made, given, result) if rule is not None else 0


def bound_letters(made: Call, given: list[int]) -> int:
    """Return how many letters a text that a call makes has at most, from those of its arguments."""
    name = made.function
    if name in ("join", "concat"):
        return sum(given)
    if name == "replace":
        searched = made.arguments[1]
        constant = searched.value if isinstance(searched, Literal) else None
        length = len(constant) if isinstance(constant, str) and constant else None
        return given[0] * (given[2] + 1) if length is None else max(given[0], -(-given[0] * given[2] // length))
    if name == "regexp_replace":
        return given[0] + given[2]
    if name == "regexp_replace_all":
        return given[0] * max(given[2], 1)
    if name == "as_text":
        return max(LONGEST_NUMBER, *given)
    if name in ("lpad", "rpad"):
        return max(_read_count(made, 1, LONGEST_PAD), 1)
    if name in ("left", "right"):
        return _read_count(made, 1, given[0])
    if name == "substring" and len(made.arguments) > 2:
        return _read_count(made, 2, given[0])
    return max(given, default=0)


def _read_count(made: Call, place: int, most: int) -> int:
    """Return a number of letters that is a constant, where it is between 0 and the most; else the most."""
    count = made.arguments[place]
    value = count.value if isinstance(count, Literal) else None
    return min(value, most) if isinstance(value, int) and value >= 0 else most
