"""The expectations of the cases as checks. A sentence without a check cannot be mapped."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from tests.cases.play import Play, expanded
from tests.fakes import GatedEmbedder
from tests.harness import Reply

Check = Callable[[Play], None]
CHECKS: dict[tuple[str, str], Check] = {}


def expect(case: str, *sentences: str) -> Callable[[Check], Check]:
    """Register a check for sentences of a case."""

    def register(check: Check) -> Check:
        for sentence in sentences:
            assert (case, sentence) not in CHECKS
            CHECKS[case, sentence] = check
        return check

    return register


def memories(reply: Reply, **wanted: Any) -> list[dict[str, Any]]:
    """The memories of a reply that have these values."""
    assert reply.error is None, reply.error
    found = reply.data["memories"]
    return [one for one in found if all(one.get(name) == value for name, value in wanted.items())]


def refused(reply: Reply, code: str, *words: str) -> None:
    """An error of the contract that names what is wrong."""
    assert reply.error is not None, reply.data
    assert re.match(rf"{code}: ", reply.error), reply.error
    for word in words:
        assert word in reply.error


def current(reply: Reply, word: str) -> list[dict[str, Any]]:
    """The current facts whose words contain `word`."""
    return [one for one in memories(reply, status="current", kind="fact") if word in one["statement"].casefold()]


async def everything(play: Play) -> Reply:
    """All memories of the user, of every status."""
    return await play.do_list({})


# -- COR, DAT, DUP ---------------------------------------------------------------------------------


@expect("COR-03", "11 current memories")
def cor_03_eleven(play: Play) -> None:
    assert len(memories(play.replies[2], kind="fact", status="current")) == 11


@expect("COR-03", "no memory has an end time")
def cor_03_no_end(play: Play) -> None:
    for one in memories(play.replies[2], kind="fact"):
        assert "superseded_by" not in one
        assert "valid_to" not in one or "March" in one["statement"]  # the end that the words state may stand


@expect("DAT-02", "step 2 returns 1")
def dat_02_one(play: Play) -> None:
    assert len(memories(play.replies[1], kind="fact")) == 1


@expect("DAT-02", "step 3 returns 0")
def dat_02_none(play: Play) -> None:
    assert memories(play.replies[2]) == []


@expect("DAT-02", "every returned time carries offset Z or +00:00")
def dat_02_offsets(play: Play) -> None:
    for one in memories(play.replies[1]):
        assert one["recorded_at"] == "2026-03-01T01:30:00Z"
        assert one["said_at"].endswith(("Z", "+00:00"))


@expect("DUP-01", "M1 equals M2")
def dup_01_same(play: Play) -> None:
    assert play.saved["M1"] == play.saved["M2"]


@expect("DUP-01", "one current memory")
def dup_01_one(play: Play) -> None:
    assert [one["id"] for one in memories(play.replies[2], kind="fact", status="current")] == [play.saved["M1"]]


@expect("DUP-01", "the reply to step 2 says that it was already known")
def dup_01_restated(play: Play) -> None:
    assert play.replies[1].data["results"][0]["outcome"] == "restated"


# -- long texts, scripts ---------------------------------------------------------------------------


@expect("LNG-01", "a result contains the flowerpot sentence")
def lng_01_found(play: Play) -> None:
    assert any("The spare key is under the third flowerpot." in one["statement"] for one in memories(play.replies[1]))


@expect("LNG-01", "the stored text equals the input byte for byte")
def lng_01_verbatim(play: Play) -> None:
    house = play.open()
    with house.app.backend.store.read(house.principal().tenancy) as unit:
        stored = unit.get([play.replies[0].data["utterance"]])
    assert [one.statement for one in stored.values()] == [expanded(play.case["input"][0]["text"])]


@expect("LNG-02", "the tool result of step 2 is under 25 000 characters")
def lng_02_short(play: Play) -> None:
    assert len(play.replies[1].text) < 25_000
    assert play.replies[1].data["truncated"] is True


@expect("LNG-02", "each item has id, preview and truncated: true")
def lng_02_cut(play: Play) -> None:
    shown = memories(play.replies[1])
    assert shown
    for one in shown:
        assert one["id"]
        assert one["statement"]
        assert one["truncated"] is True


@expect("LNG-02", "step 3 returns the full text")
def lng_02_whole(play: Play) -> None:
    assert len(play.replies[2]["statement"]) == 2_000


@expect("UNI-01", "the result is the passport sentence")
def uni_01_found(play: Play) -> None:
    assert [one["statement"] for one in memories(play.replies[1])] == ["护照放在书房的抽屉里。"]


@expect("UNI-01", "the string given to the embedder contains no backslash-u escape")
def uni_01_plain(play: Play) -> None:
    assert play.embedder is not None
    given = "\n".join(play.embedder.given)
    assert "护照放在书房的抽屉里。" in given
    assert "\\u" not in given


@expect("UNI-02", "the memory is found through the text index alone")
def uni_02_found(play: Play) -> None:
    assert [one["kind"] for one in memories(play.replies[2])]
    assert "豆豆" in memories(play.replies[2])[0]["statement"]
    assert play.replies[2].data["degraded"] == ["vectors"]


@expect("UNI-03", "the process stays alive")
def uni_03_alive(play: Play) -> None:
    assert play.replies[1].error is None
    assert play.replies[2].error is None


@expect("UNI-03", "the reply decodes as UTF-8 and contains the text unchanged")
def uni_03_unchanged(play: Play) -> None:
    assert "done ✅ — naïve 🫖" in [one["statement"] for one in memories(play.replies[2])]


# -- queries and filters ---------------------------------------------------------------------------


@expect("QRY-01", "steps 2 to 6 are refused with an invalid-argument code that names the field")
def qry_01_refused(play: Play) -> None:
    for reply, field in zip(play.replies[1:], ("query", "query", "limit", "limit", "query"), strict=True):
        refused(reply, "invalid_argument", field)


@expect("QRY-01", "no reply contains the word private")
def qry_01_silent(play: Play) -> None:
    assert not any("private" in reply.text for reply in play.replies[1:])


@expect("QRY-03", "the first five queries return the memory")
def qry_03_found(play: Play) -> None:
    for reply in play.replies[2][:5]:
        assert len(memories(reply)) == 1


@expect("QRY-03", "the others return a list, possibly empty, without an error")
def qry_03_no_error(play: Play) -> None:
    for reply in play.replies[2][5:]:
        assert isinstance(memories(reply), list)


@expect("QRY-03", "no index error is logged")
def qry_03_quiet(play: Play) -> None:
    assert [record.getMessage() for record in play.caplog.records if record.levelno >= 30] == []


@expect("FLT-01", "step 3 returns b and c", "step 4 is refused with an unsupported-operator code")
def flt_01_refused(play: Play) -> None:
    # plan: unknown filter arguments are refused with invalid_argument, never dropped
    refused(play.replies[2], "invalid_argument", "rank")
    refused(play.replies[3], "invalid_argument", "rank")


@expect("FLT-01", "step 5 returns nothing or is refused; it never returns all")
def flt_01_unknown(play: Play) -> None:
    refused(play.replies[4], "invalid_argument", "unknown_key")


@expect("QRY-05", "no TypeError on any back end")
def qry_05_no_type_error(play: Play) -> None:
    from tests.contract.conftest import BACKENDS

    assert {"in-memory", "embedded"} <= set(BACKENDS)
    refused(play.replies[2], "invalid_argument", "filter")


@expect("QRY-05", "a static check shows that each adapter's signature equals the port's")
def qry_05_static(play: Play) -> None:
    from tests.contract import test_signatures

    assert callable(test_signatures.test_every_signature_equals_the_ports)


# -- isolation -------------------------------------------------------------------------------------


@expect("ISO-01", "exactly one result: Lyon")
def iso_01_one(play: Play) -> None:
    found = memories(play.replies[2])
    assert len(found) == 1
    assert "Lyon" in found[0]["statement"]


@expect("ISO-01", "the reply contains no trace of u2 (text, id, count, score list)")
def iso_01_no_trace(play: Play) -> None:
    of_u2 = play.replies[1].data
    ids = {of_u2["utterance"], *(one["memory"]["id"] for one in of_u2["results"])}
    assert "Graz" not in play.replies[2].text
    assert not any(one in play.replies[2].text for one in ids)
    assert play.replies[2].data["total_matches"] == 1


@expect("ISO-02", "no node, edge or neighbour in the reply mentions stamps")
def iso_02_no_stamps(play: Play) -> None:
    assert memories(play.replies[2])
    assert "stamps" not in play.replies[2].text


@expect("ISO-05", "no result of mara")
def iso_05_no_mara(play: Play) -> None:
    assert "alpha" not in play.replies[3].text


@expect("ISO-05", "scope comparison is exact")
def iso_05_exact(play: Play) -> None:
    house = play.open()
    for user, words in (("mara", "alpha memory"), ("mar", None), ("mara2", None)):
        with house.app.backend.store.read(house.principal(user).tenancy) as unit:
            found = [unit.get([one])[one].statement for one in unit.indexed_ids()]
        assert found == ([words] if words else [])


@expect("QRY-04", "both memories are found on every back end")
def qry_04_found(play: Play) -> None:
    assert "Stand-up is at nine." in play.replies[2].text
    assert "Retro is on Friday." in play.replies[4].text


@expect("QRY-04", "a scope name that cannot be searched is refused at write time")
def qry_04_refused(play: Play) -> None:
    raise AssertionError("comes with the back ends that cannot take every name")


# -- several processes, faults ---------------------------------------------------------------------


@expect("CON-01", "40 memories")
def con_01_forty(play: Play) -> None:
    assert len(memories(play.replies[3], kind="fact")) == 40


@expect("CON-01", "every reply that said stored can be read back")
def con_01_readable(play: Play) -> None:
    told = {one["memory"]["id"] for reply in play.replies[2] for one in reply.data["results"]}
    assert len(told) == 40
    assert told == {one["id"] for one in memories(play.replies[3], kind="fact")}


@expect("PAR-02", "R lists two stored and one failed with a code")
def par_02_outcomes(play: Play) -> None:
    results = play.saved["R"]["results"]
    assert [one["outcome"] for one in results] == ["stored", "failed", "stored"]
    assert results[1]["code"] == "unavailable"
    assert "memory" not in results[1]


@expect("PAR-02", "every id in R.stored can be read")
def par_02_readable(play: Play) -> None:
    assert [one["statement"] for one in play.replies[2]] == ["one", "three"]


@expect("PAR-02", "history has no entry for the failed item")
def par_02_history(play: Play) -> None:
    assert sorted(play.replies[3]) == sorted(play.saved["R"]["stored"])


@expect(
    "PAR-01",
    "the reply to step 2 is either a failure with nothing stored or success marked as not yet fully indexed",
)
def par_01_reply(play: Play) -> None:
    assert play.replies[1].code == "unavailable"


# -- forgetting ------------------------------------------------------------------------------------


@expect("DEL-01", "no result in steps 4 and 6")
def del_01_no_result(play: Play) -> None:
    assert memories(play.replies[3]) == []
    assert memories(play.replies[5]) == []


@expect(
    "DEL-01", "the raw scan of store, vector index, text index and cache finds nothing after the documented clean-up"
)
def del_01_no_bytes(play: Play) -> None:
    assert play.replies[6] == []


@expect("DEL-01", "the receipt lists each place that was cleared")
def del_01_receipt(play: Play) -> None:
    receipt = play.replies[2].data["receipt"]
    assert {"ledger", "history", "graph", "vectors", "text", "outbox", "caches"} <= set(receipt["places"])
    assert receipt["pending"] == []


@expect("DEL-02", "no node Emil and no works-with edge")
def del_02_gone(play: Play) -> None:
    graph = play.replies[3]
    assert "emil" not in json.dumps(graph).casefold()
    assert not any("work" in relation["predicate"] for relation in graph["relations"])


@expect("DEL-02", "node Nora remains because M2 refers to it")
def del_02_stays(play: Play) -> None:
    assert [entity["name"] for entity in play.replies[3]["entities"]].count("Nora") == 1


# -- the protocol ----------------------------------------------------------------------------------


def _walk(schema: Any) -> list[dict[str, Any]]:
    here = [schema] if isinstance(schema, dict) else []
    below = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    return here + [found for one in below for found in _walk(one)]


def _schemas(play: Play) -> list[dict[str, Any]]:
    tools = play.replies[0]
    assert tools
    return [schema for tool in tools for schema in (tool.input_schema, tool.output_schema)]


@expect("MCP-01", "no $ref, $defs or definitions anywhere in input or output schemas")
def mcp_01_flat(play: Play) -> None:
    for schema in _schemas(play):
        for part in _walk(schema):
            assert not {"$ref", "$defs", "definitions", "anyOf", "oneOf", "allOf"} & set(part)


@expect("MCP-01", "every property has a type")
def mcp_01_typed(play: Play) -> None:
    for schema in _schemas(play):
        for part in _walk(schema):
            if part.get("type") == "object":
                for name, spec in part.get("properties", {}).items():
                    assert isinstance(spec.get("type"), str), name


@expect("MCP-01", "every array has items with a type")
def mcp_01_items(play: Play) -> None:
    arrays = [part for schema in _schemas(play) for part in _walk(schema) if part.get("type") == "array"]
    assert arrays
    assert all(isinstance(part["items"]["type"], str) for part in arrays)


@expect("MCP-02", "each name matches ^[a-zA-Z0-9_-]{1,64}$")
def mcp_02_names(play: Play) -> None:
    assert play.replies[0]
    assert all(re.fullmatch(r"[a-z0-9_]{1,40}", tool.name) for tool in play.replies[0])


@expect("MCP-02", "each name is still at most 64 characters with the prefix mcp__memory__")
def mcp_02_prefixed(play: Play) -> None:
    assert all(len(f"mcp__memory__{tool.name}") <= 64 for tool in play.replies[0])


@expect("MCP-03", "every line on stdout parses as a JSON-RPC message", "logs are on stderr")
def mcp_03_pure(play: Play) -> None:
    # The client would report a line that it cannot parse; the raw bytes are checked in tests/stdio.
    assert play.replies[1] is not None
    assert len(play.replies[2]) >= 6
    assert play.replies[3].error is None
    assert [record.getMessage() for record in play.caplog.records if "parse" in record.getMessage().lower()] == []


@expect("MCP-04", "all three replies arrive in time")
def mcp_04_before_the_model(play: Play) -> None:
    assert isinstance(play.embedder, GatedEmbedder)
    assert play.embedder.loading.wait(30)  # the worker asked for the model
    assert not play.embedder.ready()  # and the three replies came before it was there
    assert play.replies[2] is not None
    assert len(play.replies[3]) >= 6
    assert play.replies[4].data["results"][0]["outcome"] == "stored"


@expect("MCP-04", "the memory is found by text search at once and by vector search after loading")
def mcp_04_found(play: Play) -> None:
    from mcp_memory_server.memory.service import RecallRequest

    house = play.open()
    wanted = RecallRequest("stored before the model is ready", limit=1, detail="full")
    early = house.app.service.recall(house.principal(), wanted)
    assert early["memories"][0]["statement"] == "stored before the model is ready"
    assert early["degraded"] == ["vectors"]
    assert isinstance(play.embedder, GatedEmbedder)
    play.embedder.gate.set()
    assert play.embedder.loaded.wait(30)
    house.app.worker.stop()
    play.clock.advance(timedelta(hours=1))  # what the worker had taken when it stopped is due again
    house.app.projector.drain()
    late = house.app.service.recall(house.principal(), wanted)
    assert late["degraded"] == []
    assert late["memories"][0]["statement"] == "stored before the model is ready"
    assert late["memories"][0]["why"]["vector_rank"] == 1


# -- names of files, other models ------------------------------------------------------------------


@expect("WIN-01", 'names contain none of < > : " / \\ | ? * and are not reserved device names')
def win_01_names(play: Play) -> None:
    reserved = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
    for name in play.replies[:3]:
        assert not set(name) & set('<>:"/\\|?*')
        assert not reserved.fullmatch(name)


@expect("WIN-01", "different roots give different names")
def win_01_distinct(play: Play) -> None:
    assert len(set(play.replies[:3])) == 3


@expect("WIN-01", "step 4 fails with a coded error and a non-zero exit status")
def win_01_backup(play: Play) -> None:
    status, error = play.replies[3]
    assert status == 1
    assert error.startswith("invalid_argument: ")


@expect("EMB-01", "step 4 uses no vector of fake-a: text search only, or a coded mismatch")
def emb_01_no_mix(play: Play) -> None:
    assert play.replies[3].data["degraded"] == ["vectors"]
    assert "note 3" in memories(play.replies[3])[0]["statement"]


@expect("EMB-01", "health names both models")
def emb_01_health(play: Play) -> None:
    assert play.replies[4] == {"fake-a", "fake-b"}


@expect("EMB-01", "after step 6 vector search works; nothing was deleted before the new vectors existed")
def emb_01_reindexed(play: Play) -> None:
    assert play.replies[6].data["degraded"] == []
    assert "note 3" in memories(play.replies[6])[0]["statement"]
    assert play.seen["old vectors while re-embedding"]
    assert set(play.seen["old vectors while re-embedding"]) == {5}
    assert play.seen["retired"] == ["fake-a"]
