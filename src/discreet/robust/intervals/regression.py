"""Regression coefficients, correlations and ratios of means of a population, for sampling and noise together.

Each is a function of the means of people's values and of their products, with the interval of the bootstrap: one
charge, one record. No shape of the errors is taken for granted: they may spread differently for different features.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.answers import Receipt
from discreet.answers.numbers import format_interval, format_percent, format_value
from discreet.base.errors import ParameterError
from discreet.base.showing import ShownAsText
from discreet.curator import Curator
from discreet.curator.session import Session, Watch
from discreet.robust.asking import PaidQuestion
from discreet.robust.intervals.bootstrap import make_interval, read_resampling, resample_people, sample_columns
from discreet.robust.intervals.bootstrap_ends import bound_functions
from discreet.robust.intervals.correlation import CORRELATION, POWERS, write_products
from discreet.robust.intervals.moments import list_pairs, make_ratio, make_regression, write_entries
from discreet.robust.people import check_text, read_miss
from discreet.robust.pictures import draw_intervals
from discreet.robust.results import (
    CLAMPING,
    COVERS,
    NOT_COVERED,
    PopulationInterval,
    SampledGroup,
    list_cost,
    render_facts,
    write_facts,
)

MOST_FEATURES = 10

SINGULAR = (
    "the noise is too large beside what each feature varies on its own: too few people for this price, features that "
    "nearly follow from one another, or bounds that are much too wide"
)

EVEN = "errors are taken to spread equally, whatever the features are: if they do not, intervals may be too narrow"

NO_SPREAD = "the noise is too large beside how far values vary: too few people for this price, or bounds much too wide"

NO_DENOMINATOR = "the noise is too large beside the mean that is divided by, which may be 0"


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient with its interval; all numbers where nothing can be told."""

    name: str
    estimate: float
    low: float
    high: float

    def __str__(self) -> str:
        pair = (self.low, self.high)
        return f"{format_value(self.estimate, pair)} {format_interval(self.estimate, pair)}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {"name": self.name, "estimate": self.estimate, "low": self.low, "high": self.high}


@dataclass(frozen=True, repr=False)
class RegressionIntervals(ShownAsText):
    """Coefficients of a linear regression of a population, each with an interval for sampling and noise together.

    `enough` is False where the noisy normal equations are nearly singular: then every interval is all numbers.
    """

    what: str
    coefficients: tuple[Coefficient, ...]
    """The intercept, then one for each feature."""
    confidence: float
    groups: tuple[SampledGroup, ...]
    enough: bool
    clamped: str
    notes: tuple[str, ...]
    paid: PaidQuestion

    def __getitem__(self, name: str) -> Coefficient:
        for each in self.coefficients:
            if each.name == name:
                return each
        raise ParameterError("name", name, f"one of {', '.join(each.name for each in self.coefficients)}")

    @property
    def receipt(self) -> Receipt:
        """The receipt of the one charge."""
        return self.paid.receipt

    @property
    def covers(self) -> str:
        """What each interval covers."""
        return COVERS.format(format_percent(self.confidence), "coefficient, each on its own")

    @property
    def not_covered(self) -> str:
        """What no interval covers."""
        return NOT_COVERED.format(CLAMPING.format(self.clamped))

    @property
    def headline(self) -> str:
        """What is shown, or that nothing can be told."""
        shown = f"{format_percent(self.confidence)} intervals for sampling and noise together"
        return shown if self.enough else "too few people to say: every coefficient may be any number"

    def list_facts(self) -> list[tuple[str, str]]:
        """Return what is shown below: a line for each coefficient, what is covered, and the cost."""
        return [
            *((each.name, str(each)) for each in self.coefficients if self.enough),
            ("covers", self.covers),
            ("not covered", self.not_covered),
            *(("people", str(each)) for each in self.groups),
            *list_cost(self.paid),
            *(("note", note) for note in (*self.notes, *self.paid.remarks)),
        ]

    def __str__(self) -> str:
        return write_facts(self.what, self.headline, self.list_facts())

    def _repr_html_(self) -> str:
        return render_facts(self.what, self.headline, self.list_facts())

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON values."""
        return {
            "what": self.what,
            "coefficients": [each.to_dict() for each in self.coefficients],
            "confidence": self.confidence,
            "enough": self.enough,
            "people": [each.to_dict() for each in self.groups],
            "covers": self.covers,
            "not_covered": self.not_covered,
            "guarantee": self.paid.guarantee,
            "receipt": self.receipt.to_dict(),
            "question": self.paid.question,
            "notes": [*self.notes, *self.paid.remarks],
        }

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw the slopes with their intervals; saved where a path is given."""
        rows = [(each.name, each.estimate, each.low, each.high) for each in self.coefficients[1:]]
        return draw_intervals(
            rows, [self.what, self.headline, self.paid.guarantee], None if path is None else Path(path)
        )


