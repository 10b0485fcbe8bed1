"""Which tenant is whose, and how it ends with the user's key.

The name of a tenant is made under the user's key. An erasure destroys that key, so what somebody still writes who
has read before it goes into a tenant that is nobody's: never into that of the same person's new beginning, and
whoever has written looks again and removes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.keys.ports import UserKeys
from mcp_memory_server.storage.weaviate.layout import tenant_name
from mcp_memory_server.storage.weaviate.server import WeaviateServer

TenantOf = Callable[[str], str | None]
"""The tenant of a user as their key is now, None when there is none. May raise UnavailableError."""


def tenants_by(key_of: Callable[[str], bytes | None]) -> TenantOf:
    """Tenants named under the keys of users."""

    def tenant_of(user: str) -> str | None:
        key = key_of(user)
        return None if key is None else tenant_name(key, user)

    return tenant_of


@contextmanager
def still_theirs(server: WeaviateServer, user: str, tenant: str, tenant_of: TenantOf) -> Iterator[None]:
    """Write into a tenant; when the user's key has gone meanwhile, the tenant goes too. Raises UnavailableError."""
    try:
        yield
    finally:  # also when the write failed: a part of it may have arrived
        if tenant_of(user) != tenant:
            server.drop(tenant)


class KeysWithTenants:
    """`UserKeys` that take the user's tenant with them when a key is destroyed."""

    def __init__(self, keys: UserKeys, server: WeaviateServer) -> None:
        self._keys = keys
        self._server = server

    def of(self, user: str) -> bytes | None:
        """The key of a user, None when there is none. Raises UnavailableError."""
        return self._keys.of(user)

    def make(self, user: str) -> bytes:
        """A new key, or the one that is there. Raises UnavailableError."""
        return self._keys.make(user)

    def destroy(self, user: str) -> bool:
        """Remove the tenant, then destroy the key: without the key nobody knows the tenant's name.

        Raises UnavailableError, with the key still there, when the server does not confirm that the tenant is gone.
        """
        key = self._keys.of(user)
        if key is None:
            return self._keys.destroy(user)
        tenant = tenant_name(key, user)
        self._server.drop(tenant)
        done = self._keys.destroy(user)
        with suppress(UnavailableError):  # whoever writes between the two removes it as well
            self._server.drop(tenant)
        return done


_PORT: type[UserKeys] = KeysWithTenants  # the type checker holds it to the port
