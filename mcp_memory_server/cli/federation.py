"""`memory-federation`: identity, inspect and verify. The gateway's own commands come with the federation."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from credentials.algorithms import KeyType
from credentials.did.document import build_document
from credentials.did.local import did_jwk
from credentials.did.web import did_web
from credentials.encoding import b64url_decode, json_decode
from credentials.errors import ConfigurationError, CredentialError, MalformedError
from credentials.formats import Format, detect
from credentials.issuer_keys import build_metadata
from credentials.jws import parse as parse_jws
from credentials.limits import MAX_STATUS_TOKEN_BYTES
from credentials.sd_jwt import SdJwt, process
from credentials.sd_jwt import parse as parse_sd_jwt
from credentials.sd_jwt.json_form import is_json_form, parse_signatures
from mcp_memory_server.cli.options import Config, DataDir, Json
from mcp_memory_server.cli.output import harmless, prepare_streams
from mcp_memory_server.clock import SystemClock
from mcp_memory_server.errors import MemoryServerError
from mcp_memory_server.keys.sealed_file import SealedFileVault
from mcp_memory_server.keys.verifier import read_limited, verify_file
from mcp_memory_server.settings import load

PROGRAM = "memory-federation"
ISSUER = "issuer"
_VARIABLE = "MEMORY_VAULT_PASSPHRASE"

File = Annotated[Path, typer.Argument(metavar="FILE", help="A credential, presentation, status list or DID log.")]


def _now() -> int:
    return int(SystemClock().now().timestamp())


# --- identity ----------------------------------------------------------------------------------------
def _folder(config: Path | None, data_dir: Path | None) -> Path:
    return load({"data_dir": data_dir}, config=config).data_dir / "identity"


def open_vault(folder: Path) -> SealedFileVault:
    """The vault of an identity: a passphrase from the environment or a file, else the system's keyring."""
    passphrase = os.environ.get(_VARIABLE, "")
    file = os.environ.get(f"{_VARIABLE}_FILE")
    if file:
        passphrase = Path(file).read_text(encoding="utf-8").strip()
    from mcp_memory_server.bootstrap import key_vault  # here: most commands need no vault, and start sooner

    try:
        return key_vault(folder, passphrase)
    except ConfigurationError as error:
        hint = f"set {_VARIABLE}_FILE to a file with a passphrase, or install the extra 'keyring'"
        raise ConfigurationError(error.code, error.message, hint=hint) from error


def describe(folder: Path, vault: SealedFileVault) -> dict[str, Any]:
    """What the identity publishes: identifier, DID document, keys, and metadata where it has a host."""
    stored = vault.stored(ISSUER)
    if not stored:
        raise ConfigurationError("key_not_found", hint=f"{PROGRAM} identity create")
    place = folder / "identity.json"
    web: dict[str, Any] | None = json.loads(place.read_text(encoding="utf-8")) if place.is_file() else None
    active, *retired = stored
    did = did_web(web["host"], *web["path"], port=web["port"]) if web else did_jwk(active.key.public)
    answer: dict[str, Any] = {
        "did": did,
        "keys": [
            {"name": k.name, "type": k.key.key_type.value, "state": k.state.value, "created": k.created} for k in stored
        ],
    }
    if web is None:
        return answer  # a did:jwk is its own document
    answer["document"] = build_document(
        did,
        [(active.name, active.key.public)],
        retired=[(k.name, k.key.public) for k in retired],
    )
    origin = f"https://{web['host']}" + (f":{web['port']}" if web["port"] else "")
    issuer = "/".join((origin, *web["path"]))
    answer["issuer_metadata"] = build_metadata(issuer, {k.name: k.key.public for k in stored})
    return answer


def _print(value: dict[str, Any], lines: list[str], as_json: bool) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=2) if as_json else "\n".join(map(harmless, lines))
    sys.stdout.write(text + "\n")


def _show(config: Path | None, data_dir: Path | None, as_json: bool) -> None:
    folder = _folder(config, data_dir)
    value = describe(folder, open_vault(folder))
    lines = [value["did"], *(f"  {key['name']}  {key['type']}  {key['state']}" for key in value["keys"])]
    _print(value, lines, as_json)


