"""The words of the demo in English and Chinese: what the user says, and what each step shows."""

from __future__ import annotations

from dataclasses import dataclass

FIRST_AGENT = "travel-assistant"
SECOND_AGENT = "cooking-assistant"


@dataclass(frozen=True, slots=True)
class Script:
    """One language of the demo. `private` is what the user later asks to forget."""

    intro: str
    failed: str
    agent: str
    user: str
    memory: str
    says: dict[str, str]
    titles: dict[str, str]
    explains: dict[str, str]
    allergy_said: str
    allergy: str
    home_said: str
    home: str
    guess: str
    question: str
    new_home_said: str
    new_home: str
    answer_said: str
    where: str
    private: str


ENGLISH = Script(
    intro="A real conversation with the real memory server, in a throw-away data folder. Each agent below is a "
    "client process of its own, and starts its own server over stdio, as your assistants would.",
    failed="This step did not do what it says",
    agent="{name} (client process {number})",
    user="You",
    memory="memory",
    says={
        "empty": "nothing is known yet",
        "stored": "stored, supported by your words: {text}",
        "pending": "not stored as true, waits for you ({reason}): {text}",
        "found": "{text}",
        "profile": "known to this agent too: {text}",
        "disputed": "contradiction, asks: {text}",
        "settled": "settled; current: {text}; kept as history: {old}",
        "asks": "the server asks you through your client: {text}",
        "yes": "Yes.",
        "forgotten": "forgotten, receipt {id}; erased in: {places}",
        "gone": "recall no longer finds it",
        "bytes": "{files} files of the data folder searched, byte for byte: the word is in none of them",
    },
    titles={
        "remember": "1. Remember",
        "guess": "2. A guess is not a memory",
        "recall": "3. Recall in a new session",
        "share": "4. The same memory in another agent",
        "contradict": "5. A contradiction is asked about",
        "forget": "6. Forget, with your confirmation",
    },
    explains={
        "remember": "The agent hands over what you said, word for word, and the facts it read in it. A fact that your "
        "words support is stored with them as its evidence.",
        "guess": "This agent concludes something that you never said. The server compares it with your words and keeps "
        "it waiting.",
        "recall": "A new session: the first process has ended, only the data folder is left. The answer says since "
        "when, and in which words.",
        "share": "A second agent joins while the first is still connected. Memory is yours, not an agent's.",
        "contradict": "You tell the second agent something that does not fit. Nothing is overwritten in silence: both "
        "stand side by side until you answer.",
        "forget": "You ask the first agent to forget by words. That may reach more than you mean, so you see what "
        "would go, and decide.",
    },
    allergy_said="I'm allergic to peanuts.",
    allergy="I am allergic to peanuts.",
    home_said="I live in Berlin.",
    home="I live in Berlin.",
    guess="I am a vegetarian.",
    question="What am I allergic to?",
    new_home_said="I live in Lisbon.",
    new_home="I live in Lisbon.",
    answer_said="Lisbon is right, I moved.",
    where="Where do I live?",
    private="peanuts",
)

CHINESE = Script(
    intro="这是与真实记忆服务器的一次真实对话，使用一次性的数据文件夹。下面的每个智能体都是独立的客户端进程，"
    "并像您的助手那样通过 stdio 启动自己的服务器。",
    failed="这一步没有达到它所说的效果",
    agent="{name}（客户端进程 {number}）",
    user="您",
    memory="记忆",
    says={
        "empty": "目前还没有记忆",
        "stored": "已保存，依据是您的原话：{text}",
        "pending": "没有当作事实保存，等待您确认（{reason}）：{text}",
        "found": "{text}",
        "profile": "这个智能体也知道：{text}",
        "disputed": "发现矛盾，提问：{text}",
        "settled": "已确认；现在有效：{text}；作为历史保留：{old}",
        "asks": "服务器通过客户端询问您：{text}",
        "yes": "是。",
        "forgotten": "已删除，回执 {id}；已清除的位置：{places}",
        "gone": "再次查询已找不到",
        "bytes": "逐字节检查了数据文件夹中的 {files} 个文件：都不含这个词",
    },
    titles={
        "remember": "1. 记住",
        "guess": "2. 猜测不是记忆",
        "recall": "3. 在新的会话中回忆",
        "share": "4. 另一个智能体也能用同一份记忆",
        "contradict": "5. 遇到矛盾会询问",
        "forget": "6. 经您确认后忘记",
    },
    explains={
        "remember": "智能体提交您的原话，以及它从中读出的事实。有原话支持的事实会连同原话一起保存。",
        "guess": "这个智能体得出了您没有说过的结论。服务器与原话比对后，让它等待确认。",
        "recall": "新的会话：第一个进程已经结束，只剩下数据文件夹。回答会说明从何时起、原话是什么。",
        "share": "第二个智能体加入，第一个仍然连接着。记忆属于您，而不属于某个智能体。",
        "contradict": "您告诉第二个智能体一件不一致的事。不会悄悄覆盖：两者并列，直到您回答。",
        "forget": "您让第一个智能体按词语忘记。这可能涉及更多内容，所以先给您看会删除什么，由您决定。",
    },
    allergy_said="我对花生过敏。",
    allergy="我对花生过敏。",
    home_said="我住在柏林。",
    home="我住在柏林。",
    guess="我是素食者。",
    question="我对什么过敏？",
    new_home_said="我住在里斯本。",
    new_home="我住在里斯本。",
    answer_said="里斯本是对的，我搬家了。",
    where="我住在哪里？",
    private="花生",
)


def script(lang: str) -> Script:
    """The demo's words in a language."""
    return CHINESE if lang == "zh" else ENGLISH
