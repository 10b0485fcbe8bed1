"""Credentials: process CPU time per operation, warm, against the raw floor of the same run.

    python -m benchmarks.credentials [--seconds S] [--json]

Floors are what no implementation can go below: one ES256 signature for issuing; two ES256
verifications, the JSON and the SHA-256 of the same presentation for verifying; one Ed25519
verification with its canonicalization and hashes for a JCS proof. Ratios are what to compare: absolute
numbers move with the machine. Peers are measured when they are installed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from credentials.algorithms import KeyType
from credentials.data_integrity.contexts import VCDM2
from credentials.data_integrity.jcs import canonicalize
from credentials.data_integrity.proof import check_form, create_proof, verify_proof
from credentials.did.document import DidDocument
from credentials.did.local import did_key_url
from credentials.did.webvh import verify_log
from credentials.encoding import b64url_decode, b64url_encode
from credentials.errors import CredentialError
from credentials.issuer_keys import IssuerKeys, parse_metadata
from credentials.keys import PrivateKey
from credentials.limits import MAX_TOKEN_BYTES
from credentials.policy import VerificationPolicy
from credentials.sd_jwt import KeyBindingRequest, issue, present
from credentials.sd_jwt.key_binding import KeyBindingPolicy
from credentials.status import token_list
from credentials.status.bits import StatusList
from credentials.trust import TrustList
from credentials.vault import LocalSigner
from credentials.verify import verify

ISSUER, VCT = "https://memory.example", "https://memory.example/vct/memory/v1"
AUDIENCE, NONCE = "https://verifier.example", "nonce-0123456789"
NAMES = [f"claim_{number}" for number in range(8)]
ROUNDS = 25
MALFORMED_BYTES = 2**20


def _count(action: Callable[[], Any], seconds: float) -> int:
    """How many calls take long enough to be measured; warms up on the way."""
    count = 1
    while True:
        start = time.process_time()
        for _ in range(count):
            action()
        if time.process_time() - start > seconds / ROUNDS:
            return count
        count *= 2


def cpu(*actions: Callable[[], Any], seconds: float) -> list[float]:
    """Microseconds of process CPU per call, the fastest of many short rounds that take turns.

    The fastest, since other work on the machine only ever adds; taking turns, since where a machine's
    speed drifts, figures taken one after the other cannot be compared.
    """
    counts = [_count(action, seconds) for action in actions]
    rounds: list[list[float]] = [[] for _ in actions]
    for _ in range(ROUNDS):
        for action, count, found in zip(actions, counts, rounds, strict=True):
            start = time.process_time()
            for _ in range(count):
                action()
            found.append((time.process_time() - start) / count * 1e6)
    return [min(found) for found in rounds]


class Case:
    """The same work for us, for the floor and for the peers: eight hidden claims, key binding, ES256."""

    def __init__(self) -> None:
        self.now = int(time.time())
        self.issuer, self.holder = PrivateKey.generate(), PrivateKey.generate()
        self.signer, self.holder_signer = LocalSigner(self.issuer, "k1"), LocalSigner(self.holder)
        self.claims = {
            "iss": ISSUER,
            "iat": self.now,
            "exp": self.now + 3_600,
            "vct": VCT,
            "cnf": {"jwk": self.holder.public.to_jwk()},
            **{name: f"the value of {name}" for name in NAMES},
        }
        self.paths = [(name,) for name in NAMES]
        self.token = self.issue()
        request = KeyBindingRequest(AUDIENCE, NONCE, self.now)
        self.presented = present(self.token, self.paths, signer=self.holder_signer, request=request)
        self.policy = VerificationPolicy(
            issuers=TrustList({ISSUER: [VCT]}),
            issuer_keys={ISSUER: IssuerKeys(ISSUER, {"k1": self.issuer.public})},
            key_binding=KeyBindingPolicy(AUDIENCE, NONCE),
        )

    def issue(self) -> str:
        return issue(self.claims, self.paths, self.signer, rng=secrets.token_bytes)

    def verify(self) -> None:
        if not verify(self.presented, self.policy, now=self.now).ok:
            raise AssertionError("the benchmark's own presentation is refused")


def sign_floor(case: Case) -> Callable[[], Any]:
    key, algorithm = case.issuer._crypto, ec.ECDSA(hashes.SHA256())
    data = case.token.rsplit(".", 1)[0].encode()
    return lambda: key.sign(data, algorithm)


def verify_floor(case: Case) -> Callable[[], Any]:
    """Two signatures, each JSON once, each hash once; nothing is checked."""
    algorithm = ec.ECDSA(hashes.SHA256())
    issuer_jwt, *disclosures, kb = case.presented.split("~")
    prepared = []
    for token, key in ((issuer_jwt, case.issuer), (kb, case.holder)):
        data, signature = token.rsplit(".", 1)
        raw = b64url_decode(signature)
        der = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        prepared.append((key.public._crypto, der, data.encode()))
    texts = [b64url_decode(part) for token in (issuer_jwt, kb) for part in token.split(".")[:2]]
    texts += [b64url_decode(part) for part in disclosures]
    hashed = [part.encode() for part in (*disclosures, case.presented.rsplit("~", 1)[0])]

    def run() -> None:
        for key, der, data in prepared:
            key.verify(der, data, algorithm)
        for text in texts:
            json.loads(text)
        for text in hashed:
            hashlib.sha256(text).digest()

    return run


def jcs_case() -> tuple[Callable[[], Any], Callable[[], Any], Callable[[], Any]]:
    """A JCS proof: ours to verify, its floor, ours to make."""
    key = PrivateKey.generate(KeyType.ED25519)
    signer = LocalSigner(key, did_key_url(key.public))
    document = {
        "@context": [VCDM2],
        "type": ["VerifiableCredential"],
        "issuer": "did:web:memory.example",
        "validFrom": "2026-01-01T00:00:00Z",
        "credentialSubject": {"id": "did:example:a", **{name: f"the value of {name}" for name in NAMES}},
    }
    options = {"verification_method": signer.kid, "purpose": "assertionMethod", "created": 0.0}
    proof = create_proof(document, signer, **options)
    secured = document | {"proof": proof}
    config = {name: value for name, value in proof.items() if name != "proofValue"}
    data = hashlib.sha256(canonicalize(config)).digest() + hashlib.sha256(canonicalize(document)).digest()
    signature, public = key.sign(data), key.public._crypto

    def floor() -> None:
        hashlib.sha256(canonicalize(config)).digest()
        hashlib.sha256(canonicalize(document)).digest()
        public.verify(signature, data)

    return (
        lambda: verify_proof(secured, check_form(secured["proof"]), key.public),
        floor,
        lambda: create_proof(document, signer, **options),
    )


def openvc_case(case: Case) -> tuple[Callable[[], Any], Callable[[], Any]] | None:
    try:
        from openvc.keys import P256SigningKey
        from openvc.proof.sd_jwt import SdJwtVcProofSuite
    except ImportError:
        return None
    suite = SdJwtVcProofSuite()
    key = P256SigningKey.from_jwk({**case.issuer.public.to_jwk(), "d": b64url_encode(case.issuer.secret)}, "k1")
    jwk = case.issuer.public.to_jwk()
    options = {"audience": AUDIENCE, "nonce": NONCE, "require_key_binding": True, "expected_vct": VCT}
    return (
        lambda: suite.issue(case.claims, signing_key=key, disclosable=NAMES),
        lambda: suite.verify(case.presented, public_key_jwk=jwk, **options),
    )


_NODE = """
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'; import { digest, generateSalt } from '@sd-jwt/crypto-nodejs';
import * as nc from 'node:crypto';
const [i, h] = [0, 1].map(() => nc.generateKeyPairSync('ec', {namedCurve: 'P-256'}));
const p1363 = key => ({key, dsaEncoding: 'ieee-p1363'});
const sign = key => data => nc.sign('sha256', Buffer.from(data), p1363(key)).toString('base64url');
const verify = key => (data, s) =>
  nc.verify('sha256', Buffer.from(data), p1363(key), Buffer.from(s, 'base64url'));
