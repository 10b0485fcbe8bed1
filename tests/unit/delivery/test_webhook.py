"""Posting to a webhook: what is sent, what counts as received, and where nothing is sent."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time

import pytest

from mcp_memory_server.delivery.message import Message, result_in
from mcp_memory_server.delivery.webhook import Webhook, check_url
from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.limits import DELIVERY_BYTES
from tests.fakes import NOON, noon
from tests.unit.delivery.conftest import Receiver


def test_a_message_is_posted_with_its_idempotency_key(receiver: Receiver, message: Message) -> None:
    receiver.answer = lambda: (200, {}, b'{"result": "Seat 12"}')
    assert result_in(Webhook(receiver.url, noon()).send(message)) == "Seat 12"
    (post,) = receiver.posts
    assert post["path"] == "/fired"
    assert post["body"] == {"id": "f_1"}
    assert post["headers"]["idempotency-key"] == post["headers"]["webhook-id"] == "f_1"
    assert post["headers"]["webhook-timestamp"] == str(int(NOON.timestamp()))
    assert "webhook-signature" not in post["headers"]


@pytest.mark.parametrize("secret", ["quiet", "whsec_" + base64.b64encode(b"quiet").decode()])
def test_with_a_secret_the_message_is_signed(receiver: Receiver, message: Message, secret: str) -> None:
    Webhook(receiver.url, noon(), secret).send(message)
    (post,) = receiver.posts
    signed = f"f_1.{int(NOON.timestamp())}.".encode() + post["raw"]
    expected = base64.b64encode(hmac.new(b"quiet", signed, hashlib.sha256).digest()).decode()
    assert post["headers"]["webhook-signature"] == f"v1,{expected}"


@pytest.mark.parametrize("status", [301, 302, 307, 400, 404, 410, 429, 500, 503])
def test_only_2xx_is_received_and_no_redirect_is_followed(receiver: Receiver, message: Message, status: int) -> None:
    receiver.answer = lambda: (status, {"Location": receiver.url + "/elsewhere"}, b"")
    with pytest.raises(UnavailableError, match=str(status)):
        Webhook(receiver.url, noon()).send(message)
    assert [post["path"] for post in receiver.posts] == ["/fired"]


def test_a_receiver_that_does_not_answer_is_given_up(receiver: Receiver, message: Message) -> None:
    def hang() -> tuple[int, dict[str, str], bytes]:
        receiver.release.wait(20)
        return 200, {}, b""

    receiver.answer = hang
    started = time.monotonic()
    with pytest.raises(UnavailableError):
        Webhook(receiver.url, noon(), seconds=0.3).send(message)
    assert time.monotonic() - started < 10


def test_an_endless_answer_is_not_read(receiver: Receiver, message: Message) -> None:
    receiver.answer = lambda: (200, {}, b'{"result": "' + b"x" * (DELIVERY_BYTES * 4) + b'"}')
    assert Webhook(receiver.url, noon()).send(message) == b""


def test_nobody_there_is_unavailable(message: Message) -> None:
    with pytest.raises(UnavailableError):
        Webhook("http://127.0.0.1:9/", noon()).send(message)


def test_proxies_of_the_environment_do_not_see_what_stays_here(
    receiver: Receiver, message: Message, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    Webhook(receiver.url, noon()).send(message)
    assert len(receiver.posts) == 1


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/hook",
        "http://192.168.0.7/hook",
        "http://127.0.0.1.example.org/",
        "ftp://localhost/",
        "file:///etc/passwd",
        "https://user:pass@example.org/",
        "https:///hook",
        "localhost:8000",
        "",
    ],
)
def test_nothing_goes_out_in_the_clear_or_to_what_is_no_address(url: str) -> None:
    with pytest.raises(ValueError, match="webhook"):
        check_url(url)


@pytest.mark.parametrize(
    "url", ["https://example.org/hook", "http://localhost:80/x", "http://127.0.0.1/", "http://[::1]:8000/"]
)
def test_https_and_this_machine_are_taken(url: str) -> None:
    check_url(url)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (b'{"result": "Seat 12"}', "Seat 12"),
        (b"", ""),
        (b"ok", ""),
        (b"[1]", ""),
        (b'{"result": 12}', ""),
        (b'{"ok": true}', ""),
        (b"[" * 100_000, ""),
        ('{"result": "座位 12"}'.encode(), "座位 12"),
        (b'{"result": "' + b"x" * 2_001 + b'"}', ""),
    ],
)
def test_only_a_json_object_with_a_result_says_something_back(answer: bytes, text: str) -> None:
    assert result_in(answer) == text
