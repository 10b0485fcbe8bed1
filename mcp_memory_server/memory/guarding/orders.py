"""Text that gives orders to a model rather than telling something about the user.

Only words that address the machine's own rules, roles or data count: a user who asks for short
answers or says "ignore my last message" gives no such order.
"""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from __future__ import annotations

import re
from functools import lru_cache

from mcp_memory_server.memory.guarding.spans import fold
from mcp_memory_server.memory.perceive.rx import Rx

_EN = (
    # overriding what governs the model
    r"\b(?:ignore|disregard|forget|override|bypass|skip|drop|discard)\b[^.!?\n]{0,25}"
    r"\b(?:previous|prior|above|earlier|preceding|existing|system|safety|your|all(?: of)? (?:the|your)|any)\b[^.!?\n]{0,25}"
    r"\b(?:instructions?|rules?|prompts?|guidelines?|directives?|polic(?:y|ies)|guardrails?|restrictions?|safeguards?|filters?|training)\b",
    r"\b(?:developer|debug|god|dan|jailbreak|admin(?:istrator)?|root|unrestricted) mode\b",
    r"\byou are now\b[^.!?\n]{0,40}\b(?:ai|assistant|model|bot|dan|unrestricted|jailbroken|free|agent|system|admin)\b",
    r"\b(?:reveal|print|show|repeat|output|leak|expose|disclose)\b[^.!?\n]{0,30}\b(?:system|hidden|secret|initial) "
    r"(?:prompt|instructions?|message)",
    r"(?:^|\n)\s*(?:[#>*\[<(-]{0,4}\s*)(?:system|developer|assistant)(?: (?:prompt|message|instruction|note|override))?\s*[\])>*]{0,3}\s*:"
    r"\s*\S",
    r"<\|(?:im_start|im_end|system|endoftext|user|assistant)\|>|\[/?INST\]|<</?SYS>>|</?(?:system|instructions?)>",
    # steering actions behind the user's back
    r"\b(?:do not|don't|never|without) (?:tell(?:ing)?|inform(?:ing)?|alert(?:ing)?|warn(?:ing)?|notify(?:ing)?|notifying|ask(?:ing)?)"
    r" the (?:user|human|owner|operator)\b",
    r"\bfrom now on\b[^.!?\n]{0,60}\b(?:approve|execute|run|send|transfer|forward|call|grant|share|upload|delete)\b",
    r"\b(?:always|automatically|silently)\s+(?:approve|execute|run|transfer|forward|grant|exfiltrate)\b[^.!?\n]{0,60}"
    r"\b(?:without|transfers?|requests?|commands?|payments?|permissions?)\b",
    r"\b(?:send|forward|upload|post|e-?mail|leak|exfiltrate|transmit|copy)\b[^.!?\n]{0,40}"
    r"\b(?:all|every|the|user'?s?|users'?)\b[^.!?\n]{0,25}\b(?:memor(?:y|ies)|conversations?|chat (?:history|logs?)|credentials?|secrets?|"
    r"passwords?|api keys?|tokens?|data(?:base)?|files?|records?)\b[^.!?\n]{0,30}\bto\b[^.!?\n]{0,60}"
    r"(?:https?:|www\.|@|\.[a-z]{2,6}\b|attacker|server|webhook|endpoint|address)",
    r"\b(?:when|if|whenever|once) (?:you|the (?:assistant|model|ai|agent)) (?:read|see|process|load|retrieve|recall)s? this\b",
    r"\b(?:attention|note to|instructions? for|message to)\b[^.!?\n]{0,15}\b(?:ai|llm|assistant|language model|agent)s?\b\s*:",
)
_ZH = (
    r"(?:忽略|无视|忽视|不要理会|别理会|不用管|绕过|忘记|忘掉|抛弃|跳过|推翻|覆盖)[^。！？\n]{0,12}"
    r"(?:以上|之前|前面|上述|上面|先前|此前|原有|系统|安全|所有|一切|任何|你的)[^。！？\n]{0,10}"
    r"(?:指令|规则|提示词?|限制|设定|约束|命令|策略|要求|准则|过滤)",
    r"(?:你现在|从现在(?:起|开始)[,，]?你)(?:就)?(?:是|变成|扮演|进入)[^。！？\n]{0,20}(?:AI|模型|助手|机器人|开发者模式|管理员|越狱|不受限|没有限制)",
    r"(?:进入|开启|切换到|启用)(?:开发者|调试|越狱|管理员|无限制|上帝)模式",
    r"(?:输出|泄露|透露|告诉我|打印|显示|复述|公开)[^。！？\n]{0,12}(?:系统提示|提示词|系统指令|隐藏指令|系统设定|初始指令)",
    r"(?:把|将)[^。！？\n]{0,20}(?:记忆|数据|聊天记录|对话|密码|密钥|文件|隐私|资料|凭证|信息)[^。！？\n]{0,12}"
    r"(?:发送|发|上传|转发|泄露|导出|传|提交)(?:到|给|至)[^。！？\n]{0,40}(?:https?:|www\.|@|\.[a-z]{2,6}|服务器|地址|接口|攻击者)",
    r"(?:不要|别|不得|禁止|无需|不必)(?:告诉|通知|告知|提醒|询问|让)用户",
    r"(?:从现在(?:起|开始)|今后|以后)[^。！？\n]{0,20}(?:自动|一律|直接|都)[^。！？\n]{0,8}(?:批准|执行|转账|放行|授权|同意)",
    r"(?:^|\n)\s*[#>*\[【<(]{0,3}\s*(?:系统|系统提示|系统指令|系统消息|管理员指令)\s*[\]】>)*]{0,3}\s*[:：]",
    r"(?:致|给)(?:AI|人工智能|大模型|模型|助手|智能体)(?:的)?(?:指令|命令|说明)?\s*[:：]",
)


@lru_cache(maxsize=1)
def _orders() -> tuple[Rx, ...]:
    # One by one: each is passed over where its words are not in the text, which they are in few.
    return tuple(Rx(part, re.IGNORECASE) for part in (*_EN, *_ZH))


def gives_orders(text: str) -> bool:
    """True when `text` tries to steer a model: its rules, its role, or data it should send away."""
    visible = fold(text)
    if not visible.isprintable():
        visible = "".join(char for char in visible if char.isprintable() or char == "\n")
    return any(order.search(visible) is not None for order in _orders())
