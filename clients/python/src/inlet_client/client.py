"""The clients."""

from __future__ import annotations

import ssl
from types import TracebackType
from typing import Optional, Type

from .async_transport import AsyncTransport
from .learning_files import AsyncLearningFiles, LearningFiles
from .transport import Transport


class Inlet(LearningFiles):
    """Calls one service. Threads may share it; it keeps connections until it is closed.

    :param url: as ``http://localhost:8000``; a path before the service's own may follow
    :param key: one of the service's keys, for admin methods the admin key
    :param timeout: seconds that the service may be silent
    :param retries: how often a call is tried again: where there is no connection, or the service is busy (429, 503)
        and ``Retry-After`` asks for at most 30 seconds. Methods that change nothing are also tried again where the
        connection ends before the whole answer is there. 0: never
    :param ssl_context: for ``https``; default: that of Python
    """

    def __init__(
        self,
        url: str,
        key: Optional[str] = None,
        *,
        timeout: float = 60.0,
        retries: int = 3,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self._transport = Transport(url, key, timeout, retries, ssl_context)

    def __repr__(self) -> str:
        return f"Inlet({self._transport.url!r})"

    def close(self) -> None:
        """Closes the kept connections. Later calls open new ones."""
        self._transport.close()

    def __enter__(self) -> Inlet:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()


class AsyncInlet(AsyncLearningFiles):
    """Calls one service from an event loop: the methods of :class:`Inlet`, awaited. Needs httpx.

    The parameters are those of :class:`Inlet`.

    :raises ImportError: where httpx is not installed
    """

    def __init__(
        self,
        url: str,
        key: Optional[str] = None,
        *,
        timeout: float = 60.0,
        retries: int = 3,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self._transport = AsyncTransport(url, key, timeout, retries, ssl_context)

    def __repr__(self) -> str:
        return f"AsyncInlet({self._transport.url!r})"

    async def close(self) -> None:
        """Closes the kept connections. No call can follow."""
        await self._transport.close()

    async def __aenter__(self) -> AsyncInlet:
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self.close()
