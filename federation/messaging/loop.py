"""Keeps the courier going for as long as the gateway runs."""

from __future__ import annotations

import logging
from typing import Final

import anyio
from anyio import to_thread

from federation.errors import StoreError
from federation.limits import COURIER_SECONDS, DELIVERY_DAYS, SWEEP_SECONDS
from federation.messaging.courier import Courier
from federation.messaging.ports import InboxStore
from federation.ports import Now

_log = logging.getLogger(__name__)
_DAY: Final = 86_400.0


class CourierLoop:
    """Looks at the outbox every so often, and now and then forgets ids that no sender will repeat."""

    def __init__(self, courier: Courier, inbox: InboxStore, *, now: Now, seconds: float = COURIER_SECONDS) -> None:
        self._courier = courier
        self._inbox = inbox
        self._now = now
        self._seconds = seconds
        self._swept = float("-inf")

    async def run(self) -> None:
        """Until it is cancelled. A store that is down for a while ends nothing."""
        while True:
            try:
                brought = await self._courier.run_once()
                await self._sweep()
            except StoreError as error:
                _log.warning("the outbox is put off: %s", error.code)
                brought = 0
            if not brought:
                await anyio.sleep(self._seconds)

    async def _sweep(self) -> None:
        now = self._now()
        if now < self._swept + SWEEP_SECONDS:
            return
        self._swept = now
        # One day more than a sender tries: no message can come again after that.
        await to_thread.run_sync(lambda: self._inbox.sweep(before=now - (DELIVERY_DAYS + 1) * _DAY))
