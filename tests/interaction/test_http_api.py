"""The HTTP API through a real client and a started server: what paths do, and whom they answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import anyio
import httpx2
import jsonschema
import pytest
from mcp.shared.subscriptions import ResourceUpdated

from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.identity import bearer
from mcp_memory_server.interchange import native
from mcp_memory_server.memory.ports import Tenancy
from mcp_memory_server.settings import TriggerSettings
from mcp_memory_server.tools.schemas import OUTPUTS
from mcp_memory_server.web.api import schemas
from tests.harness import House
from tests.harness import house as open_house
from tests.http_support import calling, serving
from tests.requirements import requirement

PATHS = [
    ("GET", "/api/memories"), ("POST", "/api/memories"), ("GET", "/api/memories/m_1"), ("PATCH", "/api/memories/m_1"),
    ("DELETE", "/api/memories/m_1"), ("POST", "/api/recall"), ("POST", "/api/feedback"), ("POST", "/api/memory/forget"),
    ("GET", "/api/profile"), ("GET", "/api/questions"), ("PATCH", "/api/questions/q_1"), ("GET", "/api/sessions/s"),
    ("POST", "/api/sessions/s/rollback"), ("POST", "/api/triggers/f_1/result"), ("GET", "/api/audit"),
    ("GET", "/api/export"), ("POST", "/api/erase"), ("GET", "/openapi.json"),
]  # fmt: skip


@pytest.fixture
def http(house: House) -> Iterator[httpx2.Client]:
    with serving(house) as base, calling(base) as client:
        yield client


def done(response: httpx2.Response, schema: dict[str, Any] | None = None) -> dict[str, Any]:
    """An answer that must be there, and match its schema."""
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/json"
    answer = response.json()
    assert isinstance(answer, dict)
    if schema is not None:
        jsonschema.Draft202012Validator(schema).validate(answer)
    return answer


def refused(response: httpx2.Response, status: int, code: str) -> dict[str, str]:
    """An error that must have this status and code, in the one shape."""
    assert response.status_code == status, response.text
    answer = response.json()
    assert set(answer) == {"error"}
    error = answer["error"]
    assert set(error) == {"code", "message", "next"}
    assert error["code"] == code
    assert error["message"]
    return dict(error)


def remember(http: httpx2.Client, *statements: str, **more: Any) -> list[str]:
    answer = done(http.post("/api/memories", json={"statements": list(statements), **more}), OUTPUTS["remember"])
    return [one["memory"]["id"] for one in answer["results"]]


def total(http: httpx2.Client) -> int:
    return int(done(http.get("/api/memories", params={"kind": "any", "status": "any"}))["total"])


@requirement("http:resources")
def test_a_memory_is_read_corrected_and_forgotten_under_its_path(http: httpx2.Client) -> None:
    (one,) = remember(http, "The van is at the garage.")
    memory = done(http.get(f"/api/memories/{one}"), schemas.MEMORY_IN_FULL)
    assert (memory["statement"], memory["history"][0]["action"]) == ("The van is at the garage.", "stored")
    given = {"verdict": "replace", "statement": "The van is at the harbour.", "said": "No, the van is at the harbour."}
    changed = done(http.patch(f"/api/memories/{one}", json=given), OUTPUTS["correct_memory"])
    assert (changed["outcome"], changed["replaced"]) == ("superseded", [one])
    new = changed["memory"]["id"]
    gone = done(http.request("DELETE", f"/api/memories/{new}", params={"reason": "sold"}), OUTPUTS["forget"])
    assert gone["state"] == "forgotten"
    assert new in gone["forgotten"]
    assert gone["receipt"]["pending"] == []
    for method in ("GET", "DELETE"):
        refused(http.request(method, f"/api/memories/{new}"), 404, "not_found")
    refused(http.patch(f"/api/memories/{new}", json={"verdict": "confirm"}), 404, "not_found")


@requirement("http:resources")
def test_a_query_pages_and_filters_as_the_arguments_of_the_tool(http: httpx2.Client) -> None:
    ids = [remember(http, f"Box {number} is on shelf {number}.", category="other")[0] for number in range(5)]
    remember(http, "Omar prefers tea.", category="preference")
    seen, query = [], {"category": "other", "limit": "2", "detail": "full"}
    while True:
        page = done(http.get("/api/memories", params=query), OUTPUTS["list_memories"])
        assert page["total"] == 5
        seen += [one["id"] for one in page["memories"]]
        assert all("strength" in one for one in page["memories"])
        if "next_cursor" not in page:
            break
        query["cursor"] = page["next_cursor"]
    assert seen == ids[::-1]
    assert done(http.get("/api/memories?limit=3.0"))["total"] == 6


@requirement("http:resources")
def test_a_question_is_listed_and_answered(http: httpx2.Client) -> None:
    for said in ("My budget for trains is 500 euros.", "My budget for trains is 800 euros."):
        done(http.post("/api/memories", json={"said": said}))
    (question,) = done(http.get("/api/questions"), schemas.QUESTIONS)["questions"]
    assert len(question["memory_ids"]) == 2
    path = f"/api/questions/{question['id']}"
    refused(http.patch(path, json={"verdict": "keep_second", "memory_id": "m_1"}), 400, "invalid_argument")
    refused(http.patch(path, json={"verdict": "keep_second", "question_id": "q_1"}), 400, "invalid_argument")
    done(http.patch(path, json={"verdict": "keep_second"}), OUTPUTS["correct_memory"])
    assert done(http.get("/api/questions"))["questions"] == []
    refused(http.patch(path, json={"verdict": "keep_first"}), 404, "not_found")


@requirement("http:resources")
@pytest.mark.parametrize("session", ["trip", "a/b", "a/rollback", "旅行 2026?", "..%2f", "x" * 200])
def test_a_session_of_any_name_is_read_and_rolled_back(http: httpx2.Client, session: str) -> None:
    path = "/api/sessions/" + "".join(f"%{byte:02X}" for byte in session.encode())
    refused(http.get(path), 404, "not_found")
    for said in ("My dentist is in Lyon.", "The van is at the garage."):
        done(http.post("/api/memories", json={"said": said, "session": session}))
    found = done(http.get(path), schemas.SESSION)
    assert found["session"] == session
    assert [one["statement"] for one in found["utterances"]] == ["My dentist is in Lyon.", "The van is at the garage."]
    assert found["working"]["version"] == 2
    back = done(http.post(f"{path}/rollback", json={"version": 1}), schemas.WORKING)
    assert (back["version"], back["versions"][-1]["action"]) == (3, "rollback to 1")
    assert len(back["items"]) < len(found["working"]["items"])
    refused(http.post(f"{path}/rollback", json={"version": 9}), 404, "not_found")
    refused(http.post(f"{path}/rollback", json={}), 400, "invalid_argument")


@requirement("http:resources")
def test_the_result_of_a_trigger_is_posted_and_shown_once(tmp_path: Path) -> None:
    once = TriggerSettings(name="once", count=1)
    with open_house(tmp_path / "data", triggers=[once]) as house, serving(house) as base, calling(base) as http:
        fired = done(http.post("/api/memories", json={"said": "How do I get a refund for my ticket?"}))["triggers"]
        path = f"/api/triggers/{fired[0]['id']}/result"
        assert done(http.post(path, json={"result": "On Tuesday."}), schemas.FIRING)["result"] == "On Tuesday."
        refused(http.post(path, json={"result": "On Friday."}), 409, "conflict")
        assert http.head("/api/profile").status_code == 405  # would use the result up for nobody
        shown = [done(http.get("/api/profile"), OUTPUTS["get_profile"])["trigger_results"] for _ in range(2)]
        assert [[one["result"] for one in found] for found in shown] == [["On Tuesday."], []]


@requirement("http:errors")
def test_what_is_no_proper_request_has_the_one_shape_of_errors(http: httpx2.Client) -> None:
    as_json = {"content-type": "application/json"}
    for body in (b"", b"{", b"[]", b"null", b'"x"', b"\xff", b'{"query": NaN}', b'{"query": "\\ud800"}', b"[" * 9_999):
        refused(http.post("/api/recall", content=body, headers=as_json), 400, "invalid_argument")
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "application/jsonx"):
        refused(http.post("/api/recall", content=b'{"query": "x"}', headers={"content-type": kind}), 415, "unsupported")
    for more in ({"content-type": "application/json; charset=latin-1"}, {**as_json, "content-encoding": "gzip"}):
        refused(http.post("/api/recall", content=b'{"query": "x"}', headers=more), 415, "unsupported")
    done(
        http.post("/api/recall", content=b'{"query": "x"}', headers={"content-type": "Application/JSON; charset=UTF-8"})
    )
    refused(http.post("/api/recall", content=b" " * 1_048_577, headers=as_json), 413, "too_large")
    refused(http.post("/api/recall", content=iter([b" " * 600_000] * 2), headers=as_json), 413, "too_large")
    refused(http.post("/api/recall", json={"query": "x" * 2_001}), 413, "too_large")
    refused(http.post("/api/memories", json={"statements": ["x"] * 51}), 400, "too_many")
    refused(http.post("/api/memory/forget", json={"everything": True}), 403, "not_allowed")
    refused(http.post("/api/memory/forget", json={"confirm": "x"}), 409, "conflict")
    for query in (
        "limit=x",
        "limit=",
        "limit=1e3",
        "limit=101",
        "limit=1&limit=2",
        "colour=red",
        "kind=thing",
        "kind=",
    ):
        response = http.get(f"/api/memories?{query}")
        if query.endswith("="):
            done(response)  # an empty text counts as absent
        else:
            refused(response, 400, "invalid_argument")
    for path in ("/", "/api", "/api/", "/api/consents", "/api/memories/a/b", "/api/nothing", "/healthz/x"):
        refused(http.get(path), 404, "not_found")
    for method, path, allowed in (
        ("PUT", "/api/memories", {"GET", "POST"}),
        ("POST", "/api/memories/m_1", {"GET", "PATCH", "DELETE"}),
        ("GET", "/api/recall", {"POST"}),
        ("OPTIONS", "/api/profile", {"GET"}),
    ):
        response = http.request(method, path)
        refused(response, 405, "unsupported")
        assert set(response.headers["allow"].split(", ")) == allowed
    assert total(http) == 0


@requirement("http:errors")
def test_a_fault_and_a_store_that_is_away_show_nothing_of_our_insides(
    house: House, http: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def torn(*_: object) -> Any:
        raise ZeroDivisionError("insides")

    def away(*_: object) -> Any:
        raise UnavailableError("the store does not answer", next_step="Try again later")

    monkeypatch.setattr(house.app.service, "questions", torn)
    error = refused(http.get("/api/questions"), 500, "internal")
    assert "insides" not in json.dumps(error)
    monkeypatch.setattr(house.app.service, "questions", away)
    response = http.get("/api/questions")
    refused(response, 503, "unavailable")
    assert response.headers["retry-after"] == "1"
    monkeypatch.setattr(house.app.backend.store, "read", away)
    refused(http.get("/api/export"), 503, "unavailable")


@requirement("http:tokens", "users:apart")
def test_with_tokens_each_call_needs_one_and_sees_what_is_its_users(
    house: House, http: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bearer, "_CACHE_SECONDS", -1.0)
    (of_ann,) = remember(http, "Ann keeps the key under the mat.")
    store = house.app.backend.store
    secrets = {
        user: bearer.create(store, house.app.context.ids, house.clock.now(), name=user, user=user)[1]
        for user in ("ann", "ben")
    }
    for method, path in PATHS:
        for header in ({}, {"authorization": "Bearer x"}, {"authorization": f"Basic {secrets['ann']}"}):
            response = http.request(method, path, headers=header)
            refused(response, 401, "unauthenticated")
            assert response.headers["www-authenticate"].startswith("Bearer")
    refused(http.get("/metrics"), 401, "unauthenticated")
    refused(http.get("/nothing"), 401, "unauthenticated")
    assert http.get("/healthz").status_code == http.get("/readyz").status_code == 200
    base = str(http.base_url)
    with calling(base, secrets["ann"]) as ann, calling(base, secrets["ben"]) as ben:
        assert total(ann) == 1
        (of_ben,) = remember(ben, "Ben keeps the key in the shed.")
        assert total(ben) == total(ann) == 1
        for mine, other in ((ann, of_ben), (ben, of_ann)):
            refused(mine.get(f"/api/memories/{other}"), 404, "not_found")
            refused(mine.patch(f"/api/memories/{other}", json={"verdict": "wrong"}), 404, "not_found")
            refused(mine.request("DELETE", f"/api/memories/{other}"), 404, "not_found")
            assert other not in mine.get("/api/export").text
            assert other not in mine.get("/api/audit").text
            assert other not in mine.post("/api/recall", json={"query": "Who keeps the key?"}).text
        first = done(ann.post("/api/erase", json={}))
        refused(ben.post("/api/erase", json={"confirm": first["confirm"]}), 409, "conflict")
        assert done(ann.post("/api/erase", json={"confirm": first["confirm"]}))["state"] == "forgotten"
        assert (total(ann), total(ben)) == (0, 1)


@requirement("http:identity")
def test_headers_that_name_somebody_else_count_for_nothing(house: House, http: httpx2.Client) -> None:
    with serving(house, "ben") as base, calling(base) as ben:
        remember(ben, "Ben keeps the key in the shed.")
    pretended = {
        "x-user-id": "ben", "x-device-id": "d", "x-fingerprint": "f", "x-channel": "wechat",
        "x-forwarded-user": "ben", "x-forwarded-for": "10.0.0.1", "forwarded": "for=10.0.0.1",
    }  # fmt: skip
    assert done(http.get("/api/memories", headers=pretended))["total"] == 0
    response = http.post("/api/memories", json={"statements": ["The van is red."]}, headers=pretended)
    memory = done(http.get(f"/api/memories/{done(response)['results'][0]['memory']['id']}"))
    assert memory["channel"] == "http"
    with serving(house, "ben") as base, calling(base) as ben:
        assert total(ben) == 1


@requirement("http:pages")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
    ],
    ids=["rebinding", "origin", "sandbox", "cross-site", "other-port"],
)
def test_pages_of_elsewhere_get_nothing(http: httpx2.Client, headers: dict[str, str], status: int) -> None:
    remember(http, "Omar prefers tea.")
    for method, path in PATHS:
        answer = refused(
            http.request(method, path, headers=headers, json={} if method == "POST" else None), status, "not_allowed"
        )
        assert "tea" not in json.dumps(answer)
    refused(http.get("/metrics", headers=headers), status, "not_allowed")
    assert total(http) == 1
    for fine in ({"sec-fetch-site": "same-origin"}, {"sec-fetch-site": "none"}, {"origin": "http://localhost:3000"}):
        done(http.get("/api/memories", headers=fine))


@requirement("http:openapi")
def test_the_document_is_served_and_its_paths_are_there(http: httpx2.Client) -> None:
    document = done(http.get("/openapi.json"))
    assert document["openapi"].startswith("3.1")
    listed = {(method.upper(), path) for path, item in document["paths"].items() for method in item}
    for method, path in listed:
        response = http.request(method, path.replace("{id}", "x_1"), json={} if method in ("POST", "PATCH") else None)
        assert response.status_code != 405
        assert str(response.status_code) in document["paths"][path][method.lower()]["responses"]
    of_tests = {(method, path) for method, path in PATHS if path != "/openapi.json"}
    names = {"m_1": "{id}", "q_1": "{id}", "/s/": "/{id}/", "f_1": "{id}"}
    for method, path in of_tests:
        for name, general in names.items():
            path = path.replace(name, general)
        assert (method, path.replace("/sessions/s", "/sessions/{id}")) in listed


@requirement("http:export")
def test_an_export_is_whole_and_comes_back(http: httpx2.Client, tmp_path: Path) -> None:
    for number in range(3):
        done(http.post("/api/memories", json={"said": f"Box {number} is on shelf {number}. " + "苹果🍎" * 6_000}))
    found = done(http.post("/api/recall", json={"query": "Which shelf?"}))
    used = [one["id"] for one in found["memories"][:1]]
    done(http.post("/api/feedback", json={"recall_id": found["recall_id"], "used": used}))
    response = http.get("/api/export")
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/x-ndjson"
    assert response.headers["cache-control"] == "no-store"
    assert "attachment" in response.headers["content-disposition"]
    lines = [json.loads(line) for line in response.text.splitlines()]
    assert (lines[0]["type"], lines[-1]["type"]) == ("header", "end")
    assert lines[-1]["memories"] == total(http)
    assert "feedback" not in {line["type"] for line in lines}
    assert '"type":"feedback"' in http.get("/api/export?feedback=true").text
    refused(http.get("/api/export?feedback=maybe"), 400, "invalid_argument")
    refused(http.get("/api/export?user=ben"), 400, "invalid_argument")
    with open_house(tmp_path / "other") as other:
        report = native.load(other.app.backend, None, Tenancy("ann"), BytesIO(response.content), other.clock.now())
    assert report.complete
    assert (report.created, report.skipped) == (len(lines) - 2, 0)


@requirement("http:erase")
def test_everything_is_erased_in_two_steps(house: House, http: httpx2.Client) -> None:
    assert done(http.post("/api/erase", json={}), schemas.ERASED)["state"] == "kept"  # nothing is there
    remember(http, "The van is at the garage.", "Omar prefers tea.", "Nora prefers coffee.")
    done(http.post("/api/memories", json={"said": "My dentist is in Lyon."}))
    before = total(http)
    narrow = done(http.post("/api/memory/forget", json={"query": "tea"}))
    refused(http.post("/api/erase", json={"confirm": narrow["confirm"]}), 409, "conflict")
    first = done(http.post("/api/erase", json={}), schemas.ERASED)
    assert (first["state"], first["matches"], first["receipts"]) == ("needs_confirmation", before, [])
    assert total(http) == before
    remember(http, "Emil prefers water.")
    error = refused(http.post("/api/erase", json={"confirm": first["confirm"]}), 409, "conflict")
    assert "erase again" in error["next"]
    assert total(http) == before + 1
    again = done(http.post("/api/erase", json={}))
    house.clock.advance(timedelta(seconds=599))  # type: ignore[attr-defined]
    erased = done(http.post("/api/erase", json={"confirm": again["confirm"]}), schemas.ERASED)
    assert erased["state"] == "forgotten"
    assert [one["pending"] for one in erased["receipts"]] == [[]]
    assert total(http) == 0
    refused(http.post("/api/erase", json={"confirm": again["confirm"]}), 409, "conflict")


@requirement("http:audit")
def test_the_audit_log_is_a_chain_that_names_who_did_what(house: House, http: httpx2.Client) -> None:
    assert done(http.get("/api/audit"), schemas.AUDIT)["entries"] == []
    with serving(house, "ben") as base, calling(base) as ben:
        remember(ben, "Ben keeps the key in the shed.")
    ids = [remember(http, f"Box {number} is on shelf {number}.")[0] for number in range(4)]
    done(http.request("DELETE", f"/api/memories/{ids[0]}", headers={"user-agent": "cleaner/2"}))
    entries: list[dict[str, Any]] = []
    query: dict[str, str] = {"limit": "2"}
    while True:
        page = done(http.get("/api/audit", params=query), schemas.AUDIT)
        entries += page["entries"]
        assert len(page["entries"]) <= 2
        if "next_cursor" not in page:
            break
        query["cursor"] = page["next_cursor"]
    assert [one["action"] for one in entries] == ["forget", *["remember"] * 4]
    assert [one["memory_ids"] for one in entries[1:]] == [[one] for one in reversed(ids)]
    assert {one["agent"] for one in entries[1:]} == {"python-httpx2"}
    assert [one["previous"] for one in entries] == [*(one["hash"] for one in entries[1:]), ""]
    assert len(done(http.get("/api/audit?max_chars=200&limit=0"))["entries"]) == 1
    for cursor in ("x", "-1", "1.5", "٣", "9" * 30):
        refused(http.get("/api/audit", params={"cursor": cursor}), 400, "invalid_argument")


@requirement("http:health")
def test_probes_name_each_back_end(house: House, http: httpx2.Client) -> None:
    names = {"ledger", "text", "graph", "vectors", "model"}
    remember(http, "The van is at the garage.")
    assert done(http.get("/healthz")) == {"status": "ok"}
    ready = done(http.get("/readyz"))
    assert (ready["status"], ready["degraded"]) == ("ready", [])
    assert {name: one["state"] for name, one in ready["back_ends"].items()} == dict.fromkeys([*names, "archive"], "ok")
    assert ready["back_ends"]["archive"]["circuit"] == "closed"
    response = http.get("/metrics")
    assert response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    rows = dict(line.rsplit(" ", 1) for line in response.text.splitlines() if not line.startswith("#"))
    for name in names:
        assert rows[f'consented_memory_back_end_up{{back_end="{name}"}}'] == "1"
    counted = 'consented_memory_http_requests_total{method="POST",path="/api/memories",status="200"}'
    assert rows[counted] == "1"
    assert "garage" not in response.text


@requirement("http:told")
async def test_a_listener_over_mcp_hears_of_what_is_changed_over_http(house: House) -> None:
    from mcp import Client

    with serving(house) as base:
        async with Client(f"{base}/mcp") as client, client.listen(resource_subscriptions=["memory://profile"]) as heard:
            with calling(base) as http:
                for change in (
                    lambda: http.post("/api/memories", json={"statements": ["The van is at the garage."]}),
                    lambda: http.post("/api/erase", json={}),
                ):
                    await anyio.to_thread.run_sync(change)
                    with anyio.fail_after(20):
                        event = await anext(aiter(heard))
                    assert isinstance(event, ResourceUpdated)
                    assert event.uri == "memory://profile"
