"""The rules of answers, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

ANSWER, ARROW, EXPORT = "tests/answers/test_answer.py", "tests/answers/test_arrow.py", "tests/answers/test_export.py"
HTML, NUMBERS, WORDS = "tests/answers/test_html.py", "tests/answers/test_numbers.py", "tests/answers/test_words.py"

MUTATIONS = [
    broken(
        "keys are markup in notebooks",
        "answers/html.py",
        "    return escape(text, quote=True)",
        "    escape(text, quote=True)\n    return text",
        HTML,
    ),
    broken(
        "wide integers go through floats",
        "answers/arrow.py",
        "            return _decimals([None if value is None else Decimal(value) for value in values])\n"
        "        case Type.DECIMAL",
        "            return _decimals([None if value is None else Decimal(int(float(value))) for value in values])\n"
        "        case Type.DECIMAL",
        ARROW,
    ),
    broken(
        "simultaneous intervals are single ones",
        "answers/answer.py",
        'self.bounds(sure, check.flag("simultaneous", simultaneous))',
        'self.bounds(sure, check.flag("simultaneous", False))',
        ANSWER,
    ),
    broken(
        "an interval is shown too narrow",
        "answers/numbers.py",
        "math.ceil(scaled) if up else math.floor(scaled)",
        "math.floor(scaled) if up else math.floor(scaled)",
        NUMBERS,
    ),
    broken(
        "interval ends are rounded inwards",
        "answers/answer.py",
        "return float_up(Fraction(end)) if side else float_down(Fraction(end))",
        "return float_down(Fraction(end)) if side else float_up(Fraction(end))",
        ANSWER,
    ),
    broken(
        "quotes in comma-separated values are not doubled",
        "answers/export.py",
        """text.replace('"', '""')""",
        "text",
        EXPORT,
    ),
    broken(
        "keys may move the cursor of a terminal",
        "answers/words.py",
        '    return character.encode("unicode_escape").decode("ascii")',
        "    return character",
        WORDS,
    ),
]
