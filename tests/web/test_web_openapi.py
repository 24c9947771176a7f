"""Thousands of odd requests made from the OpenAPI document: whatever comes, no server error."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from live_server import csv_table, send

schemathesis = pytest.importorskip("schemathesis")


def test_the_document_names_every_route(server):
    with server.client() as client:
        document = client.get("/api/openapi.json").json()
    assert set(document["paths"]) == {
        "/api/about",
        "/api/session",
        "/api/session/leave",
        "/api/tables",
        "/api/demo",
        "/api/tables/{identity}",
        "/api/tables/{identity}/discoveries",
        "/api/discoveries/{identity}",
        "/api/discoveries/{identity}/result",
        "/api/discoveries/{identity}/given",
        "/api/discoveries/{identity}/files/{file}",
    }
    runs = document["components"]["schemas"]["DiscoveryBody"]["properties"]["n_passes"]
    assert "maximum" not in runs and "/api/about" in runs["description"]


@pytest.mark.parametrize(
    "examples", [pytest.param(12, id="quick"), pytest.param(200, id="thorough", marks=pytest.mark.slow)]
)
def test_no_server_error(make_server, examples):
    """Ids of a real table and discovery are put into half of the requests, so that they reach what lies behind."""
    with make_server(waiting=10_000, sessions=10_000, tables=10_000, n_passes=2) as server, server.client() as client:
        table = send(client, csv_table())["id"]
        discovery = client.post(f"/api/tables/{table}/discoveries", json={"n_passes": 1}).json()["id"]
        cookies = {f"foundcause_session_{server.port}": client.cookies[f"foundcause_session_{server.port}"]}
        schema = schemathesis.openapi.from_dict(client.get("/api/openapi.json").json())
        statuses: dict[str, list[int]] = {}

        def attempt(case: Any) -> None:
            seen = statuses.setdefault(f"{case.method} {case.path}", [])
            # Ending the session or deleting its table would leave nothing to reach.
            if "identity" in (case.path_parameters or {}) and len(seen) % 2 == 0 and case.method != "DELETE":
                case.path_parameters["identity"] = (
                    table if "{identity}" in case.path and "/tables" in case.path else discovery
                )
            jar = None if (case.method, case.path) == ("DELETE", "/api/session") else cookies
            answer = case.call(base_url=server.url, cookies=jar)
            seen.append(answer.status_code)
            case.validate_response(answer, checks=[schemathesis.checks.not_a_server_error])

        for operation in schema.get_all_operations():
            strategy = operation.ok().as_strategy()
            settings(
                max_examples=examples,
                deadline=None,
                suppress_health_check=list(HealthCheck),
                database=None,
                derandomize=True,
            )(given(case=strategy)(attempt))()
        assert len(statuses) == 14
        assert 200 in statuses["GET /api/tables/{identity}"] and 202 in statuses["POST /api/demo"]
