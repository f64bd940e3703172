"""The guard: other hosts, other origins and large bodies do not come in; every reply is closed to other pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.serving import ONE_WORKER, Served, make_served_clinic, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    more = ONE_WORKER + 'hosts = ["Data.Example.org"]\n'
    with serving(*make_served_clinic(tmp_path_factory.mktemp("clinic"), more)) as running:
        yield running


@pytest.mark.many
@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("127.0.0.1:99", 200),
        ("[::1]:99", 200),
        ("data.example.org", 200),
        ("DATA.example.org:8642", 200),
        ("evil.example.org", 421),
        ("127.0.0.1.evil.org", 421),
        ("", 421),
    ],
)
def test_only_known_hosts_are_answered(served: Served, host: str, status: int) -> None:
    assert served.send("GET", "/health", headers={"host": host})[0] == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"origin": "http://localhost"}, 401),
        ({"origin": "http://evil.org"}, 403),
        ({"origin": "https://localhost"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
    ],
)
def test_pages_of_other_origins_change_nothing(served: Served, headers: dict[str, str], status: int) -> None:
    assert served.send("POST", "/v1/ask", {}, headers={"host": "localhost", **headers})[0] == status


def test_large_bodies_are_refused_whole_or_in_pieces(served: Served) -> None:
    assert served.send("POST", "/v1/ask", b"x" * 600_000, token=served.tokens["alice"])[0] == 413
    assert served.send("GET", "/health", headers={"content-length": "-1"})[0] in (400, 413)


def test_every_reply_is_closed_to_other_pages(served: Served) -> None:
    for path in ("/health", "/v1/budget", "/nothing"):
        headers = served.send("GET", path)[1]
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers
