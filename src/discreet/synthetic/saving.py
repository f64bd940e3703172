"""Models as files: one file holds what was measured and what it cost, and gives the same model back.

A file is a line that says what it is, a line of JSON (the receipt, and the hash of all that follows), and the
transcript. Nothing in it is private: a transcript has noisy numbers and public facts only.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from pathlib import Path
from typing import Any

from discreet.answers import Receipt
from discreet.answers.export import replacing
from discreet.base.canonical import write_json
from discreet.base.errors import DiscreetError
from discreet.synthetic.transcript import Transcript

MAGIC = b"discreet synthetic model"
VERSION = 1
"""The version of the file. Files of a version that was ever released stay readable."""


def save_transcript(transcript: Transcript, receipt: Receipt | None, path: str | Path) -> None:
    """Write a transcript and its receipt to one file: whole, or not at all."""
    body = transcript.to_bytes()
    about = {
        "receipt": None if receipt is None else receipt.to_dict(),
        "sha256": hashlib.sha256(body).hexdigest(),
    }
    data = b"%s %d\n%s\n%s" % (MAGIC, VERSION, write_json(about).encode(), body)
    with replacing(Path(path)) as part:
        part.write_bytes(data)


def load_transcript(path: str | Path) -> tuple[Transcript, Receipt | None]:
    """Return what `save_transcript` wrote, or say plainly what is wrong with the file."""
    try:
        data = Path(path).read_bytes()
    except OSError as trouble:
        reason = trouble.strerror or type(trouble).__name__
        raise DiscreetError(f"{path} cannot be read ({reason})") from None
    first, _, rest = data.partition(b"\n")
    name, _, version = first.rpartition(b" ")
    if name != MAGIC:
        raise DiscreetError(f"{path} is no synthetic model: name a file that model.save(...) wrote")
    if version != b"%d" % VERSION:
        written = version[:20].decode("ascii", "replace")
        raise DiscreetError(f"{path} is a model of version {written}; this release reads version {VERSION}: update it")
    line, _, body = rest.partition(b"\n")
    try:
        about: Any = json.loads(line)
        if hashlib.sha256(body).hexdigest() != about["sha256"]:
            raise ValueError
        receipt = None if about["receipt"] is None else Receipt.from_dict(about["receipt"])
        return Transcript.from_bytes(body), receipt
    except (ValueError, KeyError, TypeError, AttributeError, zlib.error):
        raise DiscreetError(f"{path} is damaged: load a copy of it, or save the model again") from None
