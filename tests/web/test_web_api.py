"""The API over real sockets: a table in, a graph out; sessions, queue, crashes, cleaning up."""

from __future__ import annotations

import io
import json
import os
import signal
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest
from live_server import csv_table, discover, finished, send, stored, wait_for

from foundcause.result import Result
from foundcause.web.jobs import Job, JobQueue, QueueFullError
from foundcause.web.routes import FILES


def test_from_a_table_to_every_export(server):
    with server.client() as client:
        table = send(client, csv_table(columns=4, names=["a", "b", "c", "d"]))
        described = table["description"]
        assert [column["name"] for column in described["columns"]] == ["a", "b", "c", "d"]
        assert (described["rows"], described["columns"][0]["kind"]) == (60, "continuous")
        knowledge = {"tiers": [["b"], ["a"]], "required": [["c", "d"]], "forbidden": ["b -> d"]}
        identity = discover(client, table, knowledge=knowledge, random_state=4)
        assert finished(client, identity)["state"] == "done"

        answer = client.get(f"/api/discoveries/{identity}/result")
        result = Result.from_json(answer.text)
        assert result.names == ("a", "b", "c", "d")
        assert result.adjacency.loc["c", "d"] == 1
        assert result.adjacency.loc["a", "b"] == result.adjacency.loc["b", "d"] == 0
        assert result.provenance["options"]["random_state"] == 4
        assert result.knowledge.to_dict()["tiers"] == [
            ["b"],
            ["a"],
        ]
        assert answer.text == result.to_json(embed_rows=400)
        given = client.get(f"/api/discoveries/{identity}/given").json()
        assert [result.names[k] for k in given["required_pairs"][0]] == ["c", "d"]

        for name in FILES:
            file = client.get(f"/api/discoveries/{identity}/files/{name}")
            assert file.status_code == 200 and file.content, name
            assert file.headers["content-disposition"].startswith("attachment"), name
            assert "sandbox" in file.headers["content-security-policy"], name
        archive = zipfile.ZipFile(io.BytesIO(client.get(f"/api/discoveries/{identity}/files/everything.zip").content))
        apart = {"passes.npz", "suggestions.toml"}
        assert set(archive.namelist()) - apart == set(FILES) - {"everything.zip"}
        assert json.loads(archive.read("result.json")) == json.loads(result.to_json(timing=False))
        for name in ("..%2f..%2ftable.csv", "table.csv", "result.json%00"):
            assert client.get(f"/api/discoveries/{identity}/files/{name}").status_code == 404


def test_parquet_and_other_dialects(server, tmp_path):
    import pandas as pd

    frame = pd.read_csv(io.BytesIO(csv_table(columns=3)))
    frame.to_parquet(tmp_path / "t.parquet")
    with server.client() as client:
        table = send(client, (tmp_path / "t.parquet").read_bytes(), "t.parquet")
        assert table["read"]["state"] == "done" and table["description"]["rows"] == 60
        assert send(client, csv_table().replace(b",", b";"), "t.txt")["read"]["state"] == "done"
        assert send(client, csv_table().decode().encode("utf-16"), "t.csv")["read"]["state"] == "done"


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        (b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n", "report.csv", "PDF document"),
        (b"\x89PNG\r\n\x1a\n" + bytes(200), "picture.csv", "picture"),
        (bytes(range(256)) * 40, "noise.csv", "binary file"),
        (csv_table(columns=1), "one.csv", "one column"),
        (csv_table(rows=3), "short.csv", "3 rows"),
        (csv_table(columns=31), "wide.csv", "31 columns. This server takes 30"),
        (b"a,b\n" + b"1,2\n" * 20_001, "long.csv", "20,001 rows. This server takes 20,000"),
        (b"PAR1 and then nothing of the kind", "broken.parquet", "not a readable Parquet"),
    ],
)
def test_tables_that_are_refused(server, content, name, words):
    with server.client() as client:
        table = send(client, content, name)
        assert table["read"]["state"] == "refused"
        assert words in table["read"]["error"] and "/tmp" not in table["read"]["error"], table["read"]["error"]
        (stored,) = server.state.sessions.find(client.cookies[f"foundcause_session_{server.port}"]).tables.values()
        assert stored.id == table["id"] and not stored.path.exists(), "refused files are deleted"
        answer = client.post(f"/api/tables/{table['id']}/discoveries", json={})
        assert answer.status_code == 409


