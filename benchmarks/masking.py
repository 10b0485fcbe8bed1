"""Scores the guard on a generated set: `python benchmarks/masking.py [--count N] [--seed S] [--show]`.

Secrets of every kind (valid checks, random otherwise) stand in English and Chinese sentences, and so do
look-alikes that must stay. Recall counts secrets of which no letter or digit is left; the false rate
counts masks that touch no secret.
"""

from __future__ import annotations

import argparse
import random
import string
from collections import Counter

from mcp_memory_server.memory.guard import guard
from mcp_memory_server.memory.guarding import checksums

Pick = random.Random


def digits(pick: Pick, count: int) -> str:
    return "".join(pick.choice(string.digits) for _ in range(count))


def token(pick: Pick, count: int, letters: str = string.ascii_letters + string.digits) -> str:
    return "".join(pick.choice(letters) for _ in range(count - 4)) + digits(pick, 3) + pick.choice(string.ascii_letters)


def card(pick: Pick) -> str:
    head = pick.choice(["4", "51", "55", "6217", "622848", "34", "37"])
    length = 15 if head in ("34", "37") else 19 if head.startswith("62") else 16
    body = head + digits(pick, length - len(head) - 1)
    number = next(body + check for check in string.digits if checksums.luhn(body + check))
    return (
        pick.choice([number, " ".join(number[i : i + 4] for i in range(0, len(number), 4))]) if length == 16 else number
    )


def iban(pick: Pick) -> str:
    country, length = pick.choice([("DE", 22), ("GB", 22), ("FR", 27), ("NL", 18), ("ES", 24)])
    bank = "ABNA" if country == "NL" else "BARC" if country == "GB" else ""
    body = bank + digits(pick, length - 4 - len(bank))
    number = next(
        f"{country}{check:02d}{body}" for check in range(2, 99) if checksums.iban(f"{country}{check:02d}{body}")
    )
    return pick.choice([number, " ".join(number[i : i + 4] for i in range(0, len(number), 4))])


def chinese_id(pick: Pick) -> str:
    body = (
        pick.choice(["110105", "310104", "440305", "510107"])
        + f"{pick.randint(1950, 2008)}{pick.randint(1, 12):02d}{pick.randint(1, 28):02d}"
        + digits(pick, 3)
    )
    return next(body + check for check in "0123456789X" if checksums.chinese_id(body + check))


def mobile(pick: Pick) -> str:
    number = f"1{pick.choice('356789')}{digits(pick, 9)}"
    return pick.choice(
        [
            number,
            f"{number[:3]}-{number[3:7]}-{number[7:]}",
            f"{number[:3]} {number[3:7]} {number[7:]}",
            f"+86 {number}",
        ]
    )


def phone(pick: Pick) -> str:
    return pick.choice(
        [
            f"+44 7700 900{digits(pick, 3)}",
            f"({pick.choice([212, 303, 415, 617, 718, 973])}) 555-01{digits(pick, 2)}",
            f"{pick.choice([212, 303, 415, 617, 718, 973])}-555-01{digits(pick, 2)}",
            f"+49 151 {digits(pick, 8)}",
            f"07700 900{digits(pick, 3)}",
            f"+1 {pick.choice([212, 303, 415, 617, 718, 973])} 555 01{digits(pick, 2)}",
        ]
    )


def password(pick: Pick) -> str:
    word = pick.choice(["Maple", "harbor", "Kite", "sunny", "Otter", "granite", "Lotus"])
    return pick.choice(
        [
            f"{word}!{digits(pick, 4)}",
            f"{word}{digits(pick, 3)}{pick.choice('@#$&*')}",
            f"{word}-{pick.choice(['tide', 'fox', 'nine'])}-{digits(pick, 2)}",
            token(pick, 10),
        ]
    )


def code(pick: Pick) -> str:
    return pick.choice([digits(pick, 4), digits(pick, 6), digits(pick, 4) + "#"])


def email(pick: Pick) -> str:
    name = pick.choice(["mara.v", "li_wei", "tomasz+news", "o-hara", "k88", "anna"])
    return f"{name}{digits(pick, 2)}@{pick.choice(['example.org', 'mail.example.com', 'example.co.uk', 'qq.example'])}"


def key(pick: Pick) -> str:
    return pick.choice(
        [
            f"sk-{token(pick, 32)}",
            f"ghp_{token(pick, 36)}",
            f"AKIA{digits(pick, 4)}{'QWERTYUIOPAS'}",
            f"AIza{token(pick, 35)}",
            f"xoxb-{digits(pick, 11)}-{token(pick, 16)}",
            f"glpat-{token(pick, 20)}",
        ]
    )


def passport(pick: Pick) -> str:
    return pick.choice(["E", "EJ", "G", "X", "C"]) + digits(pick, 8)


