"""`discreet calibrate`: how much noise a guarantee takes."""

from __future__ import annotations

import json

from rich.console import Console
from rich.table import Table

from discreet.base.errors import ParameterError
from discreet.base.grid import Grid
from discreet.mechanisms import DiscreteGaussian, Gaussian, Laplace, Staircase


def show(
    noise: str,
    epsilon: float,
    delta: float,
    sensitivity: float,
    step: float | None,
    confidence: float,
    as_json: bool = False,
) -> None:
    """Print the mechanism that meets the guarantee, its interval and its loss."""
    if step is None and not sensitivity.is_integer():
        raise ParameterError("sensitivity", sensitivity, "a whole number, unless --step gives a grid (try --step 0.01)")
    grid = None if step is None else Grid(step)
    mechanism = _mechanism(noise, epsilon, delta, sensitivity, grid)
    loss = mechanism.loss(sensitivity)
    if as_json:
        reached = loss.pure if delta == 0 else loss.epsilon(delta).high
        told = {
            "mechanism": repr(mechanism),
            "interval": {"confidence": confidence, "within": float(mechanism.interval(confidence))},
            "loss": repr(loss),
            "guarantee": {"epsilon": float(reached), "delta": delta},
        }
        print(json.dumps(told, indent=2))
        return
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_row("mechanism", repr(mechanism))
    table.add_row(f"{100 * confidence:g} % interval", f"± {mechanism.interval(confidence):,.10g}")
    table.add_row("loss", repr(loss))
    if delta == 0:
        table.add_row("guarantee", f"epsilon {loss.pure:.6g}")
    else:
        table.add_row("guarantee", f"epsilon {loss.epsilon(delta).high:.6g} at delta {delta:g}")
    Console().print(table)


def _mechanism(
    noise: str, epsilon: float, delta: float, sensitivity: float, grid: Grid | None
) -> Laplace | Staircase | Gaussian | DiscreteGaussian:
    if noise in ("gaussian", "discrete-gaussian"):
        if delta == 0:
            raise ParameterError("delta", delta, f"above 0 for {noise} noise (try --delta 1e-9)")
        kind = Gaussian if noise == "gaussian" else DiscreteGaussian
        return kind.calibrate(epsilon, delta, sensitivity, grid)
    if delta != 0:
        raise ParameterError("delta", delta, f"left out for {noise} noise, which needs none")
    return (Laplace if noise == "laplace" else Staircase).calibrate(epsilon, sensitivity, grid)
