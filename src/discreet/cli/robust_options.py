"""What the commands of `discreet robust` share: groups of options, each a frozen dataclass, and how a result is shown.

A command names the groups that it takes as parameters, and `with_options` puts the options in their place.
"""

from __future__ import annotations

import functools
import inspect
import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from discreet.base.errors import DiscreetError, ParameterError
from discreet.cli.errors import show_errors
from discreet.cli.options import (
    AskerOption,
    EpsilonOption,
    FormatOption,
    ListFormat,
    ParamOption,
    PolicyOption,
    RhoOption,
    find_analyst,
    find_policy,
    parameters,
)
from discreet.cli.output import PICTURES, check_writable, progress

WhereOption = Annotated[
    str | None, typer.Option("--where", help="Of rows that fulfil this alone: 'age >= 18'.", show_default=False)
]
FreshOption = Annotated[bool, typer.Option("--fresh", help="Pay for new noise.")]
JsonOption = Annotated[bool, typer.Option("--json", help="The same as --format json.")]
PlotOption = Annotated[
    Path | None, typer.Option("--plot", help="Draw it, too: .png, .pdf or .svg.", show_default=False)
]
DeltaOption = Annotated[
    float | None, typer.Option("--delta", help="With epsilon: the chance of failing it.", show_default=False)
]
ProposalOption = Annotated[
    float | None,
    typer.Option(
        "--proposal",
        help="How far one person is thought to move it; else it is refused. With -e and --delta.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class PriceOptions:
    """What to spend: an epsilon or a rho."""

    epsilon: EpsilonOption = None
    rho: RhoOption = None

    def read(self) -> dict[str, Any]:
        """Return what was said, or refuse to spend nothing or two things."""
        if (self.epsilon is None) == (self.rho is None):
            raise DiscreetError("say what to spend, and once: -e 1, or --rho 0.5")
        return asdict(self)


@dataclass(frozen=True)
class MechanismOptions(PriceOptions):
    """What to spend, which says with a delta and a proposal which mechanism is used."""

    delta: DeltaOption = None
    proposal: ProposalOption = None


@dataclass(frozen=True)
class EpsilonOptions:
    """What to spend, where a mechanism has an epsilon alone."""

    epsilon: EpsilonOption = None

    def read(self) -> dict[str, Any]:
        """Return what was said, or refuse to spend nothing."""
        if self.epsilon is None:
            raise DiscreetError("say what to spend: -e 1")
        return {"epsilon": self.epsilon}


@dataclass(frozen=True)
class RhoOptions:
    """What to spend, where a mechanism has a rho alone."""

    rho: Annotated[float | None, typer.Option("--rho", help="What to spend, in zCDP.", show_default=False)] = None

    def read(self) -> dict[str, Any]:
        """Return what was said, or refuse to spend nothing."""
        if self.rho is None:
            raise DiscreetError("say what to spend: --rho 0.5")
        return {"rho": self.rho}


@dataclass(frozen=True)
class ResampleOptions:
    """What to spend on noisy resamples, and how many there are."""

    epsilon: EpsilonOption = None
    delta: DeltaOption = None
    resamples: Annotated[int, typer.Option("--resamples", help="How many noisy resamples there are.")] = 50

    def read(self) -> dict[str, Any]:
        """Return what was said, or refuse to spend too little."""
        if self.epsilon is None or self.delta is None:
            raise DiscreetError("say what to spend, both: -e 1 --delta 1e-10")
        return asdict(self)


@dataclass(frozen=True)
class ShowOptions:
    """How a result is written, where nothing is asked."""

    format: FormatOption = ListFormat.TABLE
    json: JsonOption = False

    def write(self, text: str, values: Any) -> None:
        """Print a result as text, or as JSON where that was asked for."""
        write_result(text, values, self.json or self.format is ListFormat.JSON)


@dataclass(frozen=True)
class AskOptions:
    """Of which rows, who asks under which policy, and how the result is written."""

    where: WhereOption = None
    param: ParamOption = None
    fresh: FreshOption = False
    policy: PolicyOption = None
    analyst: AskerOption = None
    format: FormatOption = ListFormat.TABLE
    json: JsonOption = False

    def ask(self, name: str, *arguments: Any, **how: Any) -> Any:
        """Call a function of `discreet.robust` and print what it returns; options that were not given are left out."""
        from discreet import robust
        from discreet.curator import Curator

        every = {**how, "where": self.where, "params": parameters(self.param) or None, "fresh": self.fresh}
        given = {option: value for option, value in every.items() if value is not None}
        path = find_policy(self.policy)
        with Curator.open(path, find_analyst(self.analyst, path)) as curator, progress("measuring"):
            found = getattr(robust, name)(curator, *arguments, **given)
        write_result(str(found), found.to_dict(), self.json or self.format is ListFormat.JSON)
        return found


@dataclass(frozen=True)
class PictureOptions(AskOptions):
    """The same, and a picture of the result."""

    plot: PlotOption = None

    def ask(self, name: str, *arguments: Any, **how: Any) -> Any:
        """Ask likewise. What could make drawing it fail is looked at before anything is charged."""
        check_picture(self.plot)
        found = super().ask(name, *arguments, **how)
        if self.plot is not None:
            found.plot(self.plot)
            typer.echo(f"wrote {self.plot}", err=True)
        return found


def write_result(text: str, values: Any, as_json: bool) -> None:
    """Print a result as text, or as JSON."""
    typer.echo(json.dumps(_write_null(values), indent=2, ensure_ascii=False) if as_json else text)


def _write_null(values: Any) -> Any:
    """Return values with null for what is no finite number: JSON has none."""
    if isinstance(values, dict):
        return {name: _write_null(each) for name, each in values.items()}
    if isinstance(values, list | tuple):
        return [_write_null(each) for each in values]
    return None if isinstance(values, float) and not math.isfinite(values) else values


def check_picture(path: Path | None) -> None:
    """Refuse a picture that could not be written."""
    if path is None:
        return
    check_writable(path)
    if path.suffix.lower() not in PICTURES:
        raise ParameterError("--plot", str(path), f"a file that ends in {', '.join(PICTURES)}")
    from discreet.answers.arrow import require_module

    require_module("matplotlib.figure", "discreet[plot]")


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose groups of options are single options, and whose errors are shown as a person reads them.

    A parameter that is a dataclass is a group: on the command line its fields come after the command's own options.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {name: kind for name, kind in hints.items() if isinstance(kind, type) and is_dataclass(kind)}
    own = inspect.signature(command).parameters
    listed = [(name, hints[name], each.default) for name, each in own.items() if name not in groups]
    for group in groups.values():
        kinds = get_type_hints(group, include_extras=True)
        listed += [(each.name, kinds[each.name], each.default) for each in fields(group)]
    keyword = inspect.Parameter.KEYWORD_ONLY
    shown = [inspect.Parameter(name, keyword, default=default, annotation=kind) for name, kind, default in listed]

    @functools.wraps(command)
    def run(**given: Any) -> None:
        with show_errors():
            filled = {
                name: kind(**{each.name: given.pop(each.name) for each in fields(kind)})
                for name, kind in groups.items()
            }
            command(**given, **filled)

    run.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in shown}
    return run
