"""The corners of the accountant that docs/accounting.md lists, computed anew: `.venv/bin/python bench/tail.py`."""

from __future__ import annotations

import time
from collections.abc import Callable

from discreet.privacy import (
    BoundedRangeLoss,
    DiscreteGaussianLoss,
    GaussianLoss,
    Odometer,
    PureLoss,
    SampledLoss,
    filter_over,
    parallel,
)

DISCRETE = SampledLoss(DiscreteGaussianLoss(5.0, 1), 0.003)

CASES: dict[str, Callable[[], object]] = {
    "parallel([PureLoss(1e-170), PureLoss(1e-165)])": lambda: parallel([PureLoss(1e-170), PureLoss(1e-165)]),
    **{
        f"(SampledLoss(DiscreteGaussianLoss(5.0, 1), 0.003) * {k}).epsilon(1e-10)": lambda k=k: (  # type: ignore[misc]
            DISCRETE * k
        ).epsilon(1e-10)
        for k in (100, 500, 1000)
    },
    "SampledLoss(GaussianLoss(1.0), 0.01).renyi(256)": lambda: SampledLoss(GaussianLoss(1.0), 0.01).renyi(256),
    "BoundedRangeLoss(1).renyi(1000)": lambda: BoundedRangeLoss(1).renyi(1000),
    "(PureLoss(1000.0) + GaussianLoss(1.0)).epsilon(1e-6)": lambda: (PureLoss(1000.0) + GaussianLoss(1.0)).epsilon(
        1e-6
    ),
    **{
        f"(SampledLoss(GaussianLoss(1.0), {rate}) * 100).epsilon(1e-10)": lambda rate=rate: (  # type: ignore[misc]
            SampledLoss(GaussianLoss(1.0), rate) * 100
        ).epsilon(1e-10)
        for rate in (1e-6, 1e-8, 1e-10)
    },
    "Odometer(1e-6).spend(PureLoss(0.01)).reading()": lambda: Odometer(1e-6).spend(PureLoss(0.01)).reading(),
    'filter_over("pure", epsilon=1.0).fits(PureLoss(0.1), most=100)': lambda: filter_over("pure", epsilon=1.0).fits(
        PureLoss(0.1), most=100
    ),
}


def main() -> None:
    """Print each question, its answer and how long it took."""
    for text, ask in CASES.items():
        begin = time.perf_counter()
        found = ask()
        print(f"{text}: {found} in {time.perf_counter() - begin:.1f} s", flush=True)


if __name__ == "__main__":
    main()
