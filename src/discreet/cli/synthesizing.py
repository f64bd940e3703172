"""`discreet synth`: a synthetic table, its model and the report on it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.base.errors import DiscreetError, ParameterError
from discreet.cli.errors import show_errors
from discreet.cli.options import AskerOption, EpsilonOption, MaxRowsOption, PolicyOption, RhoOption, read_bins
from discreet.cli.output import check_writable, progress

ENDINGS = (".parquet", ".csv")


def synth(
    table: Annotated[str, typer.Argument(help="The private table.")],
    marginals: Annotated[
        int | None, typer.Option(help="Answer all counts by so many columns well.", show_default="3")
    ] = None,
    ranges: Annotated[
        str | None, typer.Option(metavar="A[,B]", help="Or ranges of one or two columns.", show_default=False)
    ] = None,
    epsilon: EpsilonOption = None,
    delta: Annotated[float | None, typer.Option(help="With epsilon: spend it as zCDP.", show_default=False)] = None,
    rho: RhoOption = None,
    columns: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Which columns.", show_default="all with public values")
    ] = None,
    bins: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=COUNT", help="Bins of a number or date. Repeatable.", show_default=False),
    ] = None,
    strategy: Annotated[
        str | None, typer.Option(help="whole, each, tree, mwem, mst or aim.", show_default="chosen by expected error")
    ] = None,
    rounds: Annotated[int, typer.Option(help="Rounds of mwem or aim.", show_default="usual")] = 0,
    max_rows: MaxRowsOption = None,
    prior: Annotated[
        Path | None,
        typer.Option(help="Start from these public rows (.parquet, .csv) or this model.", show_default=False),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write rows: .parquet or .csv.", show_default=False)
    ] = None,
    rows: Annotated[int | None, typer.Option(help="How many.", show_default="about as many as there are")] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same rows.", show_default=False)] = None,
    model: Annotated[Path | None, typer.Option(help="Write the model to this file.", show_default=False)] = None,
    report: Annotated[Path | None, typer.Option(help="Write a page about it: .html.", show_default=False)] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Pay for new noise.")] = False,
    policy: PolicyOption = None,
    analyst: AskerOption = None,
) -> None:
    """Make a synthetic table and pay for it; the same again is free."""
    with show_errors():
        files = [path for path in (output, model, report) if path is not None]
        for file in files:
            check_writable(file)
        if len({file.resolve() for file in files}) < len(files):
            raise DiscreetError("-o, --model and --report must be different files")
        if output is not None and output.suffix.lower() not in ENDINGS:
            raise ParameterError("-o", str(output), f"a file in {' or '.join(ENDINGS)}")
        if not files:
            raise DiscreetError("say where it goes: -o synthetic.parquet, --model FILE or --report report.html")
        from discreet.answers.page import check_page
        from discreet.answers.words import describe_charge
        from discreet.cli.options import find_analyst, find_policy
        from discreet.curator import Curator
        from discreet.synthetic import synthesize, write_report, write_table
        from discreet.synthetic.sampling import check_sample

        check_sample(rows, seed)
        if report is not None:
            check_page(report)
        how: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "rho": rho}
        how |= {"strategy": strategy, "rounds": rounds, "max_rows": max_rows, "bins": read_bins(bins or [])}
        how |= {"prior": None if prior is None else _read_prior(prior)}
        named = None if columns is None else [name.strip() for name in columns.split(",")]
        workload = _read_workload(marginals, ranges)
        path = find_policy(policy)
        with Curator.open(path, find_analyst(analyst, path)) as curator, progress("measuring") as shown:
            _say_left_out(curator, table, workload.columns if named is None else named)
            found = synthesize(curator, table, workload, columns=named, fresh=fresh, progress=shown, **how)
        with progress("fitting"):
            _ = found.fit
        if output is not None:
            write_table(found.sample(rows, seed), output)
        if model is not None:
            found.save(model)
        if report is not None:
            write_report(found, report)
        told = found.transcript
        typer.echo(f"{told.table}: about {found.rows:,} rows, {len(told.columns)} columns", err=True)
        typer.echo(f"strategy: {told.strategy}; {told.reason}", err=True)
        assert found.receipt is not None
        typer.echo(f"cost: {describe_charge(found.receipt)}", err=True)
        typer.echo(f"receipt: {found.receipt}", err=True)
        for file in files:
            typer.echo(f"wrote {file}", err=True)


def _read_workload(marginals: int | None, ranges: str | None) -> Any:
    """Return the workload."""
    from discreet.synthetic import Marginals, Ranges

    if marginals is not None and ranges is not None:
        raise DiscreetError("give --marginals or --ranges, not both")
    if ranges is None:
        return Marginals(3 if marginals is None else marginals)
    return Ranges(*(name.strip() for name in ranges.split(",")))


def _read_prior(path: Path) -> Any:
    """Return public rows, or a model."""
    if path.suffix.lower() not in ENDINGS:
        from discreet.synthetic import load_model

        return load_model(path)
    import pyarrow as pa
    import pyarrow.csv as csv
    import pyarrow.parquet as pq

    try:
        return pq.read_table(path) if path.suffix.lower() == ".parquet" else csv.read_csv(path)
    except (OSError, pa.ArrowException) as trouble:
        raise DiscreetError(f"{path} cannot be read: {trouble}") from None


def _say_left_out(curator: Any, table: str, named: Any) -> None:
    """Say which columns are left out, where nobody named those to take."""
    from discreet.synthetic.from_table import find_placeable

    left_out = find_placeable(curator.session().tables[table]).left_out if named is None else ()
    if left_out:
        listed = ", ".join(left_out)
        typer.echo(f"left out, as the policy declares no values or bounds for them: {listed}", err=True)
