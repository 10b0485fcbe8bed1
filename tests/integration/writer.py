"""A server process that remembers: `python writer.py URL KEYS DATA USER COUNT`; a line for every acknowledged fact."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from mcp_memory_server.memory.service import RememberRequest
from tests.integration.support import application, principal


def main() -> None:
    url, folder, data, user, count = sys.argv[1:]
    app = application(url, Path(folder), Path(data))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    for number in range(int(count)):
        said = f"The code of locker {number} of {data[-1]} is {number + 7000}."
        answer = app.service.remember(principal(user), RememberRequest(said=said, session="s"))
        sys.stdout.write(answer["utterance"] + "\n")
        sys.stdout.flush()
    app.close()


if __name__ == "__main__":
    main()
