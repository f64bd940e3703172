"""Figures of matplotlib: shown in notebooks, and saved where a path is given."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

from discreet.answers.export import writing
from discreet.base.errors import DiscreetError


def save_figure(figure: Any, path: Path | None, such_as: str) -> Any:
    """Return a figure that notebooks show, saved where a path is given; `such_as` is a name that a path may have."""
    figure._repr_png_ = lambda: _write_png(figure)
    if path is not None:
        endings = sorted(figure.canvas.get_supported_filetypes())
        if path.suffix.lower().lstrip(".") not in endings:
            raise DiscreetError(f"{path}: pictures end in one of {', '.join(endings)}, such as {such_as}")
        with writing(path), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            figure.savefig(path)
    return figure


def _write_png(figure: Any) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format="png")
    return file.getvalue()
