"""What takes texts apart has all that it needs; what it means is told beside the other functions."""

from __future__ import annotations

import pytest

from support.hospital import engine_of, refusal

ENGINE = engine_of()


@pytest.mark.parametrize(
    ("condition", "part"),
    [
        ("SPLIT_PART(ward) = 'a'", "write SPLIT_PART(x, ',', 1)"),
        ("SPLIT_PART(ward, 'o') = 'a'", "write SPLIT_PART(x, ',', 1)"),
        ("SPLIT_PART(ward, 'o', NULL) = 'a'", "which part is a constant"),
        ("SPLIT_PART(age, 'o', 1) = 'a'", "cannot be applied to"),
        ("STRLEN() = 1", "write STRLEN(x)"),
        ("STRLEN(age) = 1", "cannot be applied to"),
        ("REGEXP_REPLACE(ward, 'o') = 'a'", "write REGEXP_REPLACE(x, 'pattern', 'replacement')"),
        ("REGEXP_REPLACE(ward, 'o', 'x', NULL) = 'a'", "the option must be a constant"),
        ("REGEXP_REPLACE(ward, '[a-z]+x', '') = 'a'", "stands at the end of the pattern"),
        ("REGEXP_REPLACE(age, 'o', 'x') = 'a'", "cannot be applied to"),
    ],
)
def test_what_is_missing_is_told(condition: str, part: str) -> None:
    assert part in refusal(ENGINE, f"SELECT COUNT(*) FROM visits WHERE {condition}")
