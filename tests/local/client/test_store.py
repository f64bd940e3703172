"""What a client keeps: whole or as it was, for the owner alone, and lost only with a count."""

from __future__ import annotations

import fcntl
import json
import os
import stat
from pathlib import Path

import pytest

from discreet.local.client import Choices, Client, ClientError, DirectResponse, Metric
from discreet.local.client.store import ClientStore, Diary

METRIC = Metric("fruit", Choices(("apple", "banana")), DirectResponse.calibrate(1, 3), lifetime=8)


def open_client(path: Path, lifetimes: int = 0) -> Client:
    return Client.open(path, [METRIC], lifetimes)


def read_secret(path: Path) -> str:
    secret: str = json.loads(path.read_text())["secret"]
    return secret


def test_only_the_owner_may_read_what_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "client"
    before = os.umask(0)
    try:
        open_client(path).report("fruit", "apple")
    finally:
        os.umask(before)
    for file in tmp_path.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    path.chmod(0o644)
    open_client(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_no_value_is_kept(tmp_path: Path) -> None:
    open_client(tmp_path / "client").report("fruit", "banana")
    assert not any(b"banana" in file.read_bytes() for file in tmp_path.iterdir())


def test_a_lost_file_starts_a_new_lifetime_with_a_new_secret_and_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "client"
    client = open_client(path)
    client.report("fruit", "apple")
    secret = read_secret(path)
    path.unlink()
    with pytest.raises(ClientError, match="lost or damaged"):
        client.report("fruit", "apple")
    again = open_client(path)
    assert (again.lifetime, again.sum_spending("fruit").reports) == (2, 0)
    assert read_secret(path) != secret


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "other", "number", "deep"])
def test_a_damaged_file_is_put_aside_and_starts_a_new_lifetime(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "client"
    open_client(path).report("fruit", "apple")
    whole = path.read_bytes()
    broken = {
        "cut": whole[:-9],
        "flipped": whole.replace(b'"lifetime": 1', b'"lifetime": 7'),
        "empty": b"",
        "other": b"[1, 2]",
        "number": b"7",
        "deep": b"[" * 100_000,
    }[damage]
    assert broken != whole
    path.write_bytes(broken)
    assert open_client(path).lifetime == 2
    assert (tmp_path / "client.damaged-1").read_bytes() == broken
    assert open_client(path).lifetime == 2


def test_lifetimes_are_counted_by_the_file_by_its_neighbour_and_by_whoever_remembers(tmp_path: Path) -> None:
    path, counter = tmp_path / "client", tmp_path / "client.lifetimes"
    assert open_client(path, lifetimes=4).lifetime == 5
    counter.unlink()
    assert open_client(path, lifetimes=9).lifetime == 5
    assert counter.read_text() == "5\n"
    path.unlink()
    counter.write_text("nonsense")
    assert open_client(path, lifetimes=2).lifetime == 3
    with pytest.raises(ClientError, match="lifetimes"):
        open_client(path, lifetimes=-1)


def test_a_file_of_a_newer_format_is_neither_read_nor_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "client"
    with monkeypatch.context() as newer:
        newer.setattr("discreet.local.client.store.FORMAT", 2)
        open_client(path)
    before = path.read_bytes()
    with pytest.raises(ClientError, match="newer"):
        open_client(path)
    assert path.read_bytes() == before


def test_a_file_that_cannot_be_read_for_now_is_an_error_and_no_new_lifetime(tmp_path: Path) -> None:
    path = tmp_path / "client"
    path.mkdir()
    with pytest.raises(ClientError, match="cannot be kept"):
        open_client(path)
    with pytest.raises(ClientError, match="cannot be opened"):
        open_client(tmp_path / "nowhere" / "client")


def test_what_a_killed_writer_left_is_swept_away(tmp_path: Path) -> None:
    left = tmp_path / ".client.0123.part"
    left.write_text("half a secret")
    open_client(tmp_path / "client")
    assert not left.exists()


def test_secrets_differ_by_metric_version_generation_and_person() -> None:
    one, other = Diary(1, b"a" * 32), Diary(1, b"b" * 32)
    secrets = [
        one.derive_secret("fruit", 1, 1),
        other.derive_secret("fruit", 1, 1),
        one.derive_secret("fruits", 1, 1),
        one.derive_secret("fruit", 2, 1),
        one.derive_secret("fruit", 1, 2),
        one.derive_secret("fruit", 12, 1),
        one.derive_secret('fruit", 1', 1, 1),
    ]
    assert len(set(secrets)) == len(secrets)
    assert one.derive_secret("fruit", 1, 1) == secrets[0]


def test_a_file_is_the_old_or_the_new_one_wherever_writing_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ClientStore(tmp_path / "client")
    store.start()
    before = store.path.read_bytes()
    for name in ("fsync", "replace"):
        with monkeypatch.context() as broken:
            broken.setattr(os, name, _fail)
            with pytest.raises(ClientError, match="cannot be kept"):
                _save_another(store)
        assert store.path.read_bytes() == before
    _save_another(store)
    assert store.path.read_bytes() != before


def test_nobody_else_has_the_file_while_a_report_is_counted(tmp_path: Path) -> None:
    store = ClientStore(tmp_path / "client")
    store.start()

    def try_shared() -> None:
        with (tmp_path / "client.lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)

    with store.open(), pytest.raises(BlockingIOError):
        try_shared()
    try_shared()


def _save_another(store: ClientStore) -> None:
    with store.open() as diary:
        diary.lifetime = 7
        store.save(diary)


def _fail(*_: object) -> None:
    raise OSError(5, "Input/output error")
