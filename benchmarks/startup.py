"""CPU time from the start of the process to its first answer, beside an empty MCPServer in the same run.

python -m benchmarks.startup [--runs 15]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

import psutil

GOAL = 1.3  # times the CPU of an empty server
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "startup", "version": "0"},
}
FIRST = {
    "initialize": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "startup", "version": "0"},
    },
    "server/discover": {"_meta": META},
}
SERVERS = {
    "this server": [sys.executable, "-m", "mcp_memory_server.cli.main"],
    "empty server": [sys.executable, "-m", "benchmarks.empty_server"],
}


def measure(command: list[str], method: str) -> float:
    """Seconds of CPU of one start until the answer to `method` is read."""
    with tempfile.TemporaryDirectory() as folder:
        env = os.environ | {"MEMORY_DATA_DIR": folder}
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
        try:
            if process.stdin is None or process.stdout is None:
                raise RuntimeError("no pipes")
            request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": FIRST[method]}
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            spent = psutil.Process(process.pid).cpu_times()
            if "result" not in answer:
                sys.exit(f"{command}: {answer}")
            return spent.user + spent.system
        finally:
            process.kill()
            process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    names = "".join(f"{name + ' s':>18s}" for name in SERVERS)
    print(f"{'first request':18s}{names}{'ratio':>8s}  goal <= {GOAL}")
    for method in FIRST:
        times: dict[str, list[float]] = {name: [] for name in SERVERS}
        for _ in range(runs):  # in turn, so that a slow moment hits both
            for name, command in SERVERS.items():
                times[name].append(measure(command, method))
        middle = {name: statistics.median(found) for name, found in times.items()}
        ratio = middle["this server"] / middle["empty server"]
        print(f"{method:18s}" + "".join(f"{middle[name]:18.2f}" for name in SERVERS) + f"{ratio:8.2f}")


if __name__ == "__main__":
    main()