def test_a_parquet_bomb_is_refused_by_its_footer(server, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as parquet

    place = tmp_path / "bomb.parquet"
    column = pa.array([1.0]).take(pa.array([0] * 1_000_000))
    parquet.write_table(pa.table({"a": column, "b": column}), place)
    assert place.stat().st_size < 50_000
    with server.client() as client:
        started = time.monotonic()
        assert "1,000,000 rows" in send(client, place.read_bytes(), "bomb.parquet")["read"]["error"]
        assert time.monotonic() - started < 60


def test_knowledge_that_contradicts_itself_is_refused_at_once(server):
    with server.client() as client:
        table = send(client, csv_table(names=["a", "b", "c"]))
        path = f"/api/tables/{table['id']}/discoveries"
        both = {"required": [["a", "b"]], "forbidden": [["a", "b"]]}
        answer = client.post(path, json={"knowledge": both})
        assert answer.status_code == 400 and "'a' -> 'b'" in answer.json()["detail"]
        answer = client.post(path, json={"knowledge": {"tiers": [["ages"]]}})
        assert answer.status_code == 400 and "ages" in answer.json()["detail"]
        for runs in (51, 100_000, 10**30):
            answer = client.post(path, json={"n_passes": runs})
            assert (
                answer.status_code == 400
                and f"n_passes={runs} is more than this server's 50" in answer.json()["detail"]
            )
        assert client.post(path, content=b'{"threshold": NaN}').status_code == 422


def test_columns_can_be_left_out_or_read_as_codes(server):
    with server.client() as client:
        table = send(client, csv_table(names=["a", "b", "c"], codes=["c"]))
        identity = discover(client, table, drop=["b"], nominal=["c"])
        assert finished(client, identity)["state"] == "done"
        result = Result.from_json(client.get(f"/api/discoveries/{identity}/result").text)
        assert result.names == ("a", "c")
        assert [column.kind for column in result.column_info] == ["continuous", "nominal"]
        path = f"/api/tables/{table['id']}/discoveries"
        for body, words in (
            ({"drop": ["e"]}, "drop names 'e'"),
            ({"nominal": ["e"]}, "nominal names 'e'"),
            ({"drop": ["a", "b"]}, "fewer than two"),
            ({"drop": ["a"], "knowledge": {"tiers": [["a"], ["b"]]}}, "'a', which was dropped"),
        ):
            answer = client.post(path, json=body)
            assert answer.status_code == 400 and words in answer.json()["detail"], answer.text


def test_two_sessions_do_not_see_each_other(server):
    with server.client() as first, server.client() as second, server.client() as stranger:
        mine, yours = send(first, csv_table(seed=1)), send(second, csv_table(seed=2))
        identity = discover(first, mine)
        assert finished(first, identity)["state"] == "done"
        assert [table["id"] for table in second.get("/api/session").json()["tables"]] == [yours["id"]]
        for other in (second, stranger):
            assert other.get(f"/api/tables/{mine['id']}").status_code == 404
            assert other.delete(f"/api/tables/{mine['id']}").status_code == 404
            assert other.post(f"/api/tables/{mine['id']}/discoveries", json={}).status_code == 404
            for path in ("", "/result", "/layout", "/files/report.html"):
                assert other.get(f"/api/discoveries/{identity}{path}").status_code == 404
            assert other.delete(f"/api/discoveries/{identity}").status_code == 404
        assert first.get(f"/api/discoveries/{identity}/result").status_code == 200


def test_twenty_uploads_at_once_without_loss(server):
    def one(k: int) -> tuple[int, list[str]]:
        with server.client() as client:
            table = send(client, csv_table(rows=200 + k, seed=k, names=[f"first{k}", f"second{k}", f"third{k}"]))
            assert table["read"]["state"] == "done", table
            return table["description"]["rows"], [column["name"] for column in table["description"]["columns"]]

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(one, range(20)))
    assert answers == [(200 + k, [f"first{k}", f"second{k}", f"third{k}"]) for k in range(20)]


