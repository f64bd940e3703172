"""Leases: alive while their holder holds them, dead at once when it does not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from discreet.ledger.files.leases import FileLeases
from support.sampling import in_child


@pytest.fixture
def leases(tmp_path: Path) -> FileLeases:
    return FileLeases(tmp_path / "leases")


def files(folder: Path) -> int:
    return len(os.listdir(folder / "leases"))


def test_a_lease_lives_until_it_is_released_and_leaves_nothing_behind(leases: FileLeases, tmp_path: Path) -> None:
    lease = leases.take()
    assert leases.alive(lease.token)
    lease.release()
    lease.release()
    assert not leases.alive(lease.token)
    assert files(tmp_path) == 0


def test_a_lease_that_is_dropped_is_dead(leases: FileLeases) -> None:
    token = leases.take().token
    assert not leases.alive(token)


def test_a_lease_dies_with_its_process(leases: FileLeases) -> None:
    held = []

    def take() -> bytes:
        held.append(leases.take())
        return held[0].token.encode()

    assert not leases.alive(in_child(take).decode())


def test_a_child_that_releases_its_parents_lease_changes_nothing(leases: FileLeases) -> None:
    lease = leases.take()

    def release() -> bytes:
        lease.release()
        return b"done"

    assert in_child(release) == b"done"
    assert leases.alive(lease.token)


def test_every_lease_has_a_name_of_its_own(leases: FileLeases) -> None:
    first = leases.take()
    first.release()
    second = leases.take()
    first.release()
    assert first.token != second.token
    assert leases.alive(second.token)


def test_sweeping_removes_what_crashes_left_and_nothing_that_lives(leases: FileLeases, tmp_path: Path) -> None:
    leases.sweep()
    lease, dead = leases.take(), leases.take().token
    assert files(tmp_path) == 2
    leases.sweep()
    assert files(tmp_path) == 1
    assert leases.alive(lease.token)
    assert not leases.alive(dead)