def _split_web(web: str) -> dict[str, Any]:
    authority, *path = web.rstrip("/").split("/")
    host, _, port = authority.partition(":")
    if port and not port.isdigit():
        raise ConfigurationError("config_invalid", "the port is not a number")
    parts: dict[str, Any] = {"host": host, "port": int(port) if port else None, "path": path}
    did_web(host, *path, port=parts["port"])  # refuses what could not be resolved later
    return parts


def identity_show(config: Config = None, data_dir: DataDir = None, as_json: Json = False) -> None:
    """Show the identifier, its keys and, with --json, the DID document and issuer metadata."""
    _show(config, data_dir, as_json)


def identity_create(
    web: Annotated[
        str | None, typer.Option("--web", metavar="HOST[:PORT][/PATH]", help="Where the DID document is served.")
    ] = None,
    ed25519: Annotated[bool, typer.Option("--ed25519", help="An Ed25519 key instead of P-256.")] = False,
    config: Config = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Make the issuer's first key; with --web as did:web, else as did:jwk."""
    folder = _folder(config, data_dir)
    vault = open_vault(folder)
    if vault.stored(ISSUER):
        raise ConfigurationError("config_invalid", "there is an identity", hint=f"{PROGRAM} identity rotate")
    if web:
        place = _split_web(web)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "identity.json").write_text(json.dumps(place), encoding="utf-8")
    vault.rotate(ISSUER, now=_now(), key_type=KeyType.ED25519 if ed25519 else KeyType.P256)
    _show(config, data_dir, as_json)


