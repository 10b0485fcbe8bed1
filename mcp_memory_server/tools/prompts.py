"""Prompts: ready texts that a user picks from a client's menu."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.prompts.base import UserMessage

if TYPE_CHECKING:
    from mcp_memory_server.tools.server import MemoryMCPServer

_REVIEW = {
    "en": "Walk me through these open questions about my memory, one at a time, and apply my answers with "
    "correct_memory:",
    "zh": "请逐个和我确认下面这些关于我的记忆的问题，并用 correct_memory 记录我的回答：",
}
_NOTHING_OPEN = {"en": "There are no open questions about my memory.", "zh": "目前没有需要确认的记忆问题。"}
_KNOWN = {
    "en": "Tell me plainly what you know about me, from where and since when, and how I can correct, share or "
    "erase it. This is what is stored:",
    "zh": "请清楚地告诉我：你知道关于我的哪些事、来自哪里、从何时起，"
    "以及我可以怎样更正、分享或删除。以下是已存储的内容：",
}
_NOTHING_KNOWN = {"en": "(nothing is stored)", "zh": "（没有存储任何内容）"}


def add(server: MemoryMCPServer) -> None:
    """Register the prompts."""

    async def profile(ctx: Context[Any, Any], *, take_results: bool = False) -> dict[str, Any]:
        from mcp_memory_server.memory.service import ProfileRequest

        principal = server.principal(ctx)
        request = ProfileRequest(max_chars=20_000, take_results=take_results)
        return await server.work(lambda service: service.profile(principal, request))

    def language() -> str:
        return server.runtime.application().context.language

    @server.prompt(name="personalize", title="Personalise", description="A system text made of what is known of you")
    async def personalize(ctx: Context[Any, Any]) -> list[UserMessage]:
        found = await profile(ctx, take_results=True)
        return [UserMessage(found["prompt"] or _NOTHING_KNOWN[language()])]

    @server.prompt(
        name="review_memories", title="Review memories", description="Go through what is contradictory or unconfirmed"
    )
    async def review_memories(ctx: Context[Any, Any]) -> list[UserMessage]:
        principal = server.principal(ctx)
        found = await server.work(lambda service: {"questions": service.questions(principal)})
        lang = language()
        if not found["questions"]:
            return [UserMessage(_NOTHING_OPEN[lang])]
        lines = [f"- {q['id']}: {' '.join(q['text'].split())} [{', '.join(q['answers'])}]" for q in found["questions"]]
        return [UserMessage("\n".join([_REVIEW[lang], *lines]))]

    @server.prompt(
        name="what_do_you_know", title="What do you know about me?", description="Everything known, with its sources"
    )
    async def what_do_you_know(ctx: Context[Any, Any]) -> list[UserMessage]:
        found = await profile(ctx)
        lang = language()
        lines = [
            f'- "{" ".join(item["statement"].split())}" ({item["source"]}, {item["said_at"][:10]}, {item["id"]})'
            for section in found["sections"]
            for item in section["memories"]
        ]
        lines += [f"- {one['session']}: {one['summary']}" for one in found["recent_sessions"] if one["summary"]]
        return [UserMessage("\n".join([_KNOWN[lang], *(lines or [_NOTHING_KNOWN[lang]])]))]