def test_a_killed_worker_is_reported_and_the_server_goes_on(server):
    with server.client() as client:
        table = send(client, csv_table(rows=4000, columns=12))
        identity = discover(client, table, n_passes=50)
        wait_for(
            client, f"/api/discoveries/{identity}", lambda job: job["stage"] in ("loading", "statistics", "network")
        )
        (running,) = server.state.discoveries._running
        os.kill(running.pid, signal.SIGKILL)
        job = finished(client, identity)
        assert job["state"] == "failed" and "SIGKILL" in job["error"]
        assert client.get(f"/api/discoveries/{identity}/result").status_code == 409
        assert finished(client, discover(client, table, n_passes=1))["state"] == "done"


def test_cancelling_and_the_place_in_the_queue(make_server):
    with make_server(slots=1) as server, server.client() as first, server.client() as second:
        tables = send(first, csv_table(rows=4000, columns=12)), send(second, csv_table())
        long = discover(first, tables[0], n_passes=50)
        wait_for(first, f"/api/discoveries/{long}", lambda job: job["state"] == "running")
        behind = [discover(second, tables[1], n_passes=1), discover(first, tables[0], n_passes=1)]
        places = [
            client.get(f"/api/discoveries/{k}").json()["place"]
            for client, k in zip((second, first), behind, strict=True)
        ]
        assert places == [1, 2] and server.state.discoveries.running == 1
        assert first.delete(f"/api/discoveries/{behind[1]}").status_code == 204
        assert first.get(f"/api/discoveries/{behind[1]}").json()["state"] == "cancelled"
        started = time.monotonic()
        assert first.delete(f"/api/discoveries/{long}").status_code == 204
        assert finished(first, long)["state"] == "cancelled" and time.monotonic() - started < 10
        assert finished(second, behind[0])["state"] == "done"


def test_one_session_cannot_fill_the_queue(make_server):
    with make_server(slots=1, discoveries=2) as server, server.client() as greedy, server.client() as other:
        tables = [send(greedy, csv_table(rows=4000, columns=12)), send(greedy, csv_table())]
        for table in tables:
            discover(greedy, table, n_passes=50)
        answer = greedy.post(f"/api/tables/{tables[1]['id']}/discoveries", json={})
        assert answer.status_code == 429 and "2 discoveries of this session" in answer.json()["detail"]
        discover(other, send(other, csv_table()), n_passes=1)


def test_time_limits_stop_a_worker(make_server):
    with make_server(slots=1, discover_seconds=0.3) as server, server.client() as client:
        table = send(client, csv_table(rows=4000, columns=12))
        job = finished(client, discover(client, table, n_passes=50))
        assert job["state"] == "failed" and "time limit" in job["error"]


def test_files_go_when_the_session_ends_and_at_shutdown(make_server):
    with make_server(idle_seconds=600, leave_seconds=0.2) as server:
        root = server.state.sessions.root
        assert root.stat().st_mode & 0o077 == 0
        with server.client() as ended, server.client() as left, server.client() as stays:
            for client in (ended, left, stays):
                send(client, csv_table())
            assert len(stored(root, "*/*/table.csv")) == 3
            assert ended.delete("/api/session").status_code == 204
            assert len(stored(root, "*/*/table.csv")) == 2
            assert left.post("/api/session/leave").status_code == 204
            deadline = time.monotonic() + 20
            while len(stored(root, "*/*/table.csv")) > 1:
                assert time.monotonic() < deadline, "the session that was left is still there"
                time.sleep(0.1)
            assert len(stays.get("/api/session").json()["tables"]) == 1
            assert left.get("/api/session").json()["tables"] == []
    assert not root.exists()


def test_folders_of_killed_servers_are_removed(tmp_path, monkeypatch):
    import tempfile

    from foundcause.web.limits import Limits
    from foundcause.web.sessions import SessionStore

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    orphan = tmp_path / "foundcause-serve-dead"
    orphan.mkdir()
    (orphan / "in-use").touch()
    alive = SessionStore(Limits(), ())
    assert not orphan.exists()
    second = SessionStore(Limits(), ())
    assert alive.root.exists() and second.root.exists()
    alive.close()
    second.close()
    assert list(tmp_path.iterdir()) == []


def test_a_full_queue_refuses():
    queue = JobQueue(slots=1, cores=1, waiting=1)
    queue.close()
    with pytest.raises(QueueFullError):
        queue.submit(Job(task={}, seconds=1))
