"""Thousands of odd requests made from the OpenAPI document: whatever comes, no server error."""

from __future__ import annotations

import pytest

from conftest import csv_table, send

schemathesis = pytest.importorskip("schemathesis")


def test_the_document_names_every_route(server):
    with server.client() as client:
        document = client.get("/api/openapi.json").json()
    assert set(document["paths"]) == {
        "/api/about",
        "/api/visit",
        "/api/visit/leave",
        "/api/tables",
        "/api/demo",
        "/api/tables/{identity}",
        "/api/tables/{identity}/discoveries",
        "/api/discoveries/{identity}",
        "/api/discoveries/{identity}/result",
        "/api/discoveries/{identity}/layout",
        "/api/discoveries/{identity}/files/{file}",
    }


@pytest.mark.parametrize(
    "examples", [pytest.param(15, id="quick"), pytest.param(200, id="thorough", marks=pytest.mark.slow)]
)
def test_no_server_error(make_server, examples):
    """Ids of a real table and discovery are put in, so that requests reach what lies behind them."""
    from hypothesis import HealthCheck, settings

    with make_server(waiting=10_000, visits=10_000, runs=2) as server, server.client() as client:
        table = send(client, csv_table())
        discovery = client.post(f"/api/tables/{table['id']}/discoveries", json={"runs": 1}).json()["id"]
        cookies = {"foundcause_visit": client.cookies["foundcause_visit"]}
        document = client.get("/api/openapi.json").json()
        schema = schemathesis.openapi.from_dict(document)
        schema.config.base_url = server.url
        tried: dict[str, int] = {}

        for found in schema.get_all_operations():
            operation = found.ok()
            key = f"{operation.method.upper()} {operation.path}"

            @schema.include(path=operation.path, method=operation.method.upper()).parametrize()
            @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), database=None)
            def probe(case, key=key):
                pass

            def attempt(case, key=key):
                tried[key] = tried.get(key, 0) + 1
                # Deleting the real table early would leave nothing to reach; half of the requests use wild ids.
                if "identity" in case.path_parameters and tried[key] % 2 and case.method != "DELETE":
                    case.path_parameters["identity"] = table["id"] if "tables" in case.path else discovery
                answer = case.call(cookies=cookies)
                assert answer.status_code < 500 or answer.status_code == 503, (key, answer.status_code, answer.content)
                case.validate_response(answer, checks=(schemathesis.checks.not_a_server_error,))

            from hypothesis import given

            test = settings(
                max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), database=None
            )(given(case=operation.as_strategy())(attempt))
            test()
        assert len(tried) == 14 and min(tried.values()) >= 1, tried
