"""What commands say to people, in English and Chinese; help texts are in `help_texts.py`."""

from __future__ import annotations

Pair = tuple[str, str]

MESSAGES: dict[str, Pair] = {
    # memory
    "no_fact": ("Kept as said; no fact was found in it.", "已按原话保存；其中没有发现可提取的事实。"),
    "nothing_kept": ("Nothing was kept.", "没有保存任何内容。"),
    "masked": ("Masked: {kind}, shown as {placeholder}", "已遮盖：{kind}，显示为 {placeholder}"),
    "asked_to_forget": ("These words ask to forget:", "这句话要求删除："),
    "confirm_with": (
        "To confirm within ten minutes: forget --confirm {confirm}",
        "请在十分钟内确认：forget --confirm {confirm}",
    ),
    "open_questions": ("Open questions", "待确认的问题"),
    "no_questions": ("No open questions.", "没有待确认的问题。"),
    "restore_all": ("Bring everything back from the archive ({count})?", "要恢复归档中的全部 {count} 条记忆吗？"),
    "restored": ("Restored: {count}", "已恢复：{count} 条"),
    "no_session": ("No working memory of {session}; it may have ended.", "{session} 没有工作记忆，可能已经结束。"),
    "nothing_found": ("Nothing found.", "没有找到。"),
    "degraded": ("Without: {parts}", "暂不可用：{parts}"),
    "more_matches": (
        "There is more: {total} match. Raise --limit or --max-chars.",
        "还有更多：共 {total} 条。可增大 --limit 或 --max-chars。",
    ),
    "shown_of": ("{shown} of {total}", "{shown} / {total} 条"),
    "next_page": ("More: --cursor {cursor}", "下一页：--cursor {cursor}"),
    "kept": ("Nothing was forgotten.", "没有删除任何内容。"),
    "forgotten": ("Forgotten: {count}", "已删除：{count} 条"),
    "forget_these": ("Forget all of this for good ({count})?", "要永久删除以上内容吗（共 {count} 条）？"),
    "receipt": ("Receipt {id} of {at}; erased in: {places}", "回执 {id}，{at}；已清除的位置：{places}"),
    "pending": ("Still pending: {place}", "尚未完成：{place}"),
    "run_maintain": (
        "`mcp-memory-server maintain` finishes it.",
        "运行 `mcp-memory-server maintain` 即可完成。",
    ),
    "nothing_known": ("Nothing is known yet.", "目前还没有记忆。"),
    "graph_size": ("{entities} entities, {relations} relations", "{entities} 个实体，{relations} 个关系"),
    "model_missing": ("Without vectors: {details}.", "暂无向量检索：{details}。"),
    # exchange
    "exporting": ("Exporting", "导出"),
    "exported": (
        "Exported {memories} memories and {questions} questions to {file}",
        "已导出 {memories} 条记忆和 {questions} 个问题到 {file}",
    ),
    "importing": ("Importing", "导入"),
    "imported": (
        "Created {created}, updated {updated}, unchanged {unchanged}, skipped {skipped}",
        "新增 {created}，更新 {updated}，未变 {unchanged}，跳过 {skipped}",
    ),
    "skipped_line": ("line {line}: {reason}", "第 {line} 行：{reason}"),
    # upkeep
    "backup_done": (
        "Copied to {file} ({bytes} bytes); forgetting reaches it.",
        "已备份到 {file}（{bytes} 字节）；删除操作会同时作用于该副本。",
    ),
    "backup_gone": ("No longer known: {file}", "已不再登记：{file}"),
    "looking": ("Memories looked at", "已检查的记忆"),
    "embedding": ("Embedding", "计算向量"),
    "verifying": ("Comparing users", "逐个用户核对"),
    "rebuilding": ("Rebuilding users", "逐个用户重建"),
    "maintain_done": (
        "Done: {archived} archived, {expired} expired, {merged} merged, {promoted} promoted, {asked} asked about; "
        "sessions ended: {sessions}; {embedded} embedded, {waiting} waiting.",
        "完成：归档 {archived} 条，过期 {expired} 条，合并 {merged} 条，提升 {promoted} 条，询问 {asked} 条；"
        "结束会话 {sessions} 个；计算向量 {embedded} 条，等待 {waiting} 条。",
    ),
    "maintain_elsewhere": (
        "Another maintenance run is at work; nothing was done here.",
        "另一个维护任务正在运行；此处未做任何操作。",
    ),
    "model_retired": ("Vectors of an old model removed: {model}", "已移除旧模型的向量：{model}"),
    "log_busy": (
        "The log could not be emptied: another process reads. The next run tries again.",
        "日志未能清空：另一个进程正在读取，下次运行会再试。",
    ),
    "verify_ok": ("Everything agrees; users: {users}.", "全部一致（{users} 个用户）。"),
    "fault": ("Damaged: {fault}", "损坏：{fault}"),
    "drift": (
        "{user}, {projection}: {missing} missing, {stale} stale, {surplus} surplus",
        "{user}，{projection}：缺少 {missing}，过期 {stale}，多余 {surplus}",
    ),
    "not_compared": (
        "{user}, {projection}: could not be compared ({code})",
        "{user}，{projection}：无法核对（{code}）",
    ),
    "waiting": (
        "{user}, {projection}: {count} waiting, not lost",
        "{user}，{projection}：{count} 条等待处理，未丢失",
    ),
    "rebuilt": (
        "Rebuilt {projections} from {memories} memories; {embedded} embedded.",
        "已由 {memories} 条记忆重建 {projections}；计算向量 {embedded} 条。",
    ),
    "reindexed": (
        "Embedded {embedded} with {model}; removed: {retired_models}",
        "已用 {model} 计算向量 {embedded} 条；已移除：{retired_models}",
    ),
    "erase_user": (
        "Erase everything of {user} for good (memories: {count})?",
        "要永久清除 {user} 的全部 {count} 条记忆吗？",
    ),
    "erased": ("Erased everything of {user} (memories: {count})", "已清除：{user} 的 {count} 条记忆"),
    "nothing_to_erase": ("Nothing is stored of {user}.", "没有 {user} 的任何内容。"),
    # serve and tokens
    "serving": ("MCP at {url}  (Ctrl-C stops)", "MCP 地址：{url}  （Ctrl-C 停止）"),
    "token_created": (
        "Token {id} for {user}. It is shown only now; keep it safe. Send it as: Authorization: Bearer TOKEN",
        "令牌 {id}，用户 {user}。只显示这一次，请妥善保存。使用方式：Authorization: Bearer TOKEN",
    ),
    "token_valid": ("valid", "有效"),
    "token_void": ("void", "失效"),
    "token_none": ("No tokens.", "没有令牌。"),
    "token_revoked": ("Revoked: {id} {label}", "已撤销：{id} {label}"),
    # demo
    "demo_done": (
        "That was everything: {steps} steps, {calls} calls over MCP, {seconds} s.",
        "演示完毕：{steps} 个步骤，{calls} 次 MCP 调用，用时 {seconds} 秒。",
    ),
    "demo_gone": ("The throw-away folder is gone.", "一次性文件夹已删除。"),
    "demo_kept": ("Its folder is kept: {folder}", "数据文件夹已保留：{folder}"),
    "demo_next": (
        "Attach it to your own assistant:  mcp-memory-server setup claude-desktop",
        "接入您自己的助手：  mcp-memory-server setup claude-desktop",
    ),
    # setup
    "setup_written": ("Written: {path}", "已写入：{path}"),
    "setup_unchanged": ("Nothing to change in {path}", "{path} 无需修改"),
    "setup_backup": ("The file as it was: {backup}", "原文件备份：{backup}"),
    "setup_comments": ("Comments in the file are only in that backup now.", "文件中的注释仅保留在备份里。"),
    "setup_print": ("To be merged into {path}:", "需合并到 {path}："),
    "setup_restart": ("Restart {client} to see it.", "重启 {client} 后生效。"),
    # doctor
    "state_ok": ("ok  ", "正常"),
    "state_warn": ("look", "注意"),
    "state_fail": ("FAIL", "失败"),
    "check_version": ("version", "版本"),
    "check_packages": ("packages", "软件包"),
    "check_configuration": ("configuration", "配置"),
    "check_folder": ("data folder", "数据文件夹"),
    "check_file": ("data file", "数据文件"),
    "check_keys": ("keys of users", "用户密钥"),
    "check_disk": ("disk", "磁盘"),
    "check_store": ("store", "存储"),
    "check_vectors": ("vectors by model", "各模型的向量"),
    "check_vectors-server": ("server of vectors", "向量的服务器"),
    "check_text-server": ("server of full text", "全文索引的服务器"),
    "check_graph-server": ("server of the graph", "图的服务器"),
    "check_models": ("vectors by model", "各模型的向量"),
    "check_projections": ("projections and archive", "索引和归档"),
    "check_aside": ("set aside after failures", "多次失败后搁置"),
    "check_outbox": ("waiting for projections and deliveries", "等待更新索引和投递"),
    "check_triggers": ("triggers", "触发器"),
    "check_erasures": ("unfinished erasures", "未完成的清除"),
    "check_backups": ("backups", "备份"),
    "check_tokens": ("serve", "HTTP 服务"),
    "check_serve": ("serve", "HTTP 服务"),
    "check_model": ("embedding model", "向量模型"),
    "check_refiner": ("refiner", "精读模型"),
    "next_refiner": (
        "Until it answers, facts come from the rules alone. Check `refiner.base_url`, `refiner.model` and the key.",
        "在它可用之前，仅由规则提取事实。请检查 `refiner.base_url`、`refiner.model` 和密钥。",
    ),
    "next_refiner_plain": (
        "What is said goes there unencrypted: use https, or a server on this machine.",
        "所说的话会以明文发送到该地址：请使用 https，或本机上的服务。",
    ),
    "next_folder": ("Choose another --data-dir, or change its owner.", "请选择其他 --data-dir，或更改其所有者。"),
    "next_mode_700": (
        "Others can look inside: chmod 700 that folder.",
        "其他用户可以查看：请对该文件夹执行 chmod 700。",
    ),
    "next_mode_600": ("Others can read it: chmod 600 that file.", "其他用户可以读取：请对该文件执行 chmod 600。"),
    "next_disk": ("Make room on the disk.", "请清理磁盘空间。"),
    "next_store": (
        "Read the line above; a backup can take the place of the file.",
        "请查看上一行；可用备份替换该文件。",
    ),
    "next_server": (
        "Start it; memories wait in the outbox until then. See docs/guide/operate.md.",
        "请启动该服务；在此之前记忆会在发件箱中等待。参见 docs/guide/operate.md。",
    ),
    "next_verify": ("Run `mcp-memory-server verify`.", "请运行 `mcp-memory-server verify`。"),
    "next_model": (
        "Until it loads, recall works by words alone. Reinstall, or change `embedder.kind`.",
        "在模型可用之前，只能按词语检索。请重新安装，或更改 `embedder.kind`。",
    ),
    "next_reindex": ("Run `mcp-memory-server reindex`.", "请运行 `mcp-memory-server reindex`。"),
    "next_triggers": (
        "No trigger of the configuration has these names; bring it back, or leave them: they harm nothing.",
        "配置中没有这些名称的触发器。请恢复配置，或置之不理：它们没有害处。",
    ),
    "next_projections": (
        "Start it or check its address and keys; nothing is lost meanwhile. See docs/guide/operate.md.",
        "请启动它，或检查其地址和密钥；在此期间不会丢失任何内容。参见 docs/guide/operate.md。",
    ),
    "next_aside": (
        "Look into the log, then run `mcp-memory-server rebuild PROJECTION`.",
        "请查看日志，然后运行 `mcp-memory-server rebuild PROJECTION`。",
    ),
    "next_maintain": ("Run `mcp-memory-server maintain`.", "请运行 `mcp-memory-server maintain`。"),
    "next_backup": (
        "These copies are not where they were made: bring them back, or say `backup FILE --gone` for those destroyed.",
        "这些副本不在原处。请放回，或在销毁后运行 `backup FILE --gone`。",
    ),
}

