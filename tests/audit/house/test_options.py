"""The command line of the audit of the house: what means nothing ends it with 2 and a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.audit.house.__main__ import main
from discreet.audit.house.options import BEGIN, END, make_parser
from discreet.audit.house.running import LIGHT, WHOLE


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--workers", "0"], "--workers: it must be a whole number >= 1; got '0'"),
        (["--workers", "two"], "--workers: it must be a whole number >= 1; got 'two'"),
        (["--outputs", "0"], "--outputs: it must be a whole number >= 1000; got '0'"),
        (["--light", "--outputs", "5000"], "not allowed with argument --light"),
        (["--only", "zzz"], "--only must be a word in one of these names: mechanism: Laplace; "),
        (["--write", "nowhere.md"], "--write: it must be a file that is there and can be written; got 'nowhere.md'"),
    ],
)
def test_what_means_nothing_ends_with_2(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("text", ["no marks", BEGIN, f"{END} before {BEGIN}"])
def test_a_page_without_both_marks_is_refused_before_it_loses_what_follows(text: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit):
        make_parser().parse_args(["--write", str(page)])
    assert page.read_text(encoding="utf-8") == text


def test_tables_are_written_into_a_page_with_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\n{END}\nafter\n", encoding="utf-8")
    assert main(["--only", "PureLoss", "--write", str(page)]) == 0
    assert "| PureLoss | never below them |" in page.read_text(encoding="utf-8")
    assert page.read_text(encoding="utf-8").endswith(f"{END}\nafter\n")


def test_outputs_are_all_or_few_or_as_many_as_one_likes() -> None:
    sizes = [make_parser().parse_args(words).outputs for words in ([], ["--light"], ["--outputs", "5000"])]
    assert sizes == [WHOLE, LIGHT, 5000]
