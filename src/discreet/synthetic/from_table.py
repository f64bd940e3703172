"""A synthetic table from a curator: `synthesize(curator, "visits", Marginals(3), epsilon=1)`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from fractions import Fraction
from typing import Any

from discreet.base.errors import ParameterError
from discreet.curator import Curator
from discreet.curator.door.cells import CountedUnit, find_domain
from discreet.curator.session import Session, Watch
from discreet.policy.schema import Resolved
from discreet.query.catalog import suggest_name
from discreet.query.placed_columns import Condition, PlacedColumn, place_column, write_places
from discreet.synthetic.allowance import Allowance, read_allowance
from discreet.synthetic.counter import make_cell_noise
from discreet.synthetic.model import SyntheticModel
from discreet.synthetic.prior import read_prior
from discreet.synthetic.strategies.choose import check_strategy, choose_strategy
from discreet.synthetic.strategies.strategy import TOTAL_SHARE
from discreet.synthetic.synthesis import Synthesis
from discreet.synthetic.workload import MarginalWorkload, Workload


def synthesize(
    curator: Curator | Session,
    table: str,
    workload: Workload | int,
    *,
    epsilon: Any = None,
    delta: Any = None,
    rho: Any = None,
    columns: Iterable[str | Condition] | None = None,
    bins: Mapping[str, int | Sequence[Any]] | None = None,
    strategy: str | None = None,
    rounds: int = 0,
    max_rows: int | None = None,
    prior: Any = None,
    fresh: bool = False,
    progress: Watch | None = None,
) -> SyntheticModel:
    """Return a model of a private table that answers a workload well, paid for like any question.

    `epsilon` is pure; with `delta`, or as `rho`, it is spent as zCDP, which allows for more marginals. `columns` are
    those of the table that have public values or bounds, if none are named; a `Condition` is one more, in SQL. `bins`
    says into how many bins a number or date is put, or at which edges. The strategy is chosen from public sizes
    and the noisy number of rows, if none is named. `prior` holds public rows with these columns, or a model of them:
    where nothing that is measured speaks against it, the model keeps to it. The same again is free; `fresh` pays for
    new noise.
    """
    session = curator if isinstance(curator, Session) else curator.session()
    prepared = prepare_synthesis(
        session,
        table,
        workload,
        read_allowance(epsilon, delta, rho),
        columns=columns,
        bins=bins,
        strategy=strategy,
        rounds=rounds,
        max_rows=max_rows,
        prior=prior,
    )
    transcript, receipt = session.perform(prepared, prepared.describe(), fresh=fresh, progress=progress)
    return SyntheticModel(transcript, receipt)


def prepare_synthesis(
    session: Session,
    table: str,
    workload: Workload | int,
    allowance: Allowance,
    *,
    columns: Iterable[str | Condition] | None = None,
    bins: Mapping[str, int | Sequence[Any]] | None = None,
    strategy: str | None = None,
    rounds: int = 0,
    max_rows: int | None = None,
    prior: Any = None,
) -> Synthesis:
    """Return the operation, or refuse what could not run: nothing is charged."""
    if allowance.currency == "rho" and not session.budget.total.delta:
        raise ParameterError(
            "rho",
            float(allowance.amount),
            "left out, and delta: the policy's budget has no delta and adds up epsilons alone. Give epsilon",
        )
    resolved = session.tables[table]
    if resolved.table.public:
        raise ParameterError("table", resolved.table.name, "a private one: a public table can be read as it is")
    asked = MarginalWorkload(workload) if isinstance(workload, int) else workload
    if not isinstance(asked, Workload):
        raise ParameterError("workload", workload, "such as Marginals(3), or 3 for short")
    placed = place_columns(resolved, asked.columns if columns is None else columns, bins or {})
    family = asked.build(placed)
    check_strategy(strategy, family, rounds)
    sql, parameters = write_places(resolved.table.name, placed)
    plan = session.plan_rows(sql, parameters, max_rows)
    if find_domain(plan) != family.domain:
        raise ParameterError("columns", [each.name for each in placed], "columns, and conditions that are one each")
    check_smallest(plan, allowance)
    reason = "it was asked for"
    if strategy is None and resolved.table.size is not None:
        rest = allowance.take(1 - TOTAL_SHARE)
        strategy, reason = astuple(choose_strategy(family, plan, float(resolved.table.size), rest))
    weights = None if prior is None else read_prior(placed, prior)
    return Synthesis(plan, resolved.table.name, placed, asked, allowance, strategy, reason, rounds, weights)


def check_smallest(unit: CountedUnit, allowance: Allowance) -> None:
    """Refuse an allowance of which some part would need more noise than there is: parts are a millionth at least."""
    try:
        make_cell_noise(unit, allowance.take(Fraction(1, 10**6)))
    except ParameterError:
        raise ParameterError(
            "rho" if allowance.currency == "rho" else "epsilon",
            float(allowance.amount),
            "larger: a part of it would need more noise than can be drawn",
        ) from None


def place_columns(
    resolved: Resolved, wanted: Iterable[str | Condition] | None, bins: Mapping[str, int | Sequence[Any]]
) -> tuple[PlacedColumn, ...]:
    """Return columns with places: those named, or all that have public values or bounds."""
    known = {column.name: column for column in resolved.columns if column.name != resolved.table.unit}
    unknown = [name for name in bins if name not in known]
    if unknown:
        raise ParameterError("bins", unknown[0], f"columns of the table ({suggest_name(unknown[0], list(known))})")
    if wanted is None:
        listed: list[str | Condition] = list(find_placeable(resolved).named)
    else:
        listed = list(wanted)
    placed: list[PlacedColumn] = []
    for each in listed:
        if isinstance(each, Condition):
            placed.append(each)
        elif each in known:
            placed.append(place_column(known[each], bins.get(each)))
        else:
            if each == resolved.table.unit:
                raise ParameterError("columns", each, f"other columns: {each} says whose row it is")
            raise ParameterError("columns", each, f"columns of the table ({suggest_name(each, list(known))})")
    names = [column.name for column in placed]
    if not placed or len(set(names)) < len(names):
        raise ParameterError("columns", names, "at least one, and each once")
    return tuple(placed)


@dataclass(frozen=True, slots=True)
class PlaceableColumns:
    """The columns of a table that have public values or bounds, and those that have not."""

    named: tuple[str, ...]
    left_out: tuple[str, ...]


def find_placeable(resolved: Resolved) -> PlaceableColumns:
    """Return which columns can be in a synthetic table without a word about them."""
    named, left_out = [], []
    for column in resolved.columns:
        if column.name == resolved.table.unit:
            continue
        try:
            place_column(column)
        except ParameterError:
            left_out.append(column.name)
        else:
            named.append(column.name)
    return PlaceableColumns(tuple(named), tuple(left_out))
