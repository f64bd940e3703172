"""JAX is loaded late, and 64-bit numbers come by context only."""

from __future__ import annotations

import importlib
import subprocess
import sys
from typing import Any

import pytest

from discreet.base.errors import ParameterError
from discreet.noise.device import frame
from servers.accelerated import require_jax


def test_importing_the_samplers_does_not_load_jax() -> None:
    program = "import sys, discreet.noise.device.gaussian, discreet.learn.compiled.descent; print('jax' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert told.strip() == "False"


def test_without_jax_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", refuse)
    frame.jax_modules.cache_clear()
    with pytest.raises(ParameterError, match=r"discreet\[learn\]"):
        frame.jax_modules()


def test_64_bits_end_with_their_context() -> None:
    require_jax()
    jax, jnp = frame.jax_modules()
    before = jax.config.jax_enable_x64
    with frame.wide():
        assert jnp.arange(3).dtype == "int64"
        with frame.narrow():
            assert jnp.arange(3).dtype == "int32"
    assert jax.config.jax_enable_x64 == before
