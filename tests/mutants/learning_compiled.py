"""The rules of exact steps on a device, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

DESCENT = "tests/learn/compiled/test_descent.py"
DESK = "tests/learn/compiled/test_compiled_fit.py"
GRADIENTS = "tests/gradients/compiled/test_compiled_gradients.py"
DOOR = "curator/door/compiled.py"
NOISE = "tests/noise/device/test_gaussian.py"
SUMS, MEMORY = "gradients/compiled/unit_sums.py", "gradients/compiled/memory_sums.py"

MUTATIONS = [
    broken(
        "a compiled step has a shape that depends on the batch",
        MEMORY,
        "            kept = np.zeros((slots, self.places.shape[1]), dtype=bool)",
        "            slots = max(1, len(part))\n            kept = np.zeros((slots, self.places.shape[1]), dtype=bool)",
        f"{DESCENT}::test_slots_hold_zeros_or_rows_of_their_own_unit",
    ),
    broken(
        "a compiled step tosses a coin for a row, not for a unit",
        MEMORY,
        "            kept[: len(part)] = part >= 0",
        "            kept[: len(part)] = (part >= 0) & bernoulli(self.units and 0.5, part.shape)",
        f"{DESCENT}::test_every_unit_is_taken_by_its_own_exact_coin_with_all_its_rows",
    ),
    broken(
        "a compiled step skips the exact check",
        SUMS,
        "        return passed & (total <= self._grid.square)",
        "        return alive",
        f"{DESCENT}::test_a_unit_beyond_the_ball_counts_as_zero_though_it_was_scaled",
    ),
    broken(
        "a compiled step believes factors of any length",
        SUMS,
        "                passed = passed & (left <= self._grid.steps) & (right <= self._grid.steps)\n",
        "",
        f"{DESCENT}::test_a_unit_beyond_the_ball_counts_as_zero_though_it_was_scaled",
    ),
    broken(
        "a compiled step does not clip",
        SUMS,
        "jnp.minimum(1.0, grid.clip * (1 - MARGIN) / norm)",
        "jnp.ones_like(norm)",
        f"{DESCENT}::test_sums_are_those_of_clipped_gradients_up_to_the_grid",
    ),
    broken(
        "a compiled step scales its noise by the batch",
        MEMORY,
        "            return rounded_gaussian(self._sigma, ",
        "            return rounded_gaussian(self._sigma * max(1, self._rows.units) / 40, ",
        f"{DESCENT}::test_the_noise_is_the_multiplier_times_the_grid_whatever_the_batch",
    ),
    broken(
        "a compiled step samples at another rate than is charged",
        MEMORY,
        "bernoulli(self._rate, self._rows.units)",
        "bernoulli(min(1.0, 1.5 * self._rate), self._rows.units)",
        f"{DESCENT}::test_every_unit_is_taken_by_its_own_exact_coin_with_all_its_rows",
    ),
    broken(
        "a compiled step shuffles units in place of Poisson sampling",
        MEMORY,
        "        chosen = np.flatnonzero(bernoulli(self._rate, self._rows.units))",
        "        chosen = np.random.default_rng().permutation(self._rows.units)[: int(self._rate * self._rows.units)]",
        f"{DESCENT}::test_every_unit_is_taken_by_its_own_exact_coin_with_all_its_rows",
    ),
    broken(
        "a resumed run makes steps again that were begun",
        "learn/compiled/descent.py",
        "                self._keep(state, reserved, updates)",
        "                self._keep(state, begun, updates)",
        f"{DESCENT}::test_steps_that_a_killed_run_had_begun_are_not_made_again",
    ),
    broken(
        "a model that mixes examples is trained all the same",
        "gradients/compiled/independence.py",
        "            if not np.array_equal(whole, first + second):",
        "            if False:",
        f"{DESCENT}::test_a_model_that_mixes_examples_is_not_trained",
    ),
    broken(
        "noise made ahead is given out twice",
        MEMORY,
        "        start = self._starts[self._used]\n        self._used += 1",
        "        start = self._starts[self._used // 2]\n        self._used += 1",
        f"{DESCENT}::test_noise_made_ahead_is_given_out_once",
    ),
    broken(
        "the device believes draws that floats cannot decide",
        "noise/device/gaussian.py",
        "    decided = (floor == library.floor(high)) & (prefixes >= SMALLEST)",
        "    decided = prefixes >= SMALLEST",
        NOISE,
    ),
    broken(
        "noise on the device is 5 % too small",
        "noise/device/gaussian.py",
        "draw(chacha.take_key(), np.float64(scale))",
        "draw(chacha.take_key(), np.float64(scale) * 0.95)",
        NOISE,
    ),
    broken(
        "a key of the device is used twice",
        "noise/device/chacha.py",
        "    return bits.words(4).view(np.uint32).copy()",
        "    return np.arange(8, dtype=np.uint32)",
        "tests/noise/device/test_chacha.py",
    ),
    broken(
        "a compiled loss may tell its rows while it runs",
        "gradients/compiled/programs.py",
        "        if any(word in primitive for word in TELLING):",
        "        if False:",
        f"{GRADIENTS}::test_a_program_that_calls_back_is_refused",
    ),
    broken(
        "a desk charges a compiled descent for one step of many",
        DOOR,
        "    return descent.find_loss(plan) * steps",
        "    return descent.find_loss(plan)",
        f"{DESK}::test_the_charge_is_the_certified_loss_of_all_steps_and_the_meter_admits_no_other",
    ),
    broken(
        "a desk samples units under replace neighbours",
        DOOR,
        "    if descent.rate < 1 and plan.factor != 1:",
        "    if False:",
        f"{DESK}::test_sampling_is_for_add_remove_neighbours",
    ),
    broken(
        "a desk forgets that replacing a unit moves a sum twice",
        DOOR,
        "self.noise.loss(plan.factor * grid.steps, ",
        "self.noise.loss(grid.steps, ",
        f"{DESK}::test_sampling_is_for_add_remove_neighbours",
    ),
    broken(
        "a desk descends with less noise than it charges for",
        DOOR,
        "        multiplier = self.noise.sigma / gradients.grid.steps",
        "        multiplier = 0.9 * self.noise.sigma / gradients.grid.steps",
        f"{DESK}::test_every_step_draws_the_declared_noise_and_makes_its_public_batches",
    ),
    broken(
        "how many batches a compiled step makes follows the sample",
        MEMORY,
        "max(least * slots, len(chosen))",
        "max(1, len(chosen))",
        f"{DESK}::test_every_step_draws_the_declared_noise_and_makes_its_public_batches",
    ),
    broken(
        "a compiled model keeps more rows of a unit than the plan says",
        "gradients/compiled/compiled_gradients.py",
        "        first = ranks < self.rows",
        "        ranks, first = ranks % self.rows, ranks >= 0",
        f"{GRADIENTS}::test_a_unit_s_rows_are_its_own_first_ones_whoever_else_is_there",
    ),
    broken(
        "a row of no class teaches a compiled model",
        "gradients/compiled/compiled_gradients.py",
        "taught = (labels >= 0) & (labels < self.classes) if self.classes else",
        "taught = np.ones(len(labels), dtype=bool) if self.classes else",
        f"{GRADIENTS}::test_rows_of_no_class_are_left_out",
    ),
    broken(
        "a draw that was not decided is given out",
        "noise/device/gaussian.py",
        "        while left:\n",
        "        while False:\n",
        NOISE,
    ),
]
