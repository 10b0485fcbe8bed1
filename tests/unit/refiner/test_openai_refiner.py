"""The OpenAI-compatible refiner against a local server that speaks the protocol, well and badly."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from mcp_memory_server import limits
from mcp_memory_server.memory.model import Polarity, ValueType
from mcp_memory_server.memory.refining.port import Cause, Choices, Proposal, RefinerError, choices_of
from mcp_memory_server.policy import load_policy
from mcp_memory_server.refiner.openai_compatible import OpenAICompatibleRefiner
from tests.fakes.local_server import send
from tests.fakes.refiners import Endpoint, completion, fact, sending

GOOD = completion({"facts": [fact()]})


@pytest.fixture(scope="module")
def choices() -> Choices:
    return choices_of(load_policy().vocabulary)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    found = Endpoint()
    yield found
    found.close()


def refiner(endpoint: Endpoint | str, **more: Any) -> OpenAICompatibleRefiner:
    url = endpoint if isinstance(endpoint, str) else endpoint.url
    return OpenAICompatibleRefiner(url, "some-model", **({"seconds": 60.0} | more))


def cause(found: pytest.ExceptionInfo[RefinerError]) -> Cause:
    assert found.value.code == "unavailable"
    return found.value.cause


def test_a_good_answer_gives_proposals(endpoint: Endpoint, choices: Choices) -> None:
    endpoint.answer = sending(200, GOOD)
    assert refiner(endpoint).propose("I dwell in Galway.", choices) == (
        Proposal("I dwell in Galway", "user", "lives_in", ValueType.ENTITY, "Galway", Polarity.POSITIVE),
    )
    assert endpoint.paths == ["/v1/chat/completions"]


def test_nothing_found_is_a_good_answer_too(endpoint: Endpoint, choices: Choices) -> None:
    assert refiner(endpoint).propose("It rained.", choices) == ()


def test_what_is_asked_is_the_text_and_closed_lists(endpoint: Endpoint, choices: Choices) -> None:
    refiner(endpoint, api_key="k-secret").propose("我把青岛当成家。", choices)
    asked = endpoint.asked[0]
    assert asked["model"] == "some-model"
    assert asked["temperature"] == 0
    assert asked["messages"][-1] == {"role": "user", "content": "我把青岛当成家。"}
    wanted = asked["response_format"]["json_schema"]
    assert wanted["strict"] is True
    assert wanted["schema"]["additionalProperties"] is False
    one = wanted["schema"]["properties"]["facts"]["items"]
    assert one["additionalProperties"] is False
    assert sorted(one["required"]) == sorted(one["properties"])
    assert set(one["properties"]["predicate"]["enum"]) == {item.name for item in choices.predicates}
    assert one["properties"]["polarity"]["enum"] == ["positive", "negative"]
    assert one["properties"]["quote"]["maxLength"] == len("我把青岛当成家。")
    assert "user.mother" in one["properties"]["subject"]["enum"]
    assert endpoint.headers[0]["Authorization"] == "Bearer k-secret"
    assert b"k-secret" not in endpoint.raw[0]


def test_half_a_surrogate_pair_is_no_reason_to_fail(endpoint: Endpoint, choices: Choices) -> None:
    refiner(endpoint).propose("I call Galway \ud83d home.", choices)
    assert endpoint.asked[0]["messages"][-1]["content"] == "I call Galway ? home."


WRAPPED = {
    "a fence around it": "```json\n{}\n```",
    "a fence without its end": "```\n{}",
    "chatter with braces before and after it": "Using the {{format}} you asked for: {} Hope {{this}} helps.",
    "another object before it": '{{"thoughts": {{"facts": 2}}}} {}',
}


@pytest.mark.parametrize("name", WRAPPED)
def test_what_stands_around_an_answer_is_passed_over(endpoint: Endpoint, choices: Choices, name: str) -> None:
    told = fact(quote="I dwell in ```sql fences, in Galway", value="```sql fences")
    content = WRAPPED[name].format(json.dumps({"facts": [told]}))
    endpoint.answer = sending(200, completion(content))
    (found,) = refiner(endpoint).propose("I dwell in ```sql fences, in Galway.", choices)
    assert (found.quote, found.value) == (told["quote"], "```sql fences")


WRONG = {
    "an item with an extra field": completion({"facts": [fact(confidence=1)]}),
    "an answer with an extra field": completion({"facts": [], "note": "hi"}),
    "a field that is missing": completion({"facts": [{k: v for k, v in fact().items() if k != "quote"}]}),
    "a predicate of its own": completion({"facts": [fact(predicate="is_admin")]}),
    "a person of its own": completion({"facts": [fact(subject="root")]}),
    "a type of its own": completion({"facts": [fact(value_type="blob")]}),
    "a polarity of its own": completion({"facts": [fact(polarity="maybe")]}),
    "a number for a text": completion({"facts": [fact(value=7)]}),
    "null for a text": completion({"facts": [fact(value=None)]}),
    "an empty value": completion({"facts": [fact(value="")]}),
    "a value without end": completion({"facts": [fact(value="x" * (limits.REFINER_VALUE_CHARS + 1))]}),
    "more facts than asked for": completion({"facts": [fact()] * (limits.REFINER_FACTS + 1)}),
    "a list": completion([fact()]),
    "a bare fact": completion(fact()),
    "a completion without choices": {"choices": []},
    "an error in a 200": {"error": {"message": "no"}},
    "content that is no text": {"choices": [{"message": {"content": [{"type": "text", "text": "{}"}]}}]},
    "a list for a completion": [1, 2, 3],
}
NO_JSON = {
    "words": completion("Sure! Here are the facts."),
    "a name given twice in a fence": completion('```json\n{"facts": [], "facts": []}\n```'),
    "braces without end in chatter": completion("see {" * 3_000),
    "an answer cut off": completion('{"facts": [{"quote": "I call Gal'),
    "a name given twice": completion('{"facts": [], "facts": []}'),
    "no number": completion('{"facts": NaN}'),
    "an empty text": completion(""),
    "no JSON at all": b"<html>502</html>",
    "no UTF-8": b'{"choices": "\xff\xfe"}',
    "nothing": b"",
    "brackets without end": b"[" * 60_000,
    "brackets without end in the text": completion('{"facts": ' + "[" * 30_000),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_answer_that_breaks_the_schema_is_not_used_at_all(endpoint: Endpoint, choices: Choices, name: str) -> None:
    endpoint.answer = sending(200, WRONG[name])
    with pytest.raises(RefinerError) as found:
        refiner(endpoint).propose("I dwell in Galway.", choices)
    assert cause(found) is Cause.WRONG_SHAPE


@pytest.mark.parametrize("name", NO_JSON)
def test_an_answer_that_is_no_json_is_not_used(endpoint: Endpoint, choices: Choices, name: str) -> None:
    endpoint.answer = sending(200, NO_JSON[name])
    with pytest.raises(RefinerError) as found:
        refiner(endpoint).propose("I dwell in Galway.", choices)
    assert cause(found) is Cause.NOT_JSON


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
def test_another_status_is_told(endpoint: Endpoint, choices: Choices, status: int) -> None:
    endpoint.answer = sending(status, GOOD)
    with pytest.raises(RefinerError, match=str(status)) as found:
        refiner(endpoint).propose("x", choices)
    assert cause(found) is Cause.STATUS


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(endpoint: Endpoint, choices: Choices, status: int) -> None:
    endpoint.answer = sending(status, b"", Location=f"{endpoint.url}/elsewhere")
    with pytest.raises(RefinerError) as found:
        refiner(endpoint).propose("I dwell in Galway.", choices)
    assert cause(found) is Cause.REDIRECT
    assert endpoint.paths == ["/v1/chat/completions"]


def test_a_huge_answer_is_cut_off(endpoint: Endpoint, choices: Choices) -> None:
    sent = []

    def flood(handler: BaseHTTPRequestHandler, _asked: dict[str, Any]) -> None:
        handler.send_response(200)
        handler.end_headers()
        for _ in range(2_000):
            handler.wfile.write(b" " * 65_536)
            sent.append(1)

    endpoint.answer = flood
    with pytest.raises(RefinerError) as found:
        refiner(endpoint).propose("x", choices)
    assert cause(found) is Cause.TOO_LARGE
    assert len(sent) < 2_000


def test_a_compressed_answer_is_refused(endpoint: Endpoint, choices: Choices) -> None:
    import gzip

    body = gzip.compress(json.dumps(GOOD).encode())
    endpoint.answer = sending(200, body, Content_Encoding="gzip")
    with pytest.raises(RefinerError) as found:
        refiner(endpoint).propose("x", choices)
    assert cause(found) is Cause.NOT_JSON
    assert endpoint.headers[0]["Accept-Encoding"] == "identity"


def test_a_slow_answer_is_not_waited_for(endpoint: Endpoint, choices: Choices) -> None:
    endpoint.answer = lambda handler, _asked: (endpoint.release.wait(20), send(handler, 200, b"{}"))[1]
    begun = time.monotonic()
    with pytest.raises(RefinerError) as found:
        refiner(endpoint, seconds=0.2).propose("x", choices)
    assert cause(found) is Cause.TIMEOUT
    assert time.monotonic() - begun < 10


def test_a_dripping_answer_is_not_waited_for_either(endpoint: Endpoint, choices: Choices) -> None:
    def drip(handler: BaseHTTPRequestHandler, _asked: dict[str, Any]) -> None:
        handler.send_response(200)
        handler.end_headers()
        while not endpoint.release.wait(0.02):
            handler.wfile.write(b" ")
            handler.wfile.flush()

    endpoint.answer = drip
    begun = time.monotonic()
    with pytest.raises(RefinerError) as found:
        refiner(endpoint, seconds=0.3).propose("x", choices)
    assert cause(found) is Cause.TIMEOUT
    assert time.monotonic() - begun < 10


def test_nobody_listening_is_told(choices: Choices) -> None:
    with pytest.raises(RefinerError) as found:
        refiner("http://127.0.0.1:9/v1").propose("x", choices)
    assert cause(found) is Cause.UNREACHABLE


def test_a_connection_that_breaks_is_told(endpoint: Endpoint, choices: Choices) -> None:
    endpoint.answer = lambda handler, _asked: handler.connection.close()
    with pytest.raises(RefinerError) as found:
        refiner(endpoint).propose("x", choices)
    assert cause(found) is Cause.UNREACHABLE


def test_only_so_many_questions_wait_at_a_time(endpoint: Endpoint, choices: Choices) -> None:
    endpoint.answer = lambda handler, _asked: (
        endpoint.release.wait(20),
        send(handler, 200, json.dumps(GOOD).encode()),
    )[1]
    model = refiner(endpoint, seconds=60.0)
    answers: list[Any] = []
    threads = [
        threading.Thread(target=lambda: answers.append(model.propose("x", choices)))
        for _ in range(limits.REFINER_PARALLEL)
    ]
    for thread in threads:
        thread.start()
    while len(endpoint.asked) < limits.REFINER_PARALLEL:
        time.sleep(0.01)
    with pytest.raises(RefinerError) as found:
        model.propose("x", choices)
    assert cause(found) is Cause.BUSY
    endpoint.release.set()
    for thread in threads:
        thread.join()
    assert [len(one) for one in answers] == [1] * limits.REFINER_PARALLEL
    assert len(model.propose("x", choices)) == 1


def test_after_failures_it_is_left_alone_for_a_while(endpoint: Endpoint, choices: Choices) -> None:
    now = [1_000.0]
    endpoint.answer = sending(500, {})
    model = refiner(endpoint, monotonic=lambda: now[0])
    for _ in range(limits.REFINER_FAILURES):
        with pytest.raises(RefinerError):
            model.propose("x", choices)
    endpoint.answer = sending(200, GOOD)
    with pytest.raises(RefinerError) as found:
        model.propose("x", choices)
    assert cause(found) is Cause.PAUSED
    assert len(endpoint.asked) == limits.REFINER_FAILURES
    now[0] += limits.REFINER_PAUSE_SECONDS
    assert len(model.propose("x", choices)) == 1


def test_no_message_tells_the_key_or_the_text(endpoint: Endpoint, choices: Choices) -> None:
    texts = []
    for answer in (sending(500, {}), sending(200, WRONG["a list"]), sending(200, NO_JSON["words"])):
        endpoint.answer = answer
        with pytest.raises(RefinerError) as found:
            refiner(endpoint, api_key="k-secret").propose("my private words", choices)
        texts.append(str(found.value))
    assert not any("k-secret" in text or "private" in text for text in texts)
