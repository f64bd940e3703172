"""What tests of compiled models share: a small network, and how it is trained on the clinic's visits."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.learn.compiled.optimisers import Momentum
from discreet.noise.device.frame import jax_modules

HIDDEN = 4


def network_loss(parameters: Any, example: Any) -> Any:
    """The log loss of a network with one hidden layer."""
    jax, jnp = jax_modules()
    x, y = example
    return -jax.nn.log_softmax(jnp.tanh(x @ parameters["in"] + parameters["bias"]) @ parameters["out"])[y]


def network_start(width: int, classes: int) -> dict[str, Any]:
    """Return parameters from a public seed."""
    generator = np.random.default_rng(4)
    return {
        "in": generator.normal(size=(width, HIDDEN)),
        "bias": np.zeros(HIDDEN),
        "out": generator.normal(size=(HIDDEN, classes)),
    }


def find_classes(parameters: Any, x: Any) -> Any:
    """Return the likeliest class of each row."""
    hidden = np.tanh(x @ np.asarray(parameters["in"]) + np.asarray(parameters["bias"]))
    return (hidden @ np.asarray(parameters["out"])).argmax(axis=1)


NETWORK: dict[str, Any] = {
    "start": network_start,
    "target": "cost > 1100",
    "features": ["age", "ward"],
    "steps": 40,
    "size": 3000,
    "optimiser": Momentum(0.5),
}
"""A network of two classes; tests say what it may cost."""
