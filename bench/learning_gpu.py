"""An exact step of private training on a GPU over the same step with float clipping and float noise.

`python bench/learning_gpu.py` needs JAX, python-flint and a GPU. Exact: integers on a grid, each unit checked, sums,
exact noise made on the device, an optimiser's step. Float: the same gradients clipped and added as floats,
`jax.random.normal`, the same optimiser, all in one compiled program. Both compute matrix products in full 32-bit
precision. With `--every` the float step is timed in two forms and in the GPU's default precision too. They alternate,
7 rounds, median of wall-clock times for a run of steps.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

import jax
import jax.numpy as jnp

from discreet.gradients.compiled.memory_sums import NoiseAhead
from discreet.gradients.compiled.states import shape_like
from discreet.gradients.compiled.unit_sums import PhysicalBatch, UnitSums, plan_grid
from discreet.learn.compiled.optimisers import Momentum

ASKED = 1.1
ROUNDS = 7
CLIP, MULTIPLIER = 1.0, 1.1


def make_mlp(generator: np.random.Generator) -> tuple[Any, Any, tuple[int, ...]]:
    """Return 784-1024-1024-10, some 1.9 million parameters."""
    sizes = (784, 1024, 1024, 10)
    parameters = [
        (jnp.asarray(generator.normal(size=(a, b)) / np.sqrt(a), jnp.float32), jnp.zeros(b, jnp.float32))
        for a, b in pairwise(sizes)
    ]

    def loss(parameters: Any, example: Any) -> Any:
        x, y = example
        for weights, bias in parameters[:-1]:
            x = jax.nn.relu(x @ weights + bias)
        weights, bias = parameters[-1]
        return -jax.nn.log_softmax(x @ weights + bias)[y]

    return parameters, loss, (784,)


def normalise(x: Any, scale: Any, shift: Any, groups: int = 16) -> Any:
    """Group normalisation of one image: no statistics of the batch."""
    height, width, channels = x.shape
    parts = x.reshape(height, width, groups, channels // groups)
    mean = parts.mean((0, 1, 3), keepdims=True)
    variance = jnp.square(parts - mean).mean((0, 1, 3), keepdims=True)
    return ((parts - mean) * jax.lax.rsqrt(variance + 1e-5)).reshape(x.shape) * scale + shift


def convolve(x: Any, weights: Any, stride: int = 1) -> Any:
    return jax.lax.conv_general_dilated(
        x[None], weights, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )[0]


def make_resnet(generator: np.random.Generator) -> tuple[Any, Any, tuple[int, ...]]:
    """Return a ResNet-18 for images of 32 x 32 with group normalisation, 11.2 million parameters."""

    def kernel(size: int, a: int, b: int) -> Any:
        return jnp.asarray(generator.normal(size=(size, size, a, b)) * np.sqrt(2 / (size * size * a)), jnp.float32)

    def norm(width: int) -> Any:
        return jnp.ones(width, jnp.float32), jnp.zeros(width, jnp.float32)

    widths, blocks, last = (64, 128, 256, 512), [], 64
    for width in widths:
        for _ in range(2):
            short = kernel(1, last, width) if last != width else None
            blocks.append((kernel(3, last, width), norm(width), kernel(3, width, width), norm(width), short))
            last = width
    head = jnp.asarray(generator.normal(size=(512, 10)) / np.sqrt(512), jnp.float32)
    parameters = (kernel(3, 3, 64), norm(64), blocks, head, jnp.zeros(10, jnp.float32))

    def loss(parameters: Any, example: Any) -> Any:
        x, y = example
        first, start, blocks, head, bias = parameters
        x = jax.nn.relu(normalise(convolve(x, first), *start))
        for one, before, two, after, short in blocks:
            stride = 1 if short is None else 2
            inner = jax.nn.relu(normalise(convolve(x, one, stride), *before))
            inner = normalise(convolve(inner, two), *after)
            x = jax.nn.relu(inner + (x if short is None else convolve(x, short, stride)))
        return -jax.nn.log_softmax(x.mean((0, 1)) @ head + bias)[y]

    return parameters, loss, (32, 32, 3)


def spread(values: Any, over: Any) -> Any:
    return values.reshape(values.shape + (1,) * (over.ndim - 1))


def make_float_step(loss: Any, optimiser: Momentum, batch: int, product: bool) -> Callable[..., Any]:
    """Return the usual step: gradients clipped and added as floats, float noise, an update."""

    def step(state: Any, examples: Any, key: Any) -> Any:
        parameters, memory = state
        gradients = jax.vmap(jax.grad(loss), (None, 0))(parameters, examples)
        leaves, structure = jax.tree.flatten(gradients)
        norm = jnp.sqrt(sum(jnp.sum(jnp.square(leaf), axis=tuple(range(1, leaf.ndim))) for leaf in leaves))
        factor = jnp.minimum(1, CLIP / norm)
        if product:
            sums = [jnp.tensordot(factor, leaf, 1) for leaf in leaves]
        else:
            sums = [jnp.sum(leaf * spread(factor, leaf), axis=0) for leaf in leaves]
        keys = jax.random.split(key, len(leaves))
        noisy = [
            (total + CLIP * MULTIPLIER * jax.random.normal(each, total.shape, jnp.float32)) / batch
            for total, each in zip(sums, keys, strict=True)
        ]
        change, memory = optimiser.update(jax.tree.unflatten(structure, noisy), memory, parameters)
        return jax.tree.map(jnp.add, parameters, change), memory

    return step


class ExactStep:
    """The exact step, as `Descent` makes it."""

    def __init__(self, loss: Any, parameters: Any, optimiser: Momentum, rows: Any) -> None:
        batch = len(rows[0])
        self.kept = jnp.ones((batch, 1), dtype=bool)
        self.grid = plan_grid(loss, parameters, PhysicalBatch(rows, self.kept), CLIP)
        self.sums, self.optimiser, self.batch = UnitSums(loss, self.grid), optimiser, batch
        self.ahead = NoiseAhead(self.grid.steps * MULTIPLIER, self.grid.coordinates)
        self.draws = 0

    def _move(self, state: Any, noisy: Any) -> Any:
        parameters, memory = state
        means = (noisy.astype(np.float64) * (self.grid.length / self.batch)).astype(np.float32)
        change, memory = self.optimiser.update(shape_like(parameters, means), memory, parameters)
        return jax.tree.map(jnp.add, parameters, change), memory

    def __call__(self, state: Any, examples: Any, key: Any) -> Any:
        """Return parameters and the optimiser's state after one step; the key is not used."""
        noise, start = self.ahead.take()
        self.draws += self.grid.coordinates
        return self.sums.add_and_move(self._move, state, PhysicalBatch(examples, self.kept), noise, start)


