"""`discreet learn`: a model of a private table, and the report on it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.base.errors import DiscreetError
from discreet.cli.errors import show_errors
from discreet.cli.options import AnalystOption, EpsilonOption, MaxRowsOption, PolicyOption, RhoOption, read_bins
from discreet.cli.output import check_writable, progress


def learn(
    table: Annotated[str, typer.Argument(help="The private table.")],
    target: Annotated[str, typer.Option(help="What to predict: a column, or an SQL expression such as 'cost > 100'.")],
    model: Annotated[str, typer.Option(help="logistic, svc, huber or poisson.")] = "logistic",
    features: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="Columns or SQL expressions.", show_default="all with public values"),
    ] = None,
    epsilon: EpsilonOption = None,
    delta: Annotated[
        float | None, typer.Option(help="With epsilon.", show_default="the policy's for one question")
    ] = None,
    rho: RhoOption = None,
    bins: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=COUNT", help="A weight for each bin of a number. Repeatable.", show_default=False),
    ] = None,
    max_rows: MaxRowsOption = None,
    method: Annotated[str, typer.Option(help="descent, output or objective: where the noise is put.")] = "descent",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the model: .json.", show_default=False)
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write a page about it: .html.", show_default=False)] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Pay for new noise.")] = False,
    policy: PolicyOption = None,
    analyst: AnalystOption = None,
) -> None:
    """Learn a model of a table and pay for it; the same again is free."""
    with show_errors():
        files = [path for path in (output, report) if path is not None]
        for file in files:
            check_writable(file)
        if len({file.resolve() for file in files}) < len(files):
            raise DiscreetError("-o and --report must be different files")
        from discreet.answers.page import check_page
        from discreet.answers.words import describe_charge
        from discreet.cli.options import find_policy
        from discreet.curator import Curator
        from discreet.learn import fit, write_learning_report

        if report is not None:
            check_page(report)
        how: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "rho": rho, "max_rows": max_rows}
        how["method"] = method
        how |= {"bins": read_bins(bins or []), "features": None if features is None else split_list(features)}
        with Curator.open(find_policy(policy), analyst) as curator, progress("learning") as shown:
            found = fit(curator, model, table, target=target, fresh=fresh, progress=shown, **how)
        for line in describe_model(found):
            typer.echo(line)
        if output is not None:
            found.save(output)
        if report is not None:
            write_learning_report(found, report)
        assert found.receipt is not None
        typer.echo(f"learned from about {found.rows:,} rows", err=True)
        typer.echo(f"cost: {describe_charge(found.receipt)}", err=True)
        typer.echo(f"receipt: {found.receipt}", err=True)
        for file in files:
            typer.echo(f"wrote {file}", err=True)


def describe_model(model: Any) -> list[str]:
    """Return the coefficients as lines: a column for each output, in the units of the data."""
    rows = list(model.list_coefficients())
    width = max(len(name) for name, _ in rows)
    head = [] if len(rows[0][1]) == 1 else [" " * width + "".join(f"{each!s:>12}" for each in model.classes)]
    return [*head, *(f"{name:<{width}}" + "".join(f"{value:>12.4g}" for value in values) for name, values in rows)]


def split_list(text: str) -> list[str]:
    """Return the parts between commas that are not inside brackets or quotes.

    >>> split_list("age, ROUND(cost, 1), ward")
    ['age', 'ROUND(cost, 1)', 'ward']
    """
    found, depth, quoted = [""], 0, ""
    for letter in text:
        if quoted:
            quoted = "" if letter == quoted else quoted
        elif letter in "'\"":
            quoted = letter
        elif letter in "()":
            depth += 1 if letter == "(" else -1
        elif letter == "," and depth == 0:
            found.append("")
            continue
        found[-1] += letter
    return [each.strip() for each in found]