const holder = h.publicKey.export({format: 'jwk'});
const sd = new SDJwtVcInstance({
  signer: sign(i.privateKey), signAlg: 'ES256', verifier: verify(i.publicKey), hasher: digest, hashAlg: 'sha-256',
  saltGenerator: generateSalt, kbSigner: sign(h.privateKey), kbSignAlg: 'ES256', kbVerifier: verify(h.publicKey),
});
const now = Math.floor(Date.now() / 1000), names = [...Array(8).keys()].map(n => `claim_${n}`);
const claims = {iss: 'https://memory.example', iat: now, exp: now + 3600, vct: 'v', cnf: {jwk: holder}};
for (const n of names) claims[n] = `the value of ${n}`;
const make = () => sd.issue({...claims}, {_sd: names});
const reveal = Object.fromEntries(names.map(n => [n, true]));
const shown = await sd.present(await make(), reveal, {kb: {payload: {iat: now, aud: 'a', nonce: 'n'}}});
const check = () => sd.verify(shown, {keyBindingNonce: 'n'});
const out = {};
for (const [name, action] of [['issue', make], ['verify', check]]) {
  for (let n = 0; n < 200; n++) await action();
  const rounds = [];
  for (let r = 0; r < 25; r++) { const t = process.cpuUsage(); for (let n = 0; n < 200; n++) await action();
    const u = process.cpuUsage(t); rounds.push((u.user + u.system) / 200); }
  out[name] = Math.min(...rounds);
}
console.log(JSON.stringify(out));
"""


def node_case() -> dict[str, float] | None:
    """@sd-jwt/sd-jwt-vc in microseconds of CPU, where scripts/interop has installed it."""
    folder = os.environ.get("INTEROP_NODE")
    if not folder or shutil.which("node") is None:
        return None
    script = Path(folder) / "bench.mjs"
    script.write_text(_NODE, encoding="utf-8")
    done = subprocess.run(["node", "bench.mjs"], cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    return json.loads(done.stdout) if done.returncode == 0 else None


def malformed(case: Case) -> dict[str, float]:
    """Milliseconds of CPU to refuse 1 MiB of different nonsense at each entry, the slowest of three tries."""
    fillers = ["a", "{", "[", '"', "\\", "~", ".", "é", "[]", '{"a":']
    entries: dict[str, Callable[[str], Any]] = {
        "verify": lambda text: verify(text, case.policy, now=case.now).require(),
        "status list": token_list.parse,
        "list": lambda text: token_list.decode_list(1, text),
        "did:webvh": lambda text: verify_log("did:webvh:" + "Q" * 46 + ":a.example", text.encode(), now=case.now),
        "DID document": lambda text: DidDocument.parse(text.encode(), "did:web:a.example"),
        "metadata": lambda text: parse_metadata(text.encode(), "https://a.example"),
        "largest token": lambda text: verify(text[:MAX_TOKEN_BYTES], case.policy, now=case.now).require(),
        "largest SD-JWT": lambda text: verify(
            case.token + text[: MAX_TOKEN_BYTES - 4_096], case.policy, now=case.now
        ).require(),
    }
    found = {}
    for name, action in entries.items():
        for filler in fillers:
            text = (filler * MALFORMED_BYTES)[:MALFORMED_BYTES]
            worst = 0.0
            for _ in range(3):
                start = time.process_time()
                try:
                    action(text)
                except CredentialError:
                    worst = max(worst, time.process_time() - start)
                else:
                    raise AssertionError(f"{name} accepted nonsense")
            found[f"{name} {filler!r}"] = worst * 1e3
    return found


def measure(seconds: float) -> dict[str, Any]:
    """All figures; ``ratio`` is floor or peer divided by ours, so that more is better."""
    case = Case()
    peer = openvc_case(case)
    issuing = [case.issue, sign_floor(case), *([peer[0]] if peer else [])]
    verifying = [case.verify, verify_floor(case), *([peer[1]] if peer else [])]
    issue_us, issue_floor, *their_issue = cpu(*issuing, seconds=seconds)
    verify_us, verify_raw, *their_verify = cpu(*verifying, seconds=seconds)
    jcs_verify, jcs_floor, jcs_make = cpu(*jcs_case(), seconds=seconds)
    listing = StatusList("u", "i", os.urandom(131_072), 1, False, 0, None, None)
    (bit,) = cpu(lambda: listing.at(777_777), seconds=seconds)
    rows = {
        "SD-JWT VC issue, 8 disclosures": (issue_us, issue_floor, 0.28),
        "SD-JWT VC verify with key binding": (verify_us, verify_raw, 0.5),
        "eddsa-jcs-2022 verify": (jcs_verify, jcs_floor, 0.5),
    }
    floors = {
        name: {"us": us, "floor_us": floor, "ratio": floor / us, "bar": bar} for name, (us, floor, bar) in rows.items()
    }
    result: dict[str, Any] = {
        "floors": floors,
        "eddsa-jcs-2022 issue us": jcs_make,
        "status bit from a cached list us": bit,
        "malformed 1 MiB, worst ms": max(malformed(case).values()),
    }
    for name, theirs, us in (("issue", their_issue, issue_us), ("verify", their_verify, verify_us)):
        if theirs:
            result[f"openvc-core {name}"] = {"us": theirs[0], "ratio": theirs[0] / us, "bar": 0.9}
    node = node_case()
    if node is not None:
        for name, us in (("issue", issue_us), ("verify", verify_us)):
            result[f"@sd-jwt/sd-jwt-vc {name}"] = {"us": node[name], "ratio": node[name] / us}
    return result


def main() -> None:
    """Print the figures, one a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="CPU seconds per figure")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    result = measure(arguments.seconds)
    if arguments.json:
        sys.stdout.write(json.dumps(result, indent=2) + "\n")
        return
    for name, row in {**result.pop("floors"), **result}.items():
        if isinstance(row, dict):
            bar = f"  bar {row['bar']:g} x" if "bar" in row else ""
            floor = f"  floor {row['floor_us']:.1f} us" if "floor_us" in row else ""
            print(f"{name}: {row['us']:.1f} us{floor}  {row['ratio']:.2f} x{bar}")
        else:
            print(f"{name}: {row:.2f}")


if __name__ == "__main__":
    main()
