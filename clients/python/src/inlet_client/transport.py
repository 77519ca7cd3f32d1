"""One request, as often as it takes."""

from __future__ import annotations

import socket
import ssl
import time
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Optional

from .answers import Answer, read_answer
from .connections import Connections
from .errors import ConnectionFailed, TimedOut
from .forms import Request
from .retries import wait_after


class Transport:
    """Sends requests with a key, and tries again where that can help and does no harm."""

    def __init__(
        self,
        url: str,
        key: Optional[str],
        timeout: float,
        retries: int,
        context: Optional[ssl.SSLContext],
    ) -> None:
        self.url = url
        self._connections = Connections(url, context)
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._timeout = timeout
        self._retries = retries

    def close(self) -> None:
        self._connections.close()

    def send(self, request: Request, timeout: Optional[float]) -> Answer:
        """The answer, where it is not a refusal."""
        silence = self._timeout if timeout is None else timeout
        attempt = 0
        while True:
            attempt += 1
            last = attempt > self._retries or (request.stream is not None and request.stream.once)
            begun = self._begin(request, silence, last)
            answer = None if begun is None else self._finish(*begun, not last and request.repeat)
            wait = wait_after(answer, attempt, last)
            if answer is not None and wait is None:
                return answer
            time.sleep(wait or 0)

    def _begin(
        self, request: Request, silence: float, last: bool
    ) -> Optional[tuple[HTTPConnection, HTTPResponse]]:
        """The head of an answer; None where there is none and another try may get one."""
        connection = self._connections.take(silence)
        sent = False
        try:
            if connection.sock is None:
                connection.connect()
            sent = True
            return connection, self._head(connection, request)
        except (OSError, HTTPException) as error:
            connection.close()
            silent = isinstance(error, socket.timeout)
            if not last and (not sent or (request.repeat and not silent)):
                return None
            if silent:
                raise TimedOut(f"The service was silent for {silence} seconds") from error
            raise ConnectionFailed(f"{'No answer' if sent else 'No connection'}: {error}") from error

    def _head(self, connection: HTTPConnection, request: Request) -> HTTPResponse:
        headers = {**self._headers, **request.headers}
        stream = request.stream
        size = sum(len(part) for part in request.parts) if stream is None else stream.size
        if request.method != "GET":
            name, value = ("Transfer-Encoding", "chunked") if size is None else ("Content-Length", str(size))
            headers[name] = value
        body = (request.parts or None) if stream is None else stream.chunks()
        try:
            target = self._connections.prefix + request.target
            connection.request(
                request.method, target, body=body, headers=headers, encode_chunked=size is None
            )
        except (BrokenPipeError, ConnectionResetError):
            # The service may have refused the body before its end: what it says is still to be read.
            return connection.getresponse()
        return connection.getresponse()

    def _finish(
        self, connection: HTTPConnection, response: HTTPResponse, may_repeat: bool
    ) -> Optional[Answer]:
        """The whole answer; None where it broke off and another try may get it."""
        try:
            answer = read_answer(response)
        except BaseException as error:
            connection.close()
            if may_repeat and isinstance(error, ConnectionFailed) and not isinstance(error, TimedOut):
                return None
            raise
        self._connections.keep(connection)
        return answer
