"""What is published. Threat rows: audience confusion (Host is never used), key substitution, private key material."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.applications import Starlette

from credentials.did.document import ASSERTION, AUTHENTICATION
from credentials.did.web import document_url, web_document
from credentials.encoding import b64url_encode, json_object
from credentials.errors import CredentialError
from credentials.issuer_keys import metadata_url, parse_metadata
from federation.agent_card import EXTENSION, check_card
from federation.app import create_app
from federation.errors import ConfigurationError, MessageError, SignatureError
from federation.identity import Identity, purpose_of
from federation.openid_metadata import Issuing
from federation.routes.discovery import Discovery
from tests.federation.world import NOW, RingVault, calling, identity_for, settings_for, vault_for

HOST = "wealth.example"
VCT = f"https://{HOST}/vct/memory/v1"
PATHS = [
    "/.well-known/did.json",
    "/agents/wealth/did.json",
    "/agents/health/did.json",
    "/.well-known/jwt-vc-issuer",
    "/.well-known/jwt-vc-issuer/agents/wealth",
    "/.well-known/openid-credential-issuer/agents/wealth",
    "/.well-known/oauth-authorization-server/agents/wealth",
    "/.well-known/agent-card.json",
    "/agents/health/.well-known/agent-card.json",
]


@pytest.fixture
def vault() -> RingVault:
    return vault_for("wealth", "health")


@pytest.fixture
def identity(vault: RingVault) -> Identity:
    return Identity(settings_for(HOST, "wealth", "health"), vault)


@pytest.fixture
def app(identity: Identity) -> Starlette:
    issuing = Issuing({"memory": VCT}, batch_size=8)
    return create_app(Discovery(identity, vcts=[VCT], issuing=issuing).routes())


async def got(app: Starlette, path: str, **headers: str) -> Any:
    async with calling(app) as client:
        answer = await client.get(path, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer


def path_of(url: str) -> str:
    assert url.startswith(f"https://{HOST}/")
    return url.removeprefix(f"https://{HOST}")


async def test_each_did_web_leads_to_its_document(app: Starlette, identity: Identity) -> None:
    for agent in (None, "wealth", "health"):
        did = identity.did(agent)
        answer = await got(app, path_of(document_url(did)))
        assert answer.headers["content-type"] == "application/did+json"
        read = web_document(did, answer.content)
        (url,) = read.urls(AUTHENTICATION)
        assert read.key(url, AUTHENTICATION) == identity.signer(agent).public
        assert url == identity.signer(agent).kid


async def test_issuer_metadata_shows_the_same_keys(app: Starlette, identity: Identity) -> None:
    for agent, issuer in ((None, f"https://{HOST}"), ("wealth", f"https://{HOST}/agents/wealth")):
        answer = await got(app, path_of(metadata_url(issuer)))
        kid = str(identity.signer(agent).kid).partition("#")[2]
        assert parse_metadata(answer.content, issuer).key(kid) == identity.signer(agent).public


async def test_openid_metadata_at_the_right_paths(app: Starlette) -> None:
    url = f"https://{HOST}/agents/wealth"
    issuer = (await got(app, "/.well-known/openid-credential-issuer/agents/wealth")).json()
    assert issuer["credential_issuer"] == url
    assert issuer["credential_endpoint"] == f"{url}/credential"
    assert issuer["nonce_endpoint"] == f"{url}/nonce"
    assert issuer["batch_credential_issuance"] == {"batch_size": 8}
    memory = issuer["credential_configurations_supported"]["memory"]
    assert (memory["format"], memory["vct"]) == ("dc+sd-jwt", VCT)
    server = (await got(app, "/.well-known/oauth-authorization-server/agents/wealth")).json()
    assert server["issuer"] == url
    assert server["token_endpoint"] == f"{url}/token"
    for path in ("/agents/wealth/.well-known/openid-credential-issuer", "/.well-known/openid-credential-issuer"):
        async with calling(app) as client:
            assert (await client.get(path)).status_code == 404


async def test_a_gateway_that_does_not_issue_publishes_no_such_metadata(identity: Identity) -> None:
    async with calling(create_app(Discovery(identity).routes())) as client:
        for name in ("openid-credential-issuer", "oauth-authorization-server"):
            assert (await client.get(f"/.well-known/{name}/agents/wealth")).status_code == 404


@pytest.mark.parametrize("path", PATHS)
async def test_the_host_field_is_never_used(app: Starlette, path: str) -> None:
    """Threat row: audience confusion. Whatever a proxy or an attacker says, the documents are the same."""
    plain = await got(app, path)
    for headers in (
        {"host": "evil.example"},
        {"x-forwarded-host": "evil.example", "x-forwarded-proto": "http", "forwarded": "host=evil.example"},
    ):
        assert (await got(app, path, **headers)).content == plain.content
    assert b"evil" not in plain.content


@pytest.mark.parametrize("path", PATHS)
async def test_documents_may_be_kept_and_asked_for_again(app: Starlette, path: str) -> None:
    first = await got(app, path)
    assert first.headers["cache-control"] == "public, max-age=300"
    assert first.headers["access-control-allow-origin"] == "*"
    assert "set-cookie" not in first.headers
    async with calling(app) as client:
        for known in (first.headers["etag"], f'"other", W/{first.headers["etag"]}'):
            again = await client.get(path, headers={"if-none-match": known})
            assert (again.status_code, again.content) == (304, b"")
            assert again.headers["etag"] == first.headers["etag"]
        assert (await client.get(path, headers={"if-none-match": '"other"'})).status_code == 200
        head = await client.head(path)
        assert (head.status_code, head.content) == (200, b"")


@pytest.mark.parametrize("path", PATHS)
async def test_nothing_private_is_published(app: Starlette, vault: RingVault, path: str) -> None:
    content = (await got(app, path)).content
    for stored in vault.ring:
        assert b64url_encode(stored.key.secret).encode() not in content
    assert b'"d"' not in content


@pytest.mark.parametrize(
    "path", ["/", "/agents", "/agents/wealth", "/agents/other/did.json", "/agents/WEALTH/did.json", "/agents//did.json",
             "/agents/wealth/did.json/", "/.well-known/jwt-vc-issuer/agents/other", "/agents/%2e%2e/did.json",
             "/agents/wealth%2fx/did.json"],
)  # fmt: skip
async def test_what_is_not_there_looks_the_same(app: Starlette, path: str) -> None:
    """Threat row: cross-tenant leak; a 404 of constant shape."""
    async with calling(app) as client:
        answer = await client.get(path)
    assert answer.status_code == 404
    assert answer.json() == {"error": {"code": "not_found", "message": "there is nothing at this address"}}
    assert answer.headers["cache-control"] == "no-store"


async def test_documents_are_only_read(app: Starlette) -> None:
    async with calling(app) as client:
        answer = await client.post("/.well-known/did.json", content=b"{}")
    assert answer.status_code == 405
    assert set(answer.headers["allow"].replace(" ", "").split(",")) == {"GET", "HEAD"}


# --- rotation -------------------------------------------------------------------------------------------
async def test_an_old_key_still_asserts_and_no_longer_speaks(
    app: Starlette, identity: Identity, vault: RingVault
) -> None:
    old = str(identity.signer("wealth").kid)
    card = (await got(app, "/.well-known/agent-card.json")).json()
    vault.ring.rotate(purpose_of("wealth"), now=NOW + 1)
    identity.reload()
    document = identity.parsed("wealth")
    assert document.key(old, ASSERTION)
    with pytest.raises(CredentialError, match="did_key_relationship"):
        document.key(old, AUTHENTICATION)
    renewed = (await got(app, "/.well-known/agent-card.json")).json()
    assert renewed["signatures"] != card["signatures"]
    check_card(renewed, document)
    check_card(card, document)
    vault.ring.revoke(old.partition("#")[2], now=NOW + 2)
    identity.reload()
    with pytest.raises(SignatureError, match="signature_invalid"):
        check_card(card, identity.parsed("wealth"))


def test_an_agent_without_a_key_is_not_served() -> None:
    with pytest.raises(ConfigurationError, match="config_agent"):
        Identity(settings_for(HOST, "wealth", "health"), vault_for("wealth"))
    with pytest.raises(MessageError, match="agent_unknown"):
        identity_for(HOST, "wealth").did("other")


# --- cards ----------------------------------------------------------------------------------------------
async def test_a_card_is_signed_and_carries_the_extension(app: Starlette, identity: Identity) -> None:
    card = json_object((await got(app, "/agents/health/.well-known/agent-card.json")).content)
    check_card(card, identity.parsed("health"))
    (extension,) = card["capabilities"]["extensions"]
    assert extension["uri"] == EXTENSION
    assert extension["params"] == {
        "did": f"did:web:{HOST}:agents:health",
        "inbox": f"https://{HOST}/agents/health/inbox",
        "issuer": f"https://{HOST}/agents/health",
        "formats": ["dc+sd-jwt"],
        "vctValues": [VCT],
    }


def changed(card: dict[str, Any], **change: Any) -> dict[str, Any]:
    return json.loads(json.dumps(card)) | change


async def test_a_changed_card_is_refused(app: Starlette, identity: Identity) -> None:
    card = (await got(app, "/.well-known/agent-card.json")).json()
    document = identity.parsed("wealth")
    check_card(changed(card, documentationUrl="", iconUrl=""), document)  # what is empty is not there
    for change, code in (
        ({"name": "Wealthy"}, "signature_invalid"),
        ({"extra": "x"}, "signature_invalid"),
        ({"signatures": []}, "signature_missing"),
        ({"signatures": ["x"]}, "signature_malformed"),
        ({"signatures": [{"protected": "e30", "signature": "AAAA"}]}, "signature_missing"),
        ({"signatures": card["signatures"] * 9}, "signature_missing"),
        ({"number": 2**60}, "signature_malformed"),
    ):
        with pytest.raises(SignatureError) as found:
            check_card(changed(card, **change), document)
        assert found.value.code == code, change


async def test_a_card_signed_by_another_agent_is_refused(app: Starlette, identity: Identity) -> None:
    """Threat row: key substitution. The kid has to be one of the identifier that the card is about."""
    card = (await got(app, "/.well-known/agent-card.json")).json()
    with pytest.raises(SignatureError, match="signature_missing"):
        check_card(card, identity.parsed("health"))
