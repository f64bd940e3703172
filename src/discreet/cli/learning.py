"""`discreet learn`: a model of a private table, and the report on it."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.base.errors import DiscreetError, ParameterError
from discreet.cli.errors import show_errors
from discreet.cli.options import AskerOption, EpsilonOption, MaxRowsOption, PolicyOption, RhoOption, read_bins
from discreet.cli.output import check_writable, progress

USUAL_SETTING = "as usual"
SETTING_FORMS = "'bins NAME=COUNT, ...', 'features A, B, ...' and 'patience NUMBER', with semicolons between"


def learn(
    table: Annotated[str, typer.Argument(help="The private table.")],
    target: Annotated[
        str | None,
        typer.Option(
            help="What to predict: a column, or an SQL expression such as 'cost > 100'. None for pca and kmeans.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str, typer.Option(help="logistic, svc, huber, poisson, linear, ridge, bayes, stumps, pca or kmeans.")
    ] = "logistic",
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
    method: Annotated[
        str | None,
        typer.Option(help="How logistic, svc and huber learn: descent, output or objective.", show_default="descent"),
    ] = None,
    choose: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SETTING",
            help="Learn with the best of several settings: 'as usual', 'bins age=8; patience 0.5', "
            "'features age, ward'. Twice or more; the price is for all.",
            show_default=False,
        ),
    ] = None,
    tries: Annotated[
        int | None, typer.Option(help="How many trainings to choose from.", show_default="2 of each setting")
    ] = None,
    alpha: Annotated[
        float | None, typer.Option(help="The ridge of ridge, in scaled features.", show_default="1")
    ] = None,
    components: Annotated[int | None, typer.Option(help="How many components pca finds.", show_default="2")] = None,
    clusters: Annotated[int | None, typer.Option(help="How many clusters kmeans finds.", show_default="8")] = None,
    max_rows: MaxRowsOption = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the model: .json.", show_default=False)
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write a page about it: .html.", show_default=False)] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Pay for new noise.")] = False,
    policy: PolicyOption = None,
    analyst: AskerOption = None,
) -> None:
    """Learn a model of a table and pay for it; the same again is free."""
    with show_errors():
        files = [path for path in (output, report) if path is not None]
        for file in files:
            check_writable(file)
        if len({file.resolve() for file in files}) < len(files):
            raise DiscreetError("-o and --report must be different files")
        from discreet.answers.page import check_page
        from discreet.answers.words import describe_charge, describe_guarantee
        from discreet.cli.options import find_analyst, find_policy
        from discreet.curator import Curator
        from discreet.learn import LinearModel, StumpsModel, fit, fit_best, write_learning_report
        from discreet.learn.targets import ClassTarget

        if report is not None:
            check_page(report)
        how: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "rho": rho, "max_rows": max_rows}
        how |= {"bins": read_bins(bins or []), "features": None if features is None else split_list(features)}
        settings = {"method": method, "alpha": alpha, "components": components, "clusters": clusters}
        given = {name: value for name, value in settings.items() if value is not None}
        learn_it: Any = fit
        if choose:
            learn_it, given = fit_best, check_choice(choose, given) | {"tries": tries}
        elif tries is not None:
            raise DiscreetError("--tries is for a choice among settings: give --choose twice or more")
        path = find_policy(policy)
        with Curator.open(path, find_analyst(analyst, path)) as curator, progress("learning") as shown:
            found = learn_it(curator, model, table, target=target, fresh=fresh, progress=shown, **how, **given)
        for line in describe_model(found):
            typer.echo(line)
        if output is not None:
            found.save(output)
        if report is not None:
            write_learning_report(found, report)
        assert found.receipt is not None
        if (
            isinstance(found, LinearModel | StumpsModel)
            and isinstance(found.target, ClassTarget)
            and len(found.classes) == 2
        ):
            typer.echo(f"scores above 0 speak for {found.classes[1]}, below 0 for {found.classes[0]}", err=True)
        typer.echo(f"learned from about {found.rows:,} rows", err=True)
        if choose:
            typer.echo(f"chosen: {found.choice}", err=True)
        typer.echo(f"guarantee: {describe_guarantee(found.receipt)}", err=True)
        typer.echo(f"cost: {describe_charge(found.receipt)}", err=True)
        typer.echo(f"receipt: {found.receipt}", err=True)
        for file in files:
            typer.echo(f"wrote {file}", err=True)


def describe_model(model: Any) -> list[str]:
    """Return what was learned as lines, in the units of the data: coefficients, centres, means, shares or steps."""
    heads, rows = model.tabulate()
    width = max(len(name) for name, _ in rows)
    head = [] if len(heads) == 1 else [" " * width + "".join(f"{each:>15}" for each in heads)]
    return [*head, *(f"{name:<{width}}" + "".join(f"{_write(value):>15}" for value in values) for name, values in rows)]


def _write(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.4g}"


def check_choice(texts: list[str], others: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a choice, or refuse one beside options that only a single training has."""
    if others:
        raise DiscreetError(f"--{next(iter(others))} cannot be given beside --choose, whose settings all descend")
    if len(texts) < 2:
        raise DiscreetError("--choose is given twice or more, once for each setting; 'as usual' is one, too")
    return {"settings": [read_setting(text) for text in texts]}


def read_setting(text: str) -> dict[str, Any]:
    """Return one setting of a choice: parts with a name and what it is to be, between semicolons.

    >>> read_setting("bins age=8, cost=20; patience 0.5")
    {'bins': {'age': 8, 'cost': 20}, 'patience': 0.5}
    >>> read_setting("features age, cost / 100")
    {'features': ['age', 'cost / 100']}
    >>> read_setting("as usual")
    {}
    """
    found: dict[str, Any] = {}
    for part in [] if text.strip() == USUAL_SETTING else split_list(text, ";"):
        name, _, value = part.partition(" ")
        if name not in READERS or name in found or not value.strip():
            raise ParameterError("--choose", text, f"'{USUAL_SETTING}', or each once of {SETTING_FORMS}")
        found[name] = READERS[name](value)
    return found


def _read_patience(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ParameterError("--choose", f"patience {text}", "patience and a number, such as patience 0.5") from None


def split_list(text: str, mark: str = ",") -> list[str]:
    """Return the parts between commas, or other marks, that are not inside brackets or quotes.

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
        elif letter == mark and depth == 0:
            found.append("")
            continue
        found[-1] += letter
    return [each.strip() for each in found]


READERS: dict[str, Callable[[str], Any]] = {
    "bins": lambda text: read_bins(split_list(text)),
    "features": split_list,
    "patience": _read_patience,
}
"""How each part of a setting is read."""
