"""Help texts in Chinese, by their English text. What begins with `One of` keeps its list of values."""
# ruff: noqa: E501 - a text and its translation stand on one line, to be read side by side

from __future__ import annotations

from typing import Any

_LIST = "One of "
_LIST_ZH = "可选："
_PANELS = {"argument": "参数", "option": "选项"}
_COMMANDS = "命令"

CHINESE: dict[str, str] = {
    "Show this message and exit.": "显示帮助并退出。",
    # app
    "Your own long-term memory for AI assistants. Without a command: the MCP server on stdio.": "您自己的、供各个 AI 助手共用的长期记忆。不带命令时：通过 stdio 提供 MCP 服务。",
    "Print the version.": "显示版本。",
    "Configuration file (TOML).": "配置文件（TOML）。",
    "Folder of the memory store.": "存放记忆的文件夹。",
    "Print data as JSON.": "以 JSON 输出数据。",
    "Do not ask for confirmation.": "不再询问确认。",
    "Whose memory; default: the setting `user`.": "谁的记忆；默认为设置项 `user`。",
    # demo, serve, setup
    "Play a real conversation with the real server: remember, recall, contradict, forget.\n\nUses a throw-away data folder, or an empty --data-dir, which is then kept.": "与真实服务器进行一次真实对话：记住、回忆、矛盾、忘记。\n\n使用一次性的数据文件夹；若给出空的 --data-dir，则保留它。",
    "en or zh; default: the setting `language`.": "en 或 zh；默认为设置项 `language`。",
    "Serve MCP at /mcp and the HTTP API at /api, with /healthz, /readyz and /metrics.": "在 /mcp 提供 MCP，在 /api 提供 HTTP API，"
    "另有 /healthz、/readyz 和 /metrics。",
    "Address to bind; default 127.0.0.1.": "绑定的地址；默认 127.0.0.1。",
    "Port; 0 takes a free one; default 8765.": "端口；0 表示任选空闲端口；默认 8765。",
    "Write the configuration of a client, keeping a copy of the old file.": "写入客户端的配置，并保留原文件的副本。",
    "Only show what would be written, and where.": "只显示将写入的内容和位置。",
    "For the project in this folder only (not claude-desktop).": "只用于该文件夹中的项目（不适用于 claude-desktop）。",
    # memory
    "Store what was said, and the facts in it.": "保存原话以及其中的事实。",
    "The words as said; - reads standard input.": "原话；- 表示读取标准输入。",
    "A self-contained fact; may be repeated.": "一条独立完整的事实；可重复使用。",
    "user (default), assistant or other.": "user（默认）、assistant 或 other。",
    "The speaker's name.": "说话人的名字。",
    "When it was said (ISO 8601).": "说话的时间（ISO 8601）。",
    "An IANA time zone.": "IANA 时区。",
    "A conversation.": "某次会话。",
    "Where the words come from, if not from your own mouth.": "若非您亲口所说，这些话的来源。",
    "Find what is remembered about something.": "查找关于某事的记忆。",
    "A question or keywords.": "问题或关键词。",
    "At most so many memories (1 to 100).": "最多多少条（1 到 100）。",
    "At most so many memories (0 to 100).": "最多多少条（0 到 100）。",
    "Longest answer, in characters of its JSON.": "回答的最大长度，按其 JSON 的字符数计。",
    "Said at or after (ISO 8601).": "此时或之后所说（ISO 8601）。",
    "Said before (ISO 8601).": "此前所说（ISO 8601）。",
    "What was true at that time.": "当时成立的内容。",
    "What was recorded by that time.": "当时已记录的内容。",
    "current (default), history or all.": "current（默认）、history 或 all。",
    "Show everything that is known of each memory.": "显示每条记忆的全部信息。",
    "List memories, newest first.": "列出记忆，最新的在前。",
    "Continue a listing.": "继续列出。",
    "Erase memories for good, with history and copies.": "永久删除记忆，包括历史和副本。",
    "One memory, which is forgotten at once.": "一条记忆，立即删除。",
    "What to forget, in words.": "用词语说明要删除什么。",
    "What came in by a channel.": "来自某个渠道的内容。",
    "All that is stored of you.": "您的全部内容。",
    "Confirm an earlier preview.": "确认之前的预览。",
    "Why.": "原因。",
    "Show what is known of you, by section.": "分类显示关于您的已知信息。",
    "Print only the text that personalises a model.": "只输出用于个性化模型的文本。",
    "Show the entities that your memories name, and how they are related.": "显示记忆中提到的实体及其关系。",
    # life
    "List the open questions, or answer one.": "列出待确认的问题，或回答其中一个。",
    "The question to answer.": "要回答的问题。",
    "With the answer replace: what is right.": "回答为 replace 时：正确的说法。",
    "Bring back from the archive what faded; never what was erased.": "从归档中恢复淡忘的内容；已清除的内容无法恢复。",
    "Archived memories.": "已归档的记忆。",
    "Everything in the archive.": "归档中的全部内容。",
    "Show the working memory of a session with its versions, or roll it back.": "显示某次会话的工作记忆及其版本，或回退到某个版本。",
    "Make this version of its working memory the newest.": "把工作记忆的这个版本作为最新版本。",
    # exchange
    "Bring memories in; a second time changes nothing.": "导入记忆；重复导入不会改变任何内容。",
    "The form of the file: native.": "文件格式：native。",
    "The file to read.": "要读取的文件。",
    "Write everything that is stored of you to a file, without loss.\n\nThe file is yours: `forget` does not reach it.": "把您的全部内容无损地写入文件。\n\n该文件归您保管：`forget` 不会作用于它。",
    "Where it goes; - is standard output.": "写到哪里；- 表示标准输出。",
    "Replace a file that is there.": "替换已有的文件。",
    "Also what give_feedback said of memories.": "同时写入 give_feedback 对记忆的评价。",
    # upkeep
    "Write a consistent copy while servers run; forgetting reaches it.": "在服务器运行时写出一致的副本；删除操作会同时作用于它。",
    "Where the copy goes; must not exist yet.": "副本的位置；必须尚不存在。",
    "You have destroyed this copy: `forget` need not reach it any more.": "您已销毁该副本：`forget` 不必再作用于它。",
    "Do what is due: archive, expire, merge, ask; finish erasures and embeddings; empty the log.\n\nAs a daemon, what time has made due is done once a day, at `maintain.at` of the policy.": "处理到期的工作：归档、过期、合并、询问；完成清除和向量；清空日志。\n\n持续运行时，到期的工作每天在策略中 `maintain.at` 的时间处理一次。",
    "Go on until it is stopped.": "持续运行，直到被停止。",
    "With --daemon: how often.": "与 --daemon 一起使用：间隔多久。",
    "Compare every projection with the ledger; exit code 1 when something differs.": "把每个投影与账本核对；有差异时退出码为 1。",
    "Make projections anew from the ledger.": "由账本重建投影。",
    "text, vectors, graph or archive; default: all.": "text、vectors、graph 或 archive；默认全部。",
    "Embed now everything that has no vector of the current model, and drop those of other models.": "立即为没有当前模型向量的内容计算向量，并移除其他模型的向量。",
    "Also what has a vector of the current model already.": "也包括已有当前模型向量的内容。",
    "Erase everything of a user for good; prints the receipts.": "永久清除某个用户的全部内容，并输出回执。",
    "Whose memory is erased, all of it.": "清除谁的全部记忆。",
    # doctor, token
    "Check configuration, store, model, versions, disk and permissions; says what to do.": "检查配置、存储、模型、版本、磁盘和权限，并说明该怎么做。",
    "Access tokens for `serve`.": "`serve` 的访问令牌。",
    "Make a token and print it, this once.": "创建令牌并显示一次。",
    "What the token is for, such as `laptop`.": "令牌的用途，例如 `laptop`。",
    "Whose memory it opens; default: the setting `user`.": "它可访问谁的记忆；默认为设置项 `user`。",
    "Days until it expires; default: never.": "多少天后过期；默认不过期。",
    "List the tokens; the secrets themselves are not kept.": "列出令牌；令牌本身并不保存。",
    "Make a token worthless, within a second.": "使令牌在一秒内失效。",
    "The id of a token, or its name.": "令牌的编号或名称。",
}  # fmt: skip


def translated(text: str) -> str:
    """A help text in Chinese; an unknown one as it is."""
    if text.startswith(_LIST):
        return _LIST_ZH + text.removeprefix(_LIST).rstrip(".")
    return CHINESE.get(text, text)


def localized(command: Any, lang: str) -> Any:
    """A command and all below it with help in a language."""
    if lang != "zh":
        return command
    command.help = translated(command.help or "")
    if command.short_help:
        command.short_help = translated(command.short_help)
    command.rich_help_panel = _COMMANDS
    command.get_help_option(command.context_class(command))  # made now, so that it is translated too
    for parameter in [*command.params, *filter(None, [getattr(command, "_help_option", None)])]:
        if getattr(parameter, "help", None):
            parameter.help = translated(parameter.help)
        parameter.rich_help_panel = _PANELS[parameter.param_type_name]
    for below in getattr(command, "commands", {}).values():
        localized(below, lang)
    return command