def regression_interval(
    curator: Curator | Session,
    table: str,
    target: str,
    features: Sequence[str],
    *,
    epsilon: Any = None,
    delta: Any = None,
    even_errors: bool = False,
    resamples: int = 50,
    where: str | None = None,
    per_unit: str = "mean",
    confidence: float = 0.95,
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
    progress: Watch | None = None,
) -> RegressionIntervals:
    """Return the coefficients of a linear regression of `target` on `features`, each with an interval.

    Both are columns with public bounds, or SQL expressions of such. Each person has one value of each, the `per_unit`
    mean, sum, min or max of their rows that fulfil `where`; who lacks one is left out. Every feature adds noise: with p
    of them each person's vector has some p^2 / 2 entries. With `even_errors` the target is taken to spread equally
    around the line, whatever the features are: intervals are narrower where there is much noise, and wrong if it does
    not. Both are told of the same record.
    """
    miss, terms = read_miss(confidence), read_resampling(epsilon, delta, resamples, fresh, progress)
    listed = [*check_features(target, features), target]
    asked = sample_columns(curator, table, listed, where, per_unit, params)
    found = resample_people(asked, write_entries(asked.scales, list_pairs(len(listed))), terms)
    ends = bound_functions(found.sums, found.noise, make_regression(asked.scales, even_errors), miss)
    names = ("intercept", *listed[:-1])
    lines = zip(names, ends.estimates.tolist(), ends.low.tolist(), ends.high.tolist(), strict=True)
    return RegressionIntervals(
        f"regression of {target} on {', '.join(features)}: {found.words}",
        tuple(Coefficient(*line) for line in lines),
        float(confidence),
        (found.people,),
        ends.enough,
        asked.clamped,
        (found.note, *((EVEN,) if even_errors else ()), *(() if ends.enough else (SINGULAR,))),
        found.paid,
    )


def correlation_interval(
    curator: Curator | Session,
    table: str,
    first: str,
    second: str,
    *,
    epsilon: Any = None,
    delta: Any = None,
    resamples: int = 50,
    where: str | None = None,
    per_unit: str = "mean",
    confidence: float = 0.95,
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
    progress: Watch | None = None,
) -> PopulationInterval:
    """Return the correlation of two columns over people, with an interval for sampling and noise together."""
    miss, terms = read_miss(confidence), read_resampling(epsilon, delta, resamples, fresh, progress)
    asked = sample_columns(curator, table, [first, second], where, per_unit, params)
    found = resample_people(asked, write_products(asked.scales), terms, halves=len(POWERS))
    ends = bound_functions(found.sums, found.noise, CORRELATION, miss).hold(-1.0, 1.0)
    return make_interval("correlation", found, ends, asked.clamped, float(confidence), (NO_SPREAD,))


def ratio_interval(
    curator: Curator | Session,
    table: str,
    numerator: str,
    denominator: str,
    *,
    epsilon: Any = None,
    delta: Any = None,
    resamples: int = 50,
    where: str | None = None,
    per_unit: str = "mean",
    confidence: float = 0.95,
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
    progress: Watch | None = None,
) -> PopulationInterval:
    """Return the mean of one column over that of another, with an interval for sampling and noise together.

    It is the ratio of sums over people, not the mean of their ratios: of people who have both values.
    """
    miss, terms = read_miss(confidence), read_resampling(epsilon, delta, resamples, fresh, progress)
    asked = sample_columns(curator, table, [numerator, denominator], where, per_unit, params)
    found = resample_people(asked, write_entries(asked.scales), terms)
    ends = bound_functions(found.sums, found.noise, make_ratio(asked.scales), miss)
    return make_interval("ratio of means", found, ends, asked.clamped, float(confidence), (NO_DENOMINATOR,))


def check_features(target: object, features: object) -> list[str]:
    """Return the features, or refuse what no regression has."""
    if isinstance(features, str) or not isinstance(features, Sequence) or not 1 <= len(features) <= MOST_FEATURES:
        raise ParameterError("features", features, f"a list of 1 to {MOST_FEATURES} columns, or expressions of such")
    listed = [check_text("features", each) for each in features]
    spelled = [" ".join(each.casefold().split()) for each in (*listed, check_text("target", target))]
    if len(set(spelled)) != len(spelled):
        raise ParameterError("features", features, "columns of which none is there twice, nor is the target")
    return listed
