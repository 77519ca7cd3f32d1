"""One call of a client, from its fields to its value."""

from __future__ import annotations

from typing import Any, Optional

from .async_transport import AsyncTransport
from .forms import Form, Given, request_for
from .transport import Transport


class Asking:
    """Calls that wait for their answers."""

    _transport: Transport

    def _ask(
        self, form: Form[Given], method: str, path: str, *, timeout: Optional[float], **call: Any
    ) -> Given:
        return form.read(self._transport.send(request_for(form, method, path, **call), timeout))


class AsyncAsking:
    """Calls that are awaited."""

    _transport: AsyncTransport

    async def _ask(
        self, form: Form[Given], method: str, path: str, *, timeout: Optional[float], **call: Any
    ) -> Given:
        return form.read(await self._transport.send(request_for(form, method, path, **call), timeout))
