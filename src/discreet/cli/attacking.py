"""`discreet attack`: what an attacker learns from a table with and without protection, and a picture of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.base.errors import DiscreetError, ParameterError
from discreet.cli.options import FormatOption, ListFormat
from discreet.cli.output import PICTURES, check_writable, progress
from discreet.cli.robust_options import JsonOption, with_options, write_result

attack = typer.Typer(
    help="Attacks on a made-up table, or on one of your own: what is learned without noise, and with it.",
    no_args_is_help=True,
)

TableOption = Annotated[
    Path | None,
    typer.Option(
        "--table",
        metavar="FILE",
        help="Your own: .csv or .parquet; every row is one person.",
        show_default="made-up people",
    ),
]
SecretOption = Annotated[
    str | None, typer.Option("--secret", metavar="COLUMN", help="With --table: the secret.", show_default=False)
]
ValueOption = Annotated[
    str | None,
    typer.Option("--value", help="Of the secret: who has it. Not needed for true and false.", show_default=False),
]
SpentOption = Annotated[float, typer.Option("--epsilon", "-e", help="What the curator may spend on the attack.")]
FailingOption = Annotated[float, typer.Option("--delta", help="With epsilon: the chance of failing it.")]
RunsOption = Annotated[int, typer.Option("--runs", help="How often, on people and noise drawn anew.")]
SeedOption = Annotated[
    int | None,
    typer.Option("--seed", min=0, help="Draw the same people again; noise is always new.", show_default=False),
]
PictureOption = Annotated[
    Path | None, typer.Option("-o", "--output", help="Draw it, too: .png, .pdf or .svg.", show_default=False)
]


@dataclass(frozen=True)
class ShownAttack:
    """How what was found is shown."""

    output: PictureOption = None
    format: FormatOption = ListFormat.TABLE
    json: JsonOption = False

    def show(self, name: str, *arguments: Any, **how: Any) -> None:
        """Call an attack, print what it found, and draw it; what could make drawing fail is looked at first."""
        from discreet.audit import attacks

        if self.output is not None:
            check_drawing(self.output)
        with progress("attacking"):
            found = getattr(attacks, name)(*arguments, **how)
        write_result(str(found), found.to_dict(), self.json or self.format is ListFormat.JSON)
        if self.output is not None:
            found.plot(self.output)
            typer.echo(f"wrote {self.output}", err=True)


@dataclass(frozen=True)
class SecretOptions:
    """Whose secret bit is attacked."""

    table: TableOption = None
    secret: SecretOption = None
    value: ValueOption = None

    def read(self) -> Any:
        """Return the secret of one's own table, or None for made-up people."""
        from discreet.audit import attacks

        if self.table is None:
            if self.secret is not None or self.value is not None:
                raise DiscreetError("--secret and --value are about a table of your own: name it with --table")
            return None
        people = read_table(self.table)
        if self.secret is None:
            raise DiscreetError(f"say which column is the secret, with --secret: {', '.join(people.column_names)}")
        with name_options(column="--secret", value="--value"):
            return attacks.find_secret(people, self.secret, self.value, name=self.table.name)


@attack.command()
@with_options
def differencing(
    people: SecretOptions,
    shown: ShownAttack,
    epsilon: SpentOption = 1.0,
    targets: Annotated[
        int, typer.Option("--targets", help="People who are attacked, one after another; at most 2,000.")
    ] = 100,
    neighbours: Annotated[str, typer.Option("--neighbours", help="replace, or add-remove.")] = "replace",
    seed: SeedOption = None,
) -> None:
    """Two counts that differ in one person: exact ones tell what that person has.

    Example: discreet attack differencing --table people.csv --secret diagnosis --value flu -o differences.png
    """
    how = {"epsilon": epsilon, "targets": targets, "neighbours": neighbours, "seed": seed}
    shown.show("difference", people.read(), **how)


@attack.command()
@with_options
def reconstruction(
    secrets: SecretOptions,
    shown: ShownAttack,
    epsilon: SpentOption = 1.0,
    delta: FailingOption = 1e-6,
    people: Annotated[int, typer.Option("--people", help="Whose bits are to be found.")] = 256,
    answers: Annotated[
        int | None, typer.Option("--answers", help="Counts of random groups.", show_default="4 for each person")
    ] = None,
    runs: RunsOption = 1,
    seed: SeedOption = None,
) -> None:
    """Counts of random groups with a little noise give all secrets away (Dinur, Nissim 2003).

    Example: discreet attack reconstruction --runs 5 -o reconstruction.png
    """
    how = {"people": people, "answers": answers, "runs": runs, "epsilon": epsilon, "delta": delta, "seed": seed}
    shown.show("reconstruct", secrets.read(), **how)