def find_milliseconds(step: Callable[..., Any], state: Any, examples: Any, steps: int) -> tuple[float, Any]:
    keys = list(jax.random.split(jax.random.key(0), steps))
    jax.block_until_ready(keys)
    start = time.perf_counter()
    for key in keys:
        state = step(state, examples, key)
    jax.block_until_ready(state)
    return (time.perf_counter() - start) / steps * 1e3, state


def measure(name: str, make: Callable[..., Any], batch: int, steps: int, every: bool) -> float:
    """Print the times of one model, and return exact over float."""
    generator = np.random.default_rng(3)
    parameters, loss, shape = make(generator)
    optimiser = Momentum(0.05)
    x = jnp.asarray(generator.normal(size=(batch, *shape)), jnp.float32)
    y = jnp.asarray(generator.integers(0, 10, batch), jnp.int32)
    rows = (x[:, None], y[:, None])
    exact = ExactStep(loss, parameters, optimiser, rows)
    floats: dict[str, Any] = {}
    for precision in ("highest", "default") if every else ("highest",):
        for product in (False, True) if every else (False,):
            with jax.default_matmul_precision(precision):
                form = jax.jit(make_float_step(loss, optimiser, batch, product))
                given = ((parameters, optimiser.init(parameters)), (x, y), jax.random.key(0))
                floats[f"{precision}, {'tensordot' if product else 'sum'}"] = form.lower(*given).compile()
    ways: dict[str, Any] = {**{each: partial(find_milliseconds, form) for each, form in floats.items()}}
    times: dict[str, list[float]] = {each: [] for each in [*ways, "exact"]}
    for round_number in range(ROUNDS + 1):
        for each, way in ways.items():
            taken, _ = way((parameters, optimiser.init(parameters)), (x, y), steps)
            times[each].append(taken) if round_number else None
        taken, _ = find_milliseconds(exact, (parameters, optimiser.init(parameters)), rows, steps)
        times["exact"].append(taken) if round_number else None
    medians = {each: statistics.median(taken) for each, taken in times.items()}
    best = min(medians[each] for each in medians if each.startswith("highest"))
    print(f"## {name}: {exact.grid.coordinates:,} parameters, batch {batch}, K = {exact.grid.steps:,}")
    for each, taken in medians.items():
        print(f"| {each} | {taken:.3f} ms | {taken / best:.2f} |")
    print(f"undecided draws: {exact.ahead.undecided} of {exact.draws:,}", flush=True)
    return medians["exact"] / best


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--image-batch", type=int, default=256)
    parser.add_argument("--only", choices=["mlp", "resnet"])
    parser.add_argument("--every", action="store_true", help="time every form of the float step")
    given = parser.parse_args()
    print(f"JAX {jax.__version__}, {jax.devices()[0].device_kind}, backend {jax.default_backend()}")
    ratios = {}
    if given.only != "resnet":
        ratios["MLP"] = measure("MLP", make_mlp, given.batch, 80, given.every)
    if given.only != "mlp":
        ratios["ResNet-18"] = measure("ResNet-18 with group norm", make_resnet, given.image_batch, 5, given.every)
    for name, ratio in ratios.items():
        print(f"{name}: exact over float {ratio:.3f}, asked {ASKED}: {'as asked' if ratio <= ASKED else 'MORE'}")


if __name__ == "__main__":
    main()