SECRETS = {
    "phone": (
        [phone],
        [
            "You can reach me on {}.",
            "My number is {}, call any time.",
            "Text me at {} when you land.",
            "{} is my mobile.",
        ],
    ),
    "mobile": ([mobile], ["我的手机号是{}，有事打给我。", "联系电话：{}", "打{}找我", "{}是我新号码"]),
    "email": ([email], ["Write to {} please.", "my mail is {}, thanks", "我的邮箱是{}。", "发到{}就行"]),
    "national_id": (
        [chinese_id],
        ["我的身份证是{}，麻烦填一下。", "身份证号：{}", "ID card {} for the form", "证件号码{}"],
    ),
    "passport": ([passport], ["My passport number is {}.", "Passport no. {}", "护照号是{}，快到期了。", "护照：{}"]),
    "bank_card": ([card], ["退款请退到{}这张卡。", "My card is {}.", "Charge the card {} please.", "银行卡号{}"]),
    "iban": ([iban], ["Refund it to {}, please.", "IBAN: {}", "Transfer the rent to {}.", "汇到{}"]),
    "password": (
        [password],
        [
            "My password is {}.",
            "the wifi password: {}",
            "我家wifi密码是{}，别告诉别人。",
            "密码：{}",
            "I changed the passphrase to {}.",
            "登录密码改成了{}",
        ],
    ),
    "code": (
        [code],
        [
            "The door code is {}.",
            "PIN: {}",
            "the alarm code is {}, don't share it",
            "验证码{}，五分钟内有效",
            "门禁密码是{}",
            "Your one-time code is {}",
        ],
    ),
    "api_key": ([key], ["The API key is {}.", "export TOKEN={}", "密钥是{}", "use {} for the deploy"]),
}
LOOK_ALIKES = {
    "order": lambda p: f"Order {digits(p, 4)} {digits(p, 4)} {digits(p, 4)} {digits(p, 4)} still hasn't shipped.",
    "order_zh": lambda p: f"订单号2025{digits(p, 14)}还没发货。",
    "parcel": lambda p: f"Tracking number 1Z999AA1{digits(p, 10)} says delivered.",
    "parcel_zh": lambda p: f"快递单号SF{digits(p, 13)}到了吗",
    "isbn": lambda p: f"ISBN 978-7-5000-{digits(p, 4)}-{p.randint(0, 9)} is out of print.",
    "version": lambda p: (
        f"We run version {p.randint(1, 20)}.{p.randint(0, 9)}.{p.randint(0, 9)}.{p.randint(100, 999)} at work."
    ),
    "flight": lambda p: f"订好了{p.choice(['MU', 'CA', 'HU'])}{digits(p, 4)}，早上起飞。",
    "booking": lambda p: f"My booking reference is {p.choice('KQZ')}{digits(p, 1)}{p.choice('LMN')}{digits(p, 2)}P.",
    "last_four": lambda p: f"The card ending in {digits(p, 4)} was charged twice.",
    "hotline": lambda p: f"打{p.choice(['12306', '10086', '95588', '12315', '400-820-8820'])}问了半天。",
    "toll_free": lambda p: f"Call customer service on 1-800-555-{digits(p, 4)}.",
    "password_word": lambda p: p.choice(
        [
            "I forgot my password again.",
            "My password is wrong.",
            "忘了密码，点重置又转圈。",
            "密码错误三次了",
            "Is a long password better?",
            "The password is the same as before.",
            "How do I reset my PIN?",
            "密码太简单了",
        ]
    ),
    "date": lambda p: (
        f"We met on {p.randint(2000, 2025)}-{p.randint(1, 12):02d}-{p.randint(1, 28):02d} at {p.randint(8, 20)}:30."
    ),
    "amount": lambda p: f"It cost {p.randint(1, 9)},{digits(p, 3)},{digits(p, 3)} dollars in {p.randint(1990, 2024)}.",
    "ip": lambda p: f"The server is at 192.168.{p.randint(0, 255)}.{p.randint(1, 254)}.",
    "hash": lambda p: f"commit {''.join(p.choice('0123456789abcdef') for _ in range(40))} broke it",
    "serial": lambda p: f"Serial number {digits(p, 16)} of the fridge.",
    "member": lambda p: f"会员号{digits(p, 12)}，积分查一下",
    "score": lambda p: (
        f"I ran {p.randint(5, 42)} km in {p.randint(20, 59)}:{p.randint(10, 59)} and got {digits(p, 4)} points."
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=20250604)
    parser.add_argument("--show", action="store_true", help="print what went wrong")
    options = parser.parse_args()
    pick = random.Random(options.seed)
    count: Counter[str] = Counter()
    for _ in range(options.count):
        if pick.random() < 0.5:
            kind = pick.choice(list(SECRETS))
            makers, frames = SECRETS[kind]
            secret = pick.choice(makers)(pick)
            text = pick.choice(frames).format(secret)
            start = text.index(secret)
            covered = {i for mask in guard(text).masks for i in range(mask.start, mask.end)}
            whole = all(i in covered for i in range(start, start + len(secret)) if text[i].isalnum())
            stray = sum(1 for mask in guard(text).masks if mask.end <= start or mask.start >= start + len(secret))
            count.update(
                {
                    f"{kind} n": 1,
                    f"{kind} ok": whole,
                    "secrets": 1,
                    "found": whole,
                    "masks": len(guard(text).masks),
                    "false": stray,
                }
            )
            if options.show and (not whole or stray):
                print(kind, "|", text, "|", guard(text).text)
        else:
            kind = pick.choice(list(LOOK_ALIKES))
            text = LOOK_ALIKES[kind](pick)
            masks = guard(text).masks
            count.update(
                {f"{kind} n": 1, f"{kind} ok": not masks, "masks": len(masks), "false": len(masks), "clean": 1}
            )
            if options.show and masks:
                print(kind, "|", text, "|", guard(text).text)
    print(f"{options.count} sentences, {len(LOOK_ALIKES)} kinds of look-alikes")
    print(
        f"recall {count['found'] / count['secrets']:.4f} of {count['secrets']},"
        f" false masks {count['false'] / max(1, count['masks']):.4f} of {count['masks']}"
    )
    for kind in (*SECRETS, *LOOK_ALIKES):
        print(f"  {kind:14} {count[f'{kind} ok']:4} of {count[f'{kind} n']}")


if __name__ == "__main__":
    main()