WORDS: dict[str, Pair] = {
    "fact": ("fact", "事实"), "event": ("event", "事件"), "utterance": ("utterance", "原话"),
    "identity": ("identity", "身份"), "preference": ("preference", "偏好"), "health": ("health", "健康"),
    "finance": ("finance", "财务"), "education": ("education", "教育"), "travel": ("travel", "出行"),
    "work": ("work", "工作"), "relationship": ("relationship", "关系"), "plan": ("plan", "计划"),
    "emotion": ("emotion", "情绪"), "other": ("other", "其他"),
    "current": ("current", "有效"), "pending": ("pending", "待确认"), "disputed": ("disputed", "有矛盾"),
    "superseded": ("superseded", "已被取代"), "expired": ("expired", "已过期"), "archived": ("archived", "已归档"),
    "quarantined": ("quarantined", "已隔离"),
    "grounded": ("grounded", "有依据"), "unverified": ("unverified", "未核实"),
    "stored": ("stored", "已保存"), "restated": ("restated", "再次确认"), "refined": ("refined", "更具体"),
    "retracted": ("retracted", "已收回"), "refused": ("refused", "已拒绝"), "failed": ("failed", "失败"),
    "duplicate_in_call": ("duplicate", "重复"),
}  # fmt: skip

CODES: dict[str, str] = {
    "invalid_argument": "参数不正确。",
    "not_found": "没有找到。",
    "too_large": "内容过长。",
    "too_many": "数量过多。",
    "unsupported": "不支持。",
    "unauthenticated": "没有有效的凭据。",
    "not_allowed": "不允许。",
    "consent_required": "需要您的同意。",
    "conflict": "存在冲突。",
    "rate_limited": "操作过于频繁。",
    "unavailable": "暂时不可用。",
    "reindex_needed": "需要重建索引。",
    "store_newer": "数据由更新的版本写入。",
    "internal": "内部错误。",
}


def message(lang: str, name: str, **values: object) -> str:
    """One of our messages in a language; lists among the values are joined."""
    pair = MESSAGES[name]
    return pair[lang == "zh"].format(**{key: _plain(value) for key, value in values.items()})


def _plain(value: object) -> object:
    return ", ".join(map(str, value)) or "-" if isinstance(value, list | tuple) else value


def word(lang: str, name: str) -> str:
    """A word of the domain in a language; unknown ones as they are."""
    return WORDS.get(name, (name, name))[lang == "zh"]


def code_meaning(code: str) -> str:
    """What an error code means, in Chinese."""
    return CODES.get(code, CODES["internal"])