def identity_rotate(
    drop_before: Annotated[
        int | None,
        typer.Option("--drop-retired-days", metavar="DAYS", help="Forget keys that were retired that long ago."),
    ] = None,
    config: Config = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Make a new key; the old one verifies until it is dropped. A did:jwk changes with its key."""
    vault = open_vault(_folder(config, data_dir))
    old = vault.ring().active(ISSUER)
    now = _now()
    with vault.change() as ring:
        ring.rotate(ISSUER, now=now, key_type=old.key.key_type)
        if drop_before is not None:
            ring.drop_retired(before=now - drop_before * 86_400)
    _show(config, data_dir, as_json)


# --- inspect -----------------------------------------------------------------------------------------
def inspect_text(text: str) -> dict[str, Any]:
    """What a file says, decoded and not believed: nothing of it has been verified."""
    if text.startswith("{") and "\n{" in text:
        entries = [json_decode(line) for line in text.splitlines()]
        return {"format": "did:webvh log", "verified": False, "entries": entries}
    if text.startswith(("{", "[")):
        document = json_decode(text)
        if isinstance(document, dict) and is_json_form(document):
            return _inspect_sd_jwt(Format.SD_JWT_JSON, parse_signatures(text, typ=None))
        kind = detect(text).value if isinstance(document, dict) and "proof" in document else "json"
        return {"format": kind, "verified": False, "document": document}
    if "~" in text:
        return _inspect_sd_jwt(Format.SD_JWT_VC, (parse_sd_jwt(text, typ=None),))
    jws = parse_jws(text, typ=None, limit=MAX_STATUS_TOKEN_BYTES)
    kind = str(jws.header.get("typ", "JWT"))
    claims = jws.claims()
    if kind == "statuslist+jwt" and isinstance(claims.get("status_list"), dict):
        packed = str(claims["status_list"].get("lst", ""))
        claims["status_list"] = {**claims["status_list"], "lst": f"({len(b64url_decode(packed))} bytes)"}
    return {"format": kind, "verified": False, "header": jws.header, "claims": claims}


def _inspect_sd_jwt(kind: Format, tokens: tuple[SdJwt, ...]) -> dict[str, Any]:
    token = tokens[0]
    shown = process(token.jws.claims(), token.disclosures)
    value: dict[str, Any] = {"format": kind.value, "verified": False, "header": token.jws.header}
    value["claims"] = shown.claims
    value["disclosed"] = [list(path) for path in shown.paths.values()]
    if len(tokens) > 1:  # only the JSON form has several; verify refuses them
        value["headers"] = [each.jws.header for each in tokens]
    if token.key_binding:
        binding = parse_jws(token.key_binding, typ=None)
        value["key_binding"] = {"header": binding.header, "claims": binding.claims()}
    return value


def inspect(file: File, config: Config = None, data_dir: DataDir = None, as_json: Json = False) -> None:
    """Show what a credential says. Nothing is verified."""
    value = inspect_text(_read(file).strip())
    shown = json.dumps(
        {k: v for k, v in value.items() if k not in ("format", "verified")}, ensure_ascii=False, indent=2
    )
    _print(value, [f"{value['format']} (not verified)", shown], as_json)


def _read(file: Path) -> str:
    try:
        return read_limited(file).decode("utf-8")
    except UnicodeDecodeError as error:
        raise MalformedError("malformed", "not UTF-8") from error
    except OSError as error:
        raise typer.BadParameter(f"cannot read {file}: {error.strerror}") from error


# --- verify ------------------------------------------------------------------------------------------
def verify(
    file: File,
    policy: Annotated[
        Path | None, typer.Option("--policy", metavar="P", help="Whom to trust, as TOML or JSON; default: nobody.")
    ] = None,
    nonce: Annotated[str | None, typer.Option("--nonce", metavar="N", help="The nonce that was asked for.")] = None,
    aud: Annotated[str | None, typer.Option("--aud", metavar="A", help="The audience: this verifier's name.")] = None,
    config: Config = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Verify a credential, presentation, status list or DID log; every check is shown."""
    data = _read(file)
    try:
        answer = verify_file(data, policy, nonce=nonce, audience=aud, now=_now())
    except CredentialError as error:  # the policy itself is not usable
        answer = {"ok": False, "code": error.code, "checks": [], "detail": error.message}
    lines = [
        f"{'ok     ' if check['ok'] else 'refused'} {check['name']}"
        + (f": {check['code']}" if "code" in check else f" ({check['detail']})" if "detail" in check else "")
        for check in answer["checks"]
    ]
    _print(answer, [*lines, "accepted" if answer["ok"] else f"refused: {answer['code']}"], as_json)
    if not answer["ok"]:
        sys.stderr.write(f"{answer['code']}: see docs/guide/credentials.md, section Codes\n")
        raise typer.Exit(1)


# --- the program ---------------------------------------------------------------------------------------
def build() -> typer.Typer:
    """The commands in the order in which help shows them."""
    app = typer.Typer(
        name=PROGRAM,
        help="Share memories between agents as verifiable credentials.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    identity = typer.Typer(help="The issuer's identifier and keys.", no_args_is_help=True)
    identity.command("show")(identity_show)
    identity.command("create")(identity_create)
    identity.command("rotate")(identity_rotate)
    app.add_typer(identity, name="identity")
    app.command("inspect")(inspect)
    app.command("verify")(verify)
    return app


def run(arguments: list[str]) -> int:
    """Run a command line; answers the exit code: 0 done, 1 failed, 2 wrong use."""
    prepare_streams()
    command: Any = typer.main.get_command(build())
    try:
        code = command.main(args=arguments, prog_name=PROGRAM, standalone_mode=False)
    except CredentialError as error:
        return _failed(f"{error.code}: {error.message}", error.hint)
    except MemoryServerError as error:
        return _failed(str(error), None)
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except Exception as error:
        if not hasattr(error, "format_message"):  # only errors of the command line itself have one
            raise
        sys.stderr.write(harmless(error.format_message()) + f". See {PROGRAM} --help\n")
        return 2
    return code if isinstance(code, int) else 0


def _failed(text: str, hint: str | None) -> int:
    sys.stderr.write(harmless(text) + (f". {hint}" if hint else "") + "\n")
    return 1


def main() -> None:
    """Entry point."""
    raise SystemExit(run(sys.argv[1:]))
