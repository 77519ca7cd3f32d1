"""One request of an event loop, as often as it takes, by httpx."""

from __future__ import annotations

import asyncio
import ssl
from typing import AsyncIterator, Optional, Union

from .answers import Answer
from .connections import checked_url
from .errors import ConnectionFailed, TimedOut
from .forms import Request
from .needed import needed
from .retries import wait_after
from .streams import Stream


class AsyncTransport:
    """Sends requests with a key, and tries again where that can help and does no harm."""

    def __init__(
        self, url: str, key: Optional[str], timeout: float, retries: int, context: Optional[ssl.SSLContext]
    ) -> None:
        needed("httpx", "AsyncInlet", "httpx")
        import httpx

        checked_url(url)
        self.url = url.rstrip("/")
        self._timeout = timeout
        self._retries = retries
        self._client = httpx.AsyncClient(
            headers={"Accept-Encoding": "identity", **({"Authorization": f"Bearer {key}"} if key else {})},
            limits=httpx.Limits(max_connections=None),
            trust_env=False,
            verify=context or ssl.create_default_context(),
        )

    async def close(self) -> None:
        await self._client.aclose()

    async def send(self, request: Request, timeout: Optional[float]) -> Answer:
        """The answer, where it is not a refusal."""
        silence = self._timeout if timeout is None else timeout
        attempt = 0
        while True:
            attempt += 1
            last = attempt > self._retries or (request.stream is not None and request.stream.once)
            answer = await self._try(request, silence, last)
            wait = wait_after(answer, attempt, last)
            if answer is not None and wait is None:
                return answer
            await asyncio.sleep(wait or 0)

    async def _try(self, request: Request, silence: float, last: bool) -> Optional[Answer]:
        """An answer; None where there is none and another try may get one."""
        import httpx

        method, target, given, parts, repeat, stream = request
        headers = dict(given)
        content: Union[None, bytes, AsyncIterator[bytes]] = None if method == "GET" else b"".join(parts)
        if stream is not None:
            content = _from_thread(stream)
            if stream.size is not None:
                headers["Content-Length"] = str(stream.size)
        built = self._client.build_request(
            method, self.url + target, headers=headers, content=content, timeout=silence
        )
        try:
            response = await self._client.send(built, stream=True)
        except httpx.TransportError as error:
            sent = not isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout))
            silent = isinstance(error, httpx.TimeoutException)
            if not last and (not sent or (repeat and not silent)):
                return None
            if silent:
                raise TimedOut(f"The service was silent for {silence} seconds") from error
            raise ConnectionFailed(f"{'No answer' if sent else 'No connection'}: {error}") from error
        try:
            data = bytearray()
            async for chunk in response.aiter_raw():
                data += chunk
        except httpx.TimeoutException as error:
            raise TimedOut("The service fell silent within its answer") from error
        except httpx.TransportError as error:
            if repeat and not last:
                return None
            raise ConnectionFailed(f"The answer broke off: {error!r}") from error
        finally:
            await response.aclose()
        given = {name.lower(): value for name, value in response.headers.items()}
        return Answer(response.status_code, given, data)


async def _from_thread(stream: Stream) -> AsyncIterator[bytes]:
    """The chunks of a body, which are read beside the event loop."""
    chunks = iter(stream.chunks())
    while True:
        chunk = await asyncio.to_thread(next, chunks, None)
        if chunk is None:
            return
        yield chunk
