"""The child process around didkit: one JSON request a line in, one JSON answer a line out.

It runs as a script, apart from the server: didkit's threads crash many interpreters at their exit, so
this process ends with ``os._exit`` and never in the ordinary way.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any


async def _answer(didkit: Any, request: dict[str, Any]) -> dict[str, Any]:
    jwt = request["proof_format"] == "jwt_vc"
    options: dict[str, Any] = {"proofPurpose": "assertionMethod"}
    if jwt:
        options["proofFormat"] = "jwt"
    if request["do"] == "verify":
        report = json.loads(await didkit.verify_credential(request["credential"], json.dumps(options)))
        # A report without a check is a report about nothing.
        return {"ok": not report["errors"] and bool(report["checks"])}
    options["verificationMethod"] = request["verification_method"]
    if not jwt:
        options["type"] = "Ed25519Signature2020"
    return {
        "ok": True,
        "credential": await didkit.issue_credential(request["credential"], json.dumps(options), request["jwk"]),
    }


async def _serve() -> None:
    import didkit

    print(json.dumps({"ready": didkit.get_version()}), flush=True)  # noqa: T201 - the protocol
    while line := await asyncio.to_thread(sys.stdin.readline):
        try:
            answer = await _answer(didkit, json.loads(line))
        except Exception as error:  # noqa: BLE001 - whatever didkit raises is a refusal, not an end
            answer = {"ok": False, "error": type(error).__name__}
        print(json.dumps(answer), flush=True)  # noqa: T201 - the protocol


if __name__ == "__main__":
    try:
        asyncio.run(_serve())
        sys.stdout.flush()
    finally:
        os._exit(0)
