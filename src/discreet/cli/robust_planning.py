"""The commands of `discreet robust` that plan a study: they read nothing, and are free."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.base.errors import ParameterError
from discreet.cli.learning import split_list
from discreet.cli.robust_asking import read_number_list
from discreet.cli.robust_options import PlotOption, ShowOptions, check_picture

if TYPE_CHECKING:
    from discreet.mechanisms.robust.advise import ExpectedError
    from discreet.robust.designs.planning import StudyDesign

GUESSES = {
    "t-test": ("means", "deviation", "bounds"),
    "proportion-test": ("shares",),
    "anova": ("means", "deviation", "bounds"),
    "log-rank": ("hazards", "intervals"),
    "kruskal-wallis": ("means", "deviation", "cuts"),
    "mann-whitney": ("means", "deviation", "cuts"),
    "kolmogorov-smirnov": ("means", "deviation", "cuts"),
    "chi-square": ("shares",),
}
"""What each test must be told; tests on cells take rows of shares instead of normal groups."""

CELLS = ("kruskal-wallis", "mann-whitney", "kolmogorov-smirnov", "chi-square")
MORE = {"t-test": ("groups",), "proportion-test": ("groups",), "log-rank": ("leaving",)}
"""What some may be told."""

FREE = "simulated from these guesses: nothing was read, and nothing is charged"


@dataclass(frozen=True)
class DesignOptions:
    """What somebody expects of a study."""

    epsilon: Annotated[float, typer.Option("--epsilon", "-e", help="What would be spent.")] = 1.0
    size: Annotated[float, typer.Option(help="How often the test may reject what is true.")] = 0.05
    means: Annotated[
        str | None, typer.Option(metavar="M,M,...", help="Of the groups; or tested and true mean.", show_default=False)
    ] = None
    deviation: Annotated[float | None, typer.Option(help="Of values within a group.", show_default=False)] = None
    bounds: Annotated[
        str | None, typer.Option(metavar="LOW,HIGH", help="The column's public bounds.", show_default=False)
    ] = None
    shares: Annotated[
        str | None,
        typer.Option(
            metavar="P,P[;P,P]", help="Of the groups; or rows of shares by bin, a row for each.", show_default=False
        ),
    ] = None
    cuts: Annotated[
        str | None, typer.Option(metavar="C,C,...", help="Between which people are counted.", show_default=False)
    ] = None
    hazards: Annotated[
        str | None, typer.Option(metavar="H,H", help="Shares with the event in an interval.", show_default=False)
    ] = None
    intervals: Annotated[int | None, typer.Option(help="Of time.", show_default=False)] = None
    leaving: Annotated[float | None, typer.Option(help="Share that leaves in an interval.", show_default=False)] = None
    groups: Annotated[int | None, typer.Option(help="1 against a public number, or 2.", show_default=False)] = None

    def read(self, test: str) -> StudyDesign:
        """Return the design of a test, or refuse what is missing and what is not for it."""
        from discreet import robust

        guesses = self._check(test)
        size: dict[str, Any] = {"epsilon": self.epsilon, "size": self.size}
        if test == "log-rank":
            return robust.SurvivalDesign(**guesses, **size)
        if test == "anova":
            return robust.VarianceDesign(**guesses, **size)
        if test == "t-test":
            return robust.MeanDesign(**guesses, **size)
        if test == "proportion-test":
            return robust.ShareDesign(**guesses, **size)
        name = test.replace("-", "_")
        if self.shares is not None:
            rows = tuple(_read_row("--shares", row) for row in split_list(self.shares, ";"))
            return robust.TableDesign(rows, test=name, **size)
        normal = robust.TableDesign.of_normal(**guesses, epsilon=self.epsilon, test=name)
        return replace(normal, size=self.size)

    def _check(self, test: str) -> dict[str, Any]:
        if test not in GUESSES:
            raise ParameterError("test", test, f"one of {', '.join(GUESSES)}")
        needed = ("shares",) if test in CELLS and self.shares is not None else GUESSES[test]
        known = {"means", "deviation", "bounds", "shares", "cuts", "hazards", "intervals", "leaving", "groups"}
        given = {name: getattr(self, name) for name in sorted(known) if getattr(self, name) is not None}
        for name in needed:
            if name not in given:
                raise ParameterError(f"--{name}", None, f"given: a design of {test} needs {_list_options(needed)}")
        for name in given.keys() - {*needed, *MORE.get(test, ())}:
            raise ParameterError(f"--{name}", given[name], f"left out: a design of {test} has {_list_options(needed)}")
        if test in CELLS and self.shares is not None:
            return {}
        return {name: _read_row(f"--{name}", each) if isinstance(each, str) else each for name, each in given.items()}


TestArgument = Annotated[str, typer.Argument(help=f"{', '.join(GUESSES)}.")]


def power(
    test: TestArgument,
    people: Annotated[str, typer.Option(metavar="N,N,...", help="People in all groups together.")],
    design: DesignOptions,
    output: ShowOptions,
    plot: PlotOption = None,
) -> None:
    """Tell how often a test would find a difference, with so many people.

    Example: discreet robust power t-test --means 400,450 --deviation 300 --bounds 0,5000 -e 1 --people 1000,3000
    """
    from discreet import robust

    check_picture(plot)
    planned = design.read(test)
    counts = _read_counts(people)
    found = [{"people": count, "power": robust.power(planned, count)} for count in counts]
    lines = [
        f"{count:,} people: found {each['power']:.1%} of the time" for count, each in zip(counts, found, strict=True)
    ]
    output.write("\n".join([planned.words, *lines, FREE]), {"design": planned.words, "powers": found})
    if plot is not None:
        robust.plot_power([planned], counts, plot)
        typer.echo(f"wrote {plot}", err=True)


def people_needed(
    test: TestArgument,
    design: DesignOptions,
    output: ShowOptions,
    power: Annotated[float, typer.Option(help="How often the difference is to be found.")] = 0.8,
) -> None:
    """Tell how many people a test needs to find a difference.

    Example: discreet robust people-needed proportion-test --shares 0.5,0.55 -e 0.5 --power 0.8
    """
    from discreet import robust

    planned = design.read(test)
    found = robust.people_needed(planned, power)
    text = f"{planned.words}\nabout {found:,} people in all find it {power:.0%} of the time\n{FREE}"
    output.write(text, {"design": planned.words, "power": power, "people": found})


def advise(
    output: ShowOptions,
    low: Annotated[int, typer.Option(help="The lower public bound, in steps of the column.")],
    high: Annotated[int, typer.Option(help="The upper one.")],
    people: Annotated[int, typer.Option(help="About how many values there are.")],
    gap: Annotated[
        float, typer.Option(help="How far apart values lie near the quantile: 2.5 deviations / people for a median.")
    ],
    share: Annotated[float, typer.Option(help="Of people, whose values lie below it.")] = 0.5,
    rows: Annotated[int, typer.Option(help="How many rows a person may have.")] = 1,
    epsilon: Annotated[float, typer.Option("--epsilon", "-e", help="What would be spent.")] = 1.0,
    delta: Annotated[float, typer.Option(help="The delta of those mechanisms that need one.")] = 1e-6,
) -> None:
    """Tell which mechanism errs least for a quantile, from public facts.

    Example: discreet robust advise --low 0 --high 1000000 --people 10000 --gap 20 -e 1
    """
    from fractions import Fraction

    from discreet import robust

    facts = robust.QuantileFacts(Fraction(repr(share)), low, high, people, gap, rows)
    _write_advice(robust.advise(facts, epsilon, delta), output)


def advise_unbounded(
    output: ShowOptions,
    people: Annotated[int, typer.Option(help="About how many values there are.")],
    deviation: Annotated[float, typer.Option(help="How far they spread, in steps.")],
    statistic: Annotated[str, typer.Option(help="mean, variance or interquartile-range.")] = "mean",
    span: Annotated[
        float | None,
        typer.Option(help="The distance of public bounds, in steps, if there are any.", show_default=False),
    ] = None,
    rows: Annotated[int, typer.Option(help="How many rows a person may have.")] = 1,
    epsilon: Annotated[float, typer.Option("--epsilon", "-e", help="What would be spent.")] = 1.0,
) -> None:
    """Tell which way errs least for values that nobody bounded, from public guesses.

    Example: discreet robust advise-unbounded --people 10000 --deviation 30000 -e 1
    """
    from discreet import robust

    facts = robust.UnboundedFacts(people, deviation, statistic.replace("-", " "), span, rows)
    _write_advice(robust.advise(facts, epsilon), output)


def _write_advice(found: list[ExpectedError], output: ShowOptions) -> None:
    lines = [f"{each.mechanism:<22} {each.error:>14,.6g}" for each in found]
    text = "\n".join(["expected error of each mechanism, the best one first", *lines, FREE])
    output.write(text, [{"mechanism": each.mechanism, "error": each.error} for each in found])


def _read_row(option: str, text: str) -> tuple[float, ...]:
    return tuple(read_number_list(option, text) or ())


def _read_counts(text: str) -> list[int]:
    numbers = read_number_list("--people", text) or []
    if any(not number.is_integer() for number in numbers):
        raise ParameterError("--people", text, "whole numbers with commas between, such as 1000,3000")
    return [int(number) for number in numbers]


def _list_options(names: tuple[str, ...]) -> str:
    return ", ".join(f"--{name}" for name in names)
