from __future__ import annotations

from pathlib import Path

from tests.cli_support import Cli


def test_a_token_is_shown_once_and_kept_as_a_digest(cli: Cli, folder: Path) -> None:
    made = cli("token", "create", "laptop", "--user", "ann", "--days", "30", "--json").json
    secret = made["token"]
    listed = cli("token", "list", "--json").json
    assert [(row["name"], row["user"], row["valid"]) for row in listed] == [("laptop", "ann", True)]
    assert secret not in cli("token", "list").out
    for path in folder.iterdir():
        assert secret.encode() not in path.read_bytes()


def test_a_token_alone_is_on_standard_output(cli: Cli) -> None:
    made = cli("token", "create", "laptop")
    assert len(made.out.split()) == 1
    assert "Bearer" in made.err


def test_a_token_is_revoked_by_name_or_id(cli: Cli) -> None:
    assert "No tokens" in cli("token", "list").out
    cli("token", "create", "laptop")
    assert "Revoked" in cli("token", "revoke", "laptop").out
    assert cli("token", "revoke", "laptop").error == "not_found"
    cli("token", "create", "twin")
    second = cli("token", "create", "twin", "--json").json
    assert cli("token", "revoke", "twin").error == "invalid_argument"
    assert cli("token", "revoke", second["id"], "--json").json["id"] == second["id"]
    assert "void" in cli("token", "list").out
