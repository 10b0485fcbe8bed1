"""What was said once is shown once."""

from __future__ import annotations

from mcp_memory_server.memory.model import Kind
from mcp_memory_server.memory.ports import GraphHit
from mcp_memory_server.memory.recall import COMMON, FAR_SCORE, Scored, Signals, collapsed, rank
from tests.fakes.unit import outline_of
from tests.support import memory


def scored(name: str, kind: Kind, score: float, text: float = 0.0, on: str = "") -> Scored:
    outline = outline_of(memory(name, kind=kind))._replace(utterances=on)
    return Scored(outline, score=score, text=text)


def shown(*items: Scored) -> list[str]:
    return [item.id for item in collapsed(sorted(items, key=lambda item: -item.score))]


def test_a_fact_that_answers_as_well_stands_for_its_utterance() -> None:
    assert shown(scored("u_1", Kind.UTTERANCE, 1.0), scored("m_1", Kind.FACT, 0.8, 0.5, "u_1")) == ["m_1"]


def test_an_utterance_that_answers_far_better_stays_beside_its_fact() -> None:
    assert shown(scored("u_1", Kind.UTTERANCE, 1.0), scored("m_1", Kind.FACT, 0.2, 0.1, "u_1")) == ["u_1", "m_1"]


def test_an_event_goes_where_its_utterance_is_an_answer() -> None:
    assert shown(scored("u_1", Kind.UTTERANCE, 1.0), scored("m_1", Kind.EVENT, 1.2, 1.0, "u_1")) == ["u_1"]


def test_an_event_without_its_utterance_stays() -> None:
    assert shown(scored("m_1", Kind.EVENT, 1.2, 1.0, "u_1")) == ["m_1"]


def test_a_second_fact_that_no_word_speaks_for_comes_last() -> None:
    facts = (scored("m_1", Kind.FACT, 0.9, 0.6, "u_1"), scored("m_2", Kind.FACT, 0.7, 0.0, "u_1"))
    far = scored("u_2", Kind.UTTERANCE, FAR_SCORE)
    assert shown(scored("u_1", Kind.UTTERANCE, 1.0), *facts, far) == ["m_1", "u_2", "m_2"]


def test_a_name_that_many_memories_share_counts_for_less() -> None:
    few = [outline_of(memory(f"m_{index}")) for index in range(COMMON)]
    many = [outline_of(memory(f"m_{index}")) for index in range(4 * COMMON)]

    def best(outlines: list) -> float:
        hits = [GraphHit(outline.id, 1, ("nora",)) for outline in outlines]
        return max(item.score for item in rank(outlines, Signals(graph=hits)))

    assert best(few) > 3 * best(many)
