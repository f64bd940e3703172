"""Texts of dates, and dates of numbers: what has no date is NULL, on every engine alike."""

from __future__ import annotations

from mutants.mutant import broken

FORMATS = "tests/query/scalars/test_formats.py"
PATTERNS = "tests/plan/test_patterns.py"

MUTATIONS = [
    broken(
        "a year of five digits is cut to four",
        "query/scalars/formats.py",
        'right = reduce(lambda a, b: call("and", a, b), [*above, *below])',
        'right = reduce(lambda a, b: call("and", a, b), above)',
        FORMATS,
    ),
    broken(
        "the end of a day is read as an hour",
        "query/scalars/formats.py",
        '    if "H" in parts:  # the end',
        '    if "no part" in parts:  # the end',
        FORMATS,
    ),
    broken(
        "letters between parts of a format are not looked at",
        "query/scalars/formats.py",
        '"".join(f"!{each}" if each in "!%_" else each for each in letters)',
        '"_" * len(letters)',
        FORMATS,
    ),
    broken(
        "a month is read from any three letters of the names",
        "query/scalars/formats.py",
        'right = call("eq", call("mod", place, _whole(3)), _whole(1))',
        'right = call("ge", place, _whole(1))',
        FORMATS,
    ),
    broken(
        "a part of a text may be none",
        "query/scalars/text_parts.py",
        "not 1 <= abs(given) <= MOST_PARTS",
        "not abs(given) <= MOST_PARTS",
        "tests/query/scalars/test_calls.py",
    ),
    broken(
        "a date may be moved out of the calendar",
        "engines/duck/forms_time.py",
        "(CASE WHEN {inside} THEN {n} END)",
        "{n}",
        "tests/query/scalars/test_times.py",
    ),
    broken(
        "the least date is not the one that was released",
        "query/select/aggregates.py",
        '    if kind is Type.DATE:\n        return call("plus_days", EPOCH, number)\n',
        '    if kind is Type.DATE:\n        return call("plus_days", EPOCH, call("add", number, _ONE))\n',
        "tests/curator/estimates/test_assemble.py",
    ),
    broken(
        "a pattern may be found where there is nothing",
        "plan/patterns.py",
        "    if pattern.least == 0:\n",
        "    if False:\n",
        PATTERNS,
    ),
    broken(
        "a repetition may be followed by a letter of its own",
        "plan/patterns.py",
        "            if each.meets(follower):\n",
        "            if False:\n",
        PATTERNS,
    ),
    broken(
        "a search may go through a long text again and again",
        "plan/patterns.py",
        "if each.most is None and not last and not pattern.begins:",
        "if False:",
        PATTERNS,
    ),
    broken(
        "a replacement may name groups",
        "query/scalars/text_parts.py",
        '    if "\\\\" in str(put.value):\n',
        "    if False:\n",
        "tests/query/scalars/test_calls.py",
    ),
    broken(
        "replaced matches do not make a text longer",
        "plan/growths.py",
        "    ratio = max(Fraction(1), put)\n",
        "    ratio = Fraction(1)\n",
        "tests/plan/test_functions.py",
    ),
    broken(
        "days that no month has are keys",
        "query/bounding/public_facts.py",
        "if len(made) > 1 and len(columns) == 1 else None",
        "if False else None",
        "tests/query/bounding/test_public_facts.py",
    ),
]