@attack.command()
@with_options
def tracing(
    shown: ShownAttack,
    table: TableOption = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            help="With --table: whose values are attributes: sex,ward. No commas in names.",
            show_default=False,
        ),
    ] = None,
    epsilon: SpentOption = 1.0,
    delta: FailingOption = 1e-6,
    people: Annotated[int, typer.Option("--people", help="Who are in the study; as many outsiders.")] = 100,
    attributes: Annotated[int, typer.Option("--attributes", help="Of made-up people.")] = 5_000,
    runs: RunsOption = 4,
    seed: SeedOption = None,
) -> None:
    """Who is in a study, from its published means alone.

    Example: discreet attack tracing --attributes 1000 -o tracing.png
    """
    from discreet.audit import attacks

    how: dict[str, Any] = {"people": people, "runs": runs, "epsilon": epsilon, "delta": delta, "seed": seed}
    if table is None:
        if columns is not None:
            raise DiscreetError("--columns is about a table of your own: name it with --table")
        shown.show("trace", attributes=attributes, **how)
        return
    own = read_table(table)
    if columns is None:
        raise DiscreetError(f"say whose values are the attributes, with --columns: {', '.join(own.column_names)}")
    names = read_names(columns)
    with name_options(columns="--columns"):
        rows = attacks.encode_attributes(own, names)
    shown.show("trace", rows, f"values of {', '.join(names)} in {table.name}", **how)


@attack.command()
@with_options
def linkage(
    shown: ShownAttack,
    table: TableOption = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            help="With --table: columns that a register has as well: born,sex. No commas in names.",
            show_default=False,
        ),
    ] = None,
    secret: SecretOption = None,
    epsilon: SpentOption = 1.0,
    delta: Annotated[
        float | None, typer.Option("--delta", help="The chance of failing it.", show_default="0.001 for all rows")
    ] = None,
    people: Annotated[int, typer.Option("--people", help="Made-up ones.")] = 20_000,
    seed: SeedOption = None,
) -> None:
    """Names are taken off a table, and columns that a register shares put them back.

    Example: discreet attack linkage --table people.csv --by born,sex,postcode --secret diagnosis -o linkage.png
    """
    how: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "people": people, "seed": seed}
    if table is None:
        if by is not None or secret is not None:
            raise DiscreetError("--by and --secret are about a table of your own: name it with --table")
        shown.show("link", **how)
        return
    own = read_table(table)
    if by is None or secret is None:
        raise DiscreetError(f"name columns with --by and one with --secret, out of {', '.join(own.column_names)}")
    with name_options(columns="--by", secret="--secret"):
        shown.show("link", own, read_names(by), secret, words=table.name, **how)


@attack.command()
@with_options
def averaging(
    people: SecretOptions,
    shown: ShownAttack,
    epsilon: Annotated[float, typer.Option("--epsilon", "-e", help="Of one answer.")] = 0.1,
    budget: Annotated[float, typer.Option("--budget", help="The curator's: the epsilon of all answers.")] = 1.0,
    times: Annotated[int, typer.Option("--times", help="How often the question is asked; at most 100,000.")] = 10_000,
    seed: SeedOption = None,
) -> None:
    """One question, asked until its noise averages out; a curator gives its recorded answer again.

    Example: discreet attack averaging --times 10000 -o averaging.png
    """
    shown.show("average", people.read(), epsilon=epsilon, budget=budget, times=times, seed=seed)


@attack.command("float-bits")
@with_options
def float_bits(
    people: SecretOptions,
    shown: ShownAttack,
    count: Annotated[
        int | None,
        typer.Option(
            "--count",
            help="The true count with the person in it; at most 2^50.",
            show_default="1, or that of the table",
        ),
    ] = None,
    outputs: Annotated[int, typer.Option("--outputs", help="Answers that are looked at.")] = 100_000,
) -> None:
    """The last bits of float noise tell what it was added to; whole numbers tell nothing (Mironov 2012).

    Example: discreet attack float-bits --count 3 -o bits.png
    """
    own = people.read()
    if own is not None and count is not None:
        raise DiscreetError("--count is that of the table; leave it out, or --table")
    true = own if own is not None else 1 if count is None else count
    shown.show("read_bits", true, outputs=outputs)


def check_drawing(path: Path) -> None:
    """Refuse a picture that could not be written."""
    from discreet.answers.arrow import require_module

    check_writable(path)
    if path.suffix.lower() not in PICTURES:
        raise ParameterError("-o", str(path), f"a file that ends in {', '.join(PICTURES)}")
    require_module("matplotlib.figure", "discreet[plot]")


def read_table(path: Path) -> Any:
    """Return a table of one's own."""
    from discreet.audit import attacks

    with name_options(path="--table"):
        return attacks.read_people(path)


@contextmanager
def name_options(**options: str) -> Iterator[None]:
    """Complain about parameters by the options that they come from."""
    try:
        yield
    except ParameterError as trouble:
        option = options.get(trouble.name, trouble.name)
        raise DiscreetError(f"{option}{str(trouble).removeprefix(trouble.name)}") from None


def read_names(text: str) -> list[str]:
    """Return the names of a list.

    >>> read_names("born, sex")
    ['born', 'sex']
    """
    return [each.strip() for each in text.split(",") if each.strip()]
