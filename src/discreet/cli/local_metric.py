"""`discreet local metric`: what is collected, by which mechanism, and how much a person tells in a lifetime."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.base.errors import DiscreetError, ParameterError
from discreet.cli.local_inputs import read_metric_file, read_numbers, read_texts, show_local_errors, split_texts
from discreet.cli.output import check_writable

if TYPE_CHECKING:
    from discreet.local.advisor import Advice
    from discreet.local.client import Metric
    from discreet.local.declaring import Declared

RAPPOR, BOUNDS = "32,2,64,0.25,0.75,0.5", "0,120"
"""What such options may look like."""


def metric(
    name: Annotated[str, typer.Argument(help="What is collected.")],
    lifetime: Annotated[float, typer.Option(help="The epsilon of all reports of a person.")],
    epsilon: Annotated[
        float | None,
        typer.Option("--epsilon", "-e", help="Of one report; smaller is more private.", show_default=False),
    ] = None,
    daily: Annotated[float | None, typer.Option(help="And of those of one day.", show_default=False)] = None,
    choices: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="The values; others are counted as (other).")
    ] = None,
    choices_file: Annotated[
        Path | None, typer.Option(help="Or a file with a value in each line.", show_default=False)
    ] = None,
    texts: Annotated[bool, typer.Option("--texts", help="Or any texts, by a sketch.")] = False,
    rappor: Annotated[
        str | None,
        typer.Option(
            metavar="BITS,HASHES,COHORTS,P,Q,F", help="Or any texts, by RAPPOR; epsilon follows.", show_default=False
        ),
    ] = None,
    fragments: Annotated[
        str | None,
        typer.Option(metavar="LETTERS,PIECES", help="With --rappor: find texts by fragments.", show_default=False),
    ] = None,
    numbers: Annotated[
        str | None, typer.Option(metavar="LOW,HIGH", help="Or numbers between bounds: their mean.", show_default=False)
    ] = None,
    words: Annotated[
        str | None,
        typer.Option(metavar="ALPHABET", help="Or words of these letters: the frequent ones.", show_default=False),
    ] = None,
    letters: Annotated[int, typer.Option(help="With --words: letters of a word, at most.")] = 8,
    attribute: Annotated[
        list[Path] | None,
        typer.Option(metavar="METRIC.json", help="Or records, of whose attributes a report tells one; repeat."),
    ] = None,
    constant: Annotated[
        float | None,
        typer.Option(help="With choices: remember noise; what a value tells that never changes.", show_default=False),
    ] = None,
    most_bytes: Annotated[int | None, typer.Option(help="Of a report's seed and payload.", show_default=False)] = None,
    mechanism: Annotated[
        str | None,
        typer.Option(
            help="Choices: direct, unary, subset, projective, hadamard, hashing; with --constant memoised-hashing, "
            "memoised-unary. Texts: hadamard-mean, count-mean. Numbers: hybrid, piecewise, one-bit. Words: prefix, "
            "puzzle.",
            show_default="advised",
        ),
    ] = None,
    reports: Annotated[int, typer.Option(help="About how many will come.")] = 1_000_000,
    version: Annotated[int, typer.Option(help="Of the metric; permanent noise is new for each.")] = 1,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the metric: .json.", show_default=False)
    ] = None,
) -> None:
    """Choose a mechanism, say why, and write the metric that clients and collector share."""
    with show_local_errors():
        if output is not None:
            check_writable(output)
        from discreet.cli.local_tables import show_advice, show_metric
        from discreet.local.client import Metric

        values = ValueOptions(choices, choices_file, texts, rappor, fragments, numbers, words, letters, attribute or [])
        declared, advice = values.declare(epsilon, mechanism, constant, most_bytes, reports)
        made = Metric(name, *declared, lifetime, daily, version)
        check_caps(made)
        if advice is not None:
            show_advice(advice, made)
        show_metric(made)
        if output is not None:
            output.write_text(made.to_json() + "\n", encoding="utf-8")
            typer.echo(f"wrote {output}", err=True)


@dataclass(frozen=True)
class ValueOptions:
    """What was said of the values."""

    choices: str | None
    choices_file: Path | None
    texts: bool
    rappor: str | None
    fragments: str | None
    numbers: str | None
    words: str | None
    letters: int
    attributes: list[Path]

    @property
    def kind(self) -> str:
        """Which one of the ways to declare values was taken."""
        given = {
            "choices": self.choices is not None,
            "choices-file": self.choices_file is not None,
            "texts": self.texts,
            "rappor": self.rappor is not None,
            "numbers": self.numbers is not None,
            "words": self.words is not None,
            "attribute": bool(self.attributes),
        }
        named = [name for name, there in given.items() if there]
        if len(named) != 1:
            raise DiscreetError(f"say what the values are, in one way: {', '.join('--' + name for name in given)}")
        return named[0]

    def declare(
        self, epsilon: float | None, mechanism: str | None, constant: float | None, most_bytes: int | None, reports: int
    ) -> tuple[Declared, Advice | None]:
        """Return the domain and the mechanism, with the advice where there was some to give."""
        from discreet.local import declaring

        kind, listed = self.kind, self.kind in ("choices", "choices-file")
        derived = kind in ("rappor", "attribute")
        _refuse("--epsilon", epsilon is not None and derived, f"follows from --{kind}: leave it out")
        _refuse("--epsilon", epsilon is None and not derived, "is what one report tells; write it, such as -e 1")
        _refuse("--mechanism", mechanism is not None and derived, f"follows from --{kind}: leave it out")
        _refuse("--fragments", self.fragments is not None and kind != "rappor", "is for --rappor")
        _refuse("--constant", constant is not None and not listed, "is for choices that are reported again and again")
        _refuse("--most-bytes", most_bytes is not None and (not listed or constant is not None), "is for choices")
        once = epsilon or 0.0
        if kind == "rappor":
            split = None if self.fragments is None else read_numbers("--fragments", self.fragments, "2,3")
            return declaring.declare_rappor(read_numbers("--rappor", str(self.rappor), RAPPOR), split), None
        if kind == "attribute":
            return declaring.declare_records([read_metric_file(path) for path in self.attributes]), None
        if kind == "texts":
            return declaring.declare_texts(once, mechanism), None
        if kind == "numbers":
            bounds = read_numbers("--numbers", str(self.numbers), BOUNDS)
            return declaring.declare_numbers(once, bounds, mechanism), None
        if kind == "words":
            return declaring.declare_words(once, str(self.words), self.letters, mechanism), None
        names = split_texts(self.choices) if self.choices is not None else read_texts(self.choices_file or Path())
        if constant is not None:
            return declaring.declare_memoised(constant, once, names, mechanism), None
        return declaring.declare_choices(once, names, mechanism, most_bytes, reports)


def check_caps(metric: Metric) -> None:
    """Refuse caps that not even one report fits: clients would tell nothing from the first day on."""
    one = metric.mechanism.epsilon
    for name, cap in (("--lifetime", metric.lifetime), ("--daily", metric.daily)):
        if cap is not None and cap < one:
            raise ParameterError(name, cap, f"at least {one:.6g}, what one report tells")


def _refuse(option: str, wrong: bool, words: str) -> None:
    if wrong:
        raise DiscreetError(f"{option} {words}")
