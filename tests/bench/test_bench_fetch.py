"""Downloads, against a server on this machine that plays the public places."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import http.server
import io
import threading
import urllib.parse
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from foundcause.bench import datasets
from foundcause.bench.datasets import cause_effect_pairs, measured_tables
from foundcause.bench.download import File, download, fetch, github_file
from foundcause.errors import ConfigError, DataUnavailableError


class Server:
    """Serves a dictionary from path to body; counts requests; can break off in the middle."""

    def __init__(self) -> None:
        self.content: dict[str, bytes] = {}
        self.requests: list[str] = []
        self.broken = False
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.requests.append(self.path)
                body = outer.content.get(self.path)
                if body is None:
                    self.send_error(404)
                    return
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body[: len(body) // 2] if outer.broken else body)

            def log_message(self, *arguments: object) -> None: ...

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def get(self, url: str) -> bytes:
        """Fetch a public URL from here instead."""
        return download(self.base + "/" + url.split("://", 1)[1])

    def put(self, url: str, body: bytes) -> None:
        self.content["/" + url.split("://", 1)[1]] = body


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.http.shutdown()
    running.http.server_close()


def plain(name: str, body: bytes, **more: object) -> File:
    return File(name=name, sha256=hashlib.sha256(body).hexdigest(), make=lambda get: get(f"https://a/{name}"), **more)  # type: ignore[arg-type]


def test_files_arrive_checked_and_compressed(server: Server, tmp_path: Path) -> None:
    files = (plain("x/one.csv", b"1,2\n"), plain("x/two.csv.gz", b"3,4\n"))
    server.put("https://a/x/one.csv", b"1,2\n")
    server.put("https://a/x/two.csv.gz", b"3,4\n")
    told: list[str] = []
    assert fetch(files, tmp_path, get=server.get, report=told.append) == ["x/one.csv", "x/two.csv.gz"]
    assert (tmp_path / "x/one.csv").read_bytes() == b"1,2\n"
    assert gzip.decompress((tmp_path / "x/two.csv.gz").read_bytes()) == b"3,4\n"
    asked = len(server.requests)
    fetch(files, tmp_path, get=server.get, report=told.append)
    assert len(server.requests) == asked and told[-1].endswith("already there")
    (tmp_path / "x/two.csv.gz").write_bytes(b"damaged")
    fetch(files, tmp_path, only="x/two*", get=server.get, report=told.append)
    assert gzip.decompress((tmp_path / "x/two.csv.gz").read_bytes()) == b"3,4\n"


def test_another_content_is_refused_and_leaves_nothing(server: Server, tmp_path: Path) -> None:
    files = (plain("bad.csv", b"right"), plain("good.csv", b"fine"))
    server.put("https://a/bad.csv", b"wrong")
    server.put("https://a/good.csv", b"fine")
    with pytest.raises(DataUnavailableError, match=r"bad\.csv: content has sha256"):
        fetch(files, tmp_path, get=server.get, report=lambda line: None)
    assert [path.name for path in tmp_path.iterdir()] == ["good.csv"]  # the others were tried all the same


def test_broken_and_missing_downloads_are_named(server: Server, tmp_path: Path) -> None:
    with pytest.raises(DataUnavailableError, match="cannot be loaded"):
        server.get("https://a/nothing")
    server.put("https://a/large", b"x" * 10_000)
    server.broken = True
    with pytest.raises(DataUnavailableError, match="broke off after 5000 bytes"):
        server.get("https://a/large")


def test_optional_files_may_be_absent(server: Server, tmp_path: Path) -> None:
    files = (plain("gone.csv", b"", optional=True),)
    assert fetch(files, tmp_path, get=server.get, report=lambda line: None) == []


def test_later_refs_are_tried(server: Server) -> None:
    make = github_file("o/r", ("abc", "main"), "file")
    server.put("https://raw.githubusercontent.com/o/r/main/file", b"ok")
    assert make(server.get) == b"ok"
    assert len(server.requests) == 2


def archive(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as content:
        for name, body in members.items():
            content.writestr(name, body)
    return buffer.getvalue()


def test_everything_is_rebuilt_from_originals(server: Server, tmp_path: Path, benchmark_data: Path) -> None:
    """The published files, put back into the shape of their sources, come out with the known checksums."""

    def text(name: str) -> str:
        raw = (benchmark_data / name).read_bytes()
        return (gzip.decompress(raw) if name.endswith(".gz") else raw).decode()

    for scenario in ("high_traffic", "low_traffic", "temporal_traffic1", "temporal_traffic2"):
        base = (
            f"https://raw.githubusercontent.com/amazon-science/petshop-root-cause-analysis/1c5992d/dataset/{scenario}"
        )
        server.put(f"{base}/graph.csv", text(f"petshop/{scenario}_graph.csv").encode())
        if not scenario.startswith("temporal"):
            server.put(f"{base}/noissue/metrics.csv", text(f"petshop/{scenario}_noissue_metrics.csv.gz").encode())

    conditions: dict[str, list[str]] = {}
    for line in text("sachs/sachs_2005_all_conditions.csv.gz").splitlines()[1:]:
        condition, rest = line.split(",", 1)
        conditions.setdefault(condition, []).append(rest)
    header = ",".join(f"p{k}" for k in range(11))
    server.put(
        measured_tables._GNIES,
        archive({f"r/sachs/sachs_2005/{k}.csv": "\n".join([header, *v]).encode() for k, v in conditions.items()}),
    )

    pairs: dict[str, list[str]] = {}
    for line in text("tuebingen/tuebingen_pairs.csv.gz").splitlines()[1:]:
        number, *cells = line.split(",")
        pairs.setdefault(number, []).append("  ".join(cell for cell in cells if cell))
    members = {f"loci-1/data/Tuebingen/pair{k}.txt": "\r\n".join(v).encode() for k, v in pairs.items()}
    members["loci-1/data/Tuebingen/pairmeta.txt"] = text("tuebingen/pairmeta.txt").encode()
    members["loci-1/data/Tuebingen/pair0001_des.txt"] = b"a description"
    server.put(cause_effect_pairs._LOCI, archive(members))
    chamber = text("causal_chambers_lt/lt_interventions_standard_v1_uniform_reference.csv.gz").encode()
    server.put(measured_tables._CHAMBER, archive({"lt_interventions_standard_v1/uniform_reference.csv": chamber}))

    there = fetch(datasets.FILES, tmp_path, get=server.get, report=lambda line: None)
    assert set(there) == {file.name for file in datasets.FILES if not file.optional}


PLACES = {"github.com", "raw.githubusercontent.com", "causalchamber.s3.eu-central-1.amazonaws.com"}
MADE_HERE = {measured_tables.SACHS_EDGES, measured_tables.CHAMBER_EDGES, measured_tables.CHAMBER_VARIABLES}


@pytest.mark.parametrize("file", datasets.FILES, ids=lambda file: file.name)
def test_no_package_registry_is_asked(file: File) -> None:
    """Every address that a file would be loaded from, each refused so that the next is tried."""
    asked: list[str] = []

    def refuse(url: str) -> bytes:
        asked.append(url)
        raise DataUnavailableError(url)

    with contextlib.suppress(DataUnavailableError):
        file.make(refuse)
    assert bool(asked) != (file.name in MADE_HERE)
    for url in asked:
        parts = urllib.parse.urlsplit(url)
        assert parts.scheme == "https" and parts.hostname in PLACES


def test_a_pattern_that_nothing_fits_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"pattern 'nothing\*'.*petshop/\*"):
        fetch(datasets.FILES, tmp_path, only="nothing*", get=lambda url: b"")
