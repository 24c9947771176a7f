"""What must not get in: foreign hosts and origins, large bodies, missing tokens; and what every answer carries."""

from __future__ import annotations

import socket
import time

import pytest
from live_server import LiveServer, csv_table, stored

from foundcause.errors import ConfigError
from foundcause.web.limits import Limits, Settings, is_loopback
from foundcause.web.security import HEADERS, RefusalError, check_host


def raw(server, text: bytes, *, more: bytes = b"", seconds: float = 20) -> bytes:
    """Send bytes as they are; what comes back before the other side closes."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=seconds) as link:
        link.sendall(text)
        answer = b""
        try:
            if more:
                for _ in range(400):
                    link.sendall(more)
        except OSError:
            pass
        while b"\r\n\r\n" not in answer or b"detail" not in answer:
            part = link.recv(65536)
            if not part:
                break
            answer += part
        return answer


def test_every_answer_carries_the_headers(server):
    with server.client() as client:
        for path in ("/", "/static/app.js", "/api/about", "/api/tables/none", "/nowhere"):
            answer = client.get(path)
            for name, value in HEADERS.items():
                assert answer.headers[name] == value, (path, name)
            assert "server" not in answer.headers
        policy = client.get("/").headers["content-security-policy"]
        assert "unsafe" not in policy and "default-src 'none'" in policy


def test_the_cookie_is_secret_and_strict(server):
    with server.client() as client:
        cookie = client.post("/api/tables", params={"name": "a.csv"}, content=csv_table()).headers["set-cookie"]
        assert "HttpOnly" in cookie and "samesite=strict" in cookie.lower()
        assert len(cookie.split("=")[1].split(";")[0]) >= 43
        assert "set-cookie" not in client.get("/api/session").headers


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil", "10.0.0.9", ""]
)
def test_foreign_hosts_are_refused(server, host):
    with server.client() as client:
        assert client.get("/api/about", headers={"host": host}).status_code in (400, 421)


@pytest.mark.parametrize("host", ["localhost:1234", "127.0.0.1", "[::1]:8350"])
def test_own_hosts_are_welcome(server, host):
    with server.client() as client:
        assert client.get("/api/about", headers={"host": host}).status_code == 200


def test_hosts_of_a_public_server():
    settings = Settings(host="0.0.0.0", token="secret", extra_hosts=("graph.example",))
    for host in ("192.168.1.4:8350", "graph.example", "[2001:db8::1]:80", "localhost"):
        check_host([host], settings)
    for hosts in (["other.example"], [], ["graph.example", "graph.example"]):
        with pytest.raises(RefusalError):
            check_host(hosts, settings)


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_sites_are_refused(server, headers):
    with server.client() as client:
        assert client.post("/api/demo", headers=headers).status_code == 403
        assert client.get("/api/session", headers=headers).status_code == 403


def test_the_own_page_is_welcome(server):
    with server.client() as client:
        headers = {"origin": server.url, "sec-fetch-site": "same-origin"}
        assert client.post("/api/session/leave", headers=headers).status_code == 204
        assert client.get("/", headers={"sec-fetch-site": "cross-site"}).status_code == 200, "a link may open the page"


def test_two_gigabytes_are_refused_before_they_are_sent(server):
    head = f"POST /api/tables?name=big.csv HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {2 << 30}\r\n\r\n"
    started = time.monotonic()
    answer = raw(server, head.encode())
    assert answer.startswith(b"HTTP/1.1 413") and b"4 MB" in answer and time.monotonic() - started < 10
    assert not stored(server.state.sessions.root, "*/*/*big*")


def test_a_stream_without_length_is_cut_at_the_limit(server):
    before = stored(server.state.sessions.root, "*/*")
    head = b"POST /api/tables?name=big.csv HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    answer = raw(server, head, more=b"10000\r\n" + b"1" * 65536 + b"\r\n")
    # The other side may reset the line before the answer is read; the file must be gone in any case.
    assert answer.startswith(b"HTTP/1.1 413") or answer == b""
    deadline = time.monotonic() + 10
    while stored(server.state.sessions.root, "*/*") - before:
        assert time.monotonic() < deadline, "a refused upload left something behind"
        time.sleep(0.05)


def test_the_limit_holds_inside_the_application_too(server):
    with server.client() as client:
        answer = client.post("/api/tables", params={"name": "a.csv"}, content=iter([b"x" * (1 << 20)] * 5))
        assert answer.status_code == 413
        assert client.post("/api/tables/none/discoveries", content=b" " * (2 << 20)).status_code == 413


def test_names_and_endings_of_uploads(server):
    with server.client() as client:
        for name in ("table.exe", "table", "table.csv.gz", "x.xlsx"):
            assert client.post("/api/tables", params={"name": name}, content=b"a,b\n1,2\n").status_code == 415
        answer = client.post("/api/tables", params={"name": "../../etc/pa\nss.csv"}, content=csv_table())
        assert answer.json()["name"] == "pa ss.csv"
        assert client.post("/api/tables", params={"name": "a.csv"}, content=b"").status_code == 400


def test_a_token_is_asked_for_and_kept_in_a_cookie(tiny_weights):
    settings = Settings(host="0.0.0.0", token="a-long-secret", checkpoint=tiny_weights)
    with LiveServer(settings) as server, server.client() as client:
        for path in ("/", "/api/about", "/static/app.js", "/?token=wrong", "/api/about?token=a-long-secret"):
            assert client.get(path).status_code == 401, path
        assert client.get("/api/about", headers={"authorization": "Bearer a-long-secret"}).status_code == 200
        assert client.get("/api/about", headers={"authorization": "Bearer a-long-secre"}).status_code == 401
        answer = client.get("/", params={"token": "a-long-secret"})
        assert answer.status_code == 200 and "HttpOnly" in answer.headers["set-cookie"]
        assert client.get("/api/about").status_code == 200


def test_settings_are_checked():
    with pytest.raises(ConfigError, match="needs a token"):
        Settings(host="0.0.0.0")
    with pytest.raises(ConfigError, match="rows"):
        Limits(rows=0)
    with pytest.raises(ConfigError, match="slots"):
        Settings(slots=0)
    assert is_loopback("localhost") and is_loopback("127.0.0.9") and is_loopback("[::1]")
    assert not is_loopback("0.0.0.0") and not is_loopback("localhost.example")
