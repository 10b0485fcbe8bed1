"""What every archive does: keeps copies under their fingerprint, knows what was changed, and forgets for good."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from mcp_memory_server.errors import DamagedError
from mcp_memory_server.memory.archive_ports import Archive
from mcp_memory_server.memory.archiving import fingerprint
from mcp_memory_server.memory.model import Memory, Status
from mcp_memory_server.memory.ports import Tenancy
from mcp_memory_server.storage.archive.files import FileObjects
from mcp_memory_server.storage.archive.objects import ObjectArchive, ObjectStore
from tests import services
from tests.fakes.archive import MemoryObjects
from tests.support import memory

KEYS = {"ann": bytes(32), "ben": bytes([1]) * 32}


@contextmanager
def _in_memory(_folder: Path) -> Iterator[ObjectStore]:
    yield MemoryObjects()


@contextmanager
def _files(folder: Path) -> Iterator[ObjectStore]:
    yield FileObjects(folder / "archive")
    assert not [path for path in folder.rglob("*") if path.is_file() and path.stat().st_mode & 0o077]


@contextmanager
def _s3(_folder: Path, *, versions: bool = False) -> Iterator[ObjectStore]:
    from mcp_memory_server.storage.archive.s3 import S3Objects

    with services.bucket(versions=versions) as reach:
        yield S3Objects(**reach, prefix="some/where")


# Later stores of objects are added here; one whose server is absent skips with the reason.
STORES: dict[str, Callable[[Path], AbstractContextManager[ObjectStore]]] = {
    "in-memory": _in_memory,
    "files": _files,
    "s3": _s3,
    "s3-versions": lambda folder: _s3(folder, versions=True),
}


@pytest.fixture(
    params=[pytest.param(name, marks=pytest.mark.service if name.startswith("s3") else ()) for name in STORES]
)
def objects(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ObjectStore]:
    with STORES[request.param](tmp_path) as made:
        yield made


@pytest.fixture(params=["plain", "sealed"])
def archive(request: pytest.FixtureRequest, objects: ObjectStore) -> ObjectArchive:
    return ObjectArchive(objects, KEYS.get if request.param == "sealed" else None)


def archived(memory_id: str, statement: str = "I like oolong tea.", user: str = "ann") -> Memory:
    return memory(memory_id, statement, user=user, status=Status.ARCHIVED)


def contents(objects: ObjectStore) -> list[bytes]:
    return [objects.get(key) or b"" for key in objects.keys("")]


def test_a_copy_comes_back_as_it_was(archive: Archive, ann: Tenancy, ben: Tenancy) -> None:
    one = archived("m_1", "我喜欢喝龙井茶。")
    archive.put(ann, [one, archived("m_2")])
    assert archive.get(ann, "m_1", fingerprint(one)) == one
    assert archive.digests(ann) == {"m_1": fingerprint(one), "m_2": fingerprint(archived("m_2"))}
    assert archive.get(ann, "m_1", "0" * 64) is None
    assert archive.get(ann, "m_3", fingerprint(one)) is None
    assert archive.digests(ben) == {}
    assert archive.get(ben, "m_1", fingerprint(one)) is None


def test_writing_twice_changes_nothing_and_a_newer_copy_replaces_the_older(
    archive: Archive, objects: ObjectStore, ann: Tenancy
) -> None:
    one = archived("m_1")
    archive.put(ann, [one])
    archive.put(ann, [one])
    other = replace(one, statement="I like [forgotten].")
    archive.put(ann, [other])
    assert archive.digests(ann) == {"m_1": fingerprint(other)}
    assert archive.get(ann, "m_1", fingerprint(one)) is None
    assert len(objects.keys("")) == 1


@pytest.mark.parametrize("many", [2, 60])
def test_what_is_deleted_is_gone_and_the_rest_stays(
    archive: Archive, objects: ObjectStore, ann: Tenancy, ben: Tenancy, many: int
) -> None:
    archive.put(ann, [archived("m_1"), archived("m_10"), archived("m_2")])
    archive.put(ben, [archived("m_1", user="ben")])
    archive.delete(ann, ["m_1", "m_2", *(f"unknown_{number}" for number in range(many))])
    archive.delete(ann, ["m_1"])
    assert set(archive.digests(ann)) == {"m_10"}
    assert set(archive.digests(ben)) == {"m_1"}
    archive.purge(ann)
    archive.purge(ann)
    assert archive.digests(ann) == {}
    assert len(objects.keys("")) == 1


@pytest.mark.parametrize("damage", ["bit", "short", "head", "empty"])
def test_a_changed_copy_is_never_given_out(archive: Archive, objects: ObjectStore, ann: Tenancy, damage: str) -> None:
    one = archived("m_1")
    archive.put(ann, [one])
    (key,) = objects.keys("")
    body = objects.get(key)
    assert body is not None
    changed = {
        "bit": body[:-5] + bytes([body[-5] ^ 1]) + body[-4:],
        "short": body[:-1],
        "head": b"x" + body[1:],
        "empty": b"",
    }
    objects.put(key, changed[damage])
    with pytest.raises(DamagedError):
        archive.get(ann, "m_1", fingerprint(one))
    assert set(archive.digests(ann)) == {"m_1"}, "nothing is removed by looking"
    archive.put(ann, [one])
    assert archive.get(ann, "m_1", fingerprint(one)) == one


def test_a_copy_in_the_place_of_another_is_not_taken_for_it(
    archive: Archive, objects: ObjectStore, ann: Tenancy
) -> None:
    one, two = archived("m_1"), archived("m_2", "I live in Porto.")
    archive.put(ann, [one, two])
    first, second = objects.keys("")
    body = objects.get(second)
    assert body is not None
    objects.put(first, body)
    with pytest.raises(Exception, match=r"conflict|unavailable"):
        archive.get(ann, "m_1", fingerprint(one))


def test_ids_that_look_like_paths_stay_inside(archive: Archive, objects: ObjectStore, ann: Tenancy) -> None:
    names = ["..", ".", "a/../../b", "c d%2F", "é", "m.1"]
    archive.put(ann, [archived(name) for name in names])
    assert set(archive.digests(ann)) == set(names)
    below = {key.rpartition("/")[0].rpartition("/")[0] for key in objects.keys("")}
    assert len(below) == 1, "all of them lie in the one folder of the user"
    archive.delete(ann, ["..", "a/../../b"])
    assert set(archive.digests(ann)) == set(names) - {"..", "a/../../b"}


def test_sealed_copies_hold_no_words_and_nothing_to_check_a_guess_against(
    objects: ObjectStore, ann: Tenancy, ben: Tenancy
) -> None:
    keys = dict(KEYS)
    archive = ObjectArchive(objects, keys.get)
    one = archived("m_1", "I like oolong tea.")
    archive.put(ann, [one])
    archive.put(ben, [archived("m_1", user="ben")])
    shown = b"".join(contents(objects)) + "".join(objects.keys("")).encode()
    assert b"oolong" not in shown
    assert fingerprint(one).encode() not in shown
    names = {key.rpartition("/")[2] for key in objects.keys("")}
    assert len(names) == 2, "equal memories of two users look different"
    del keys["ann"]
    assert archive.get(ann, "m_1", fingerprint(one)) is None
    archive.put(ann, [one])
    assert len(objects.keys("")) == 2, "of a user whose key is gone nothing is written"
    archive.purge(ann)
    assert len(objects.keys("")) == 1
