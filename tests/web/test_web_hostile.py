"""Requests that are meant to stop the server: each is refused in bounded time, and others are served meanwhile."""

from __future__ import annotations

import socket
import threading
import time

import httpx
import pytest
from live_server import LiveServer, csv_table, discover, finished, send

from foundcause.web.jobs import Job, JobQueue
from foundcause.web.limits import Limits, Settings
from foundcause.web.security import RefusalError, check_host
from foundcause.web.sessions import SessionStore


def raw(port: int, *parts: bytes, pause: float = 0.0) -> bytes:
    """What the server answers to these bytes until it closes the connection; a pause follows each part."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        for part in parts:
            connection.sendall(part)
            time.sleep(pause)
        answer = b""
        while piece := connection.recv(1 << 16):
            answer += piece
        return answer


def test_failed_uploads_use_up_no_sessions(make_server):
    with make_server(sessions=3) as server:
        for content, status in ((b"", 400), (b"x" * 20, 202)):
            for _ in range(8):
                with server.client() as client:
                    answer = client.post("/api/tables", params={"name": "a.csv"}, content=content)
                    assert answer.status_code == status
                    if status == 202:  # one column: read and refused
                        finished_reading(client, answer.json()["id"])
        with server.client() as client:
            send(client, csv_table())


def finished_reading(client: httpx.Client, table: str) -> dict:
    deadline = time.monotonic() + 60
    while (view := client.get(f"/api/tables/{table}").json())["read"]["state"] in ("waiting", "running"):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return view


def test_sessions_with_tables_are_not_displaced():
    store = SessionStore(Limits(sessions=2), ())
    kept = store.open()
    table = store.new_table(kept, "a.csv", ".csv")
    unused = store.open()
    newer = store.open()
    assert unused.ended and not kept.ended and not newer.ended and table.folder.exists()
    store.close()


def test_hostile_knowledge_is_refused_before_it_is_checked(make_server):
    with make_server() as server, server.client() as client, server.client() as other:
        table = send(client, csv_table(columns=4))
        path = f"/api/tables/{table['id']}/discoveries"
        unknown = {"tiers": [[f"x{k}" for k in range(100)] for _ in range(150)]}
        repeated = {"required": [["x1", "x2"]] * 20_000}
        many = {"forbidden": [f"x1 -> y{k}" for k in range(15_000)]}
        for knowledge in (unknown, repeated, many):
            answers = []
            started = time.monotonic()
            asking = threading.Thread(
                target=lambda k=knowledge, a=answers: a.append(client.post(path, json={"knowledge": k}))
            )
            asking.start()
            slowest = 0.0
            while asking.is_alive():
                before = time.monotonic()
                assert other.get("/api/about").status_code == 200
                slowest = max(slowest, time.monotonic() - before)
            assert answers[0].status_code == 400 and time.monotonic() - started < 10
            assert slowest < 3, "others wait"


def test_a_slow_body_has_a_deadline(make_server):
    with make_server(body_seconds=0.5) as server:
        with server.client() as client:
            table = send(client, csv_table())
            cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        lines = [f"POST /api/tables/{table['id']}/discoveries HTTP/1.1", "Host: localhost", f"Cookie: {cookie}"]
        lines += ["Content-Type: application/json", "Content-Length: 9", "", "{"]
        started = time.monotonic()
        assert b" 408 " in raw(server.port, "\r\n".join(lines).encode()).split(b"\r\n")[0]
        assert time.monotonic() - started < 10


def test_slow_headers_have_a_deadline(make_server):
    with make_server(header_seconds=0.5) as server:
        started = time.monotonic()
        assert raw(server.port, b"GET / HTTP/1.1\r\nHost: local") == b""
        assert (
            raw(server.port, b"GET /api/about HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HT").count(b"HTTP/1.1 200") == 1
        )
        assert time.monotonic() - started < 10


def test_a_chunked_upload_over_the_limit_is_always_answered(make_server):
    with make_server(upload_bytes=100_000) as server:
        for _ in range(10):
            with server.client() as client:
                chunks = (b"1,2\n" * 4096 for _ in range(400))
                answer = client.post("/api/tables", params={"name": "a.csv"}, content=chunks)
                assert answer.status_code == 413


def test_allow_names_every_method(server):
    with server.client() as client:
        answer = client.put("/api/session")
        assert answer.status_code == 405 and {"GET", "DELETE"} <= set(answer.headers["allow"].split(", "))


@pytest.mark.parametrize("host", ["[::1].evil.com", "[::1]evil.com", "[::1]:80.evil.com", "[::1", "localhost.evil.com"])
def test_hosts_that_only_start_like_ours(host):
    with pytest.raises(RefusalError):
        check_host([host], Settings())
    check_host(["[::1]:8350"], Settings())
    check_host(["[::1]"], Settings())


def test_a_token_may_hold_any_character(tiny_weights):
    token = 'a;b=c d%20"é'
    with (
        LiveServer(Settings(host="0.0.0.0", token=token, checkpoint=tiny_weights)) as server,
        server.client() as client,
    ):
        assert client.get("/", params={"token": token}).status_code == 200
        assert client.get("/api/about").status_code == 200


def test_owners_take_turns_and_none_holds_all_slots(monkeypatch):
    started: list[str] = []
    gates: dict[str, threading.Event] = {}

    def run(job: Job, task: dict) -> None:
        started.append(task["name"])
        gates[task["name"]].wait(20)
        job.state = "done"

    monkeypatch.setattr("foundcause.web.jobs._run", run)
    queue = JobQueue(slots=2, cores=2, waiting=20)

    def put(owner: str, name: str) -> Job:
        gates[name] = threading.Event()
        return queue.submit(Job(task={"name": name}, seconds=60, owner=owner))

    def until(names: list[str]) -> None:
        deadline = time.monotonic() + 20
        while started != names:
            assert time.monotonic() < deadline, started
            time.sleep(0.01)

    first = [put("greedy", f"g{k}") for k in range(4)]
    until(["g0"])
    newcomer = put("new", "n0")
    until(["g0", "n0"])
    second, other = put("new", "n1"), put("third", "t0")
    assert [queue.place(job) for job in (first[0], newcomer)] == [None, None]
    assert queue.place(other) == 1, "who has nothing running comes first"
    gates["n0"].set()
    until(["g0", "n0", "n1"])
    assert queue.place(second) is None and queue.place(other) == 1
    assert queue.place(first[1]) < queue.place(first[2])
    for gate in gates.values():
        gate.set()
    queue.close()


def test_a_newcomer_does_not_wait_for_the_long_jobs_of_another(make_server):
    with make_server(slots=2, discoveries=4) as server, server.client() as greedy, server.client() as newcomer:
        table = send(greedy, csv_table(rows=4000, columns=12))
        for _ in range(4):
            discover(greedy, table, n_passes=50)
        started = time.monotonic()
        assert finished(newcomer, discover(newcomer, send(newcomer, csv_table()), n_passes=1))["state"] == "done"
        running = [job for view in greedy.get("/api/session").json()["tables"] for job in view["discoveries"]]
        assert sum(job["state"] == "done" for job in running) < 4, "the long jobs were over before"
        assert time.monotonic() - started < 60


def test_stopping_the_server_prints_no_traceback(make_server, capfd):
    with make_server() as server, server.client() as client:
        table = send(client, csv_table(rows=4000, columns=12))
        discover(client, table, n_passes=50)
        time.sleep(1.5)
    assert "Traceback" not in capfd.readouterr().err
