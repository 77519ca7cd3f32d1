"""Connections that are kept for the next call."""

from __future__ import annotations

import selectors
import ssl
import threading
from http.client import HTTPConnection, HTTPSConnection
from typing import List, Optional
from urllib.parse import SplitResult, urlsplit

from .errors import InletError


def checked_url(url: str) -> SplitResult:
    """The parts of a service's address.

    :raises InletError: where it is not one of HTTP
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InletError(f"The url must be as http://localhost:8000. Given: {url!r}")
    if parts.path.rstrip("/").endswith("/v1"):
        raise InletError(f"The url must be without /v1, which the methods add. Given: {url!r}")
    return parts


class Connections:
    """Connections to one service, for any number of threads."""

    def __init__(self, url: str, context: Optional[ssl.SSLContext]) -> None:
        parts = checked_url(url)
        self._secure = parts.scheme == "https"
        self._host, self._port = parts.hostname or "", parts.port
        self._context = context
        self._kept: List[HTTPConnection] = []
        self._lock = threading.Lock()
        self.prefix = parts.path.rstrip("/")

    def take(self, timeout: float) -> HTTPConnection:
        """One that was kept and is still open, or a new one that is not open yet."""
        while True:
            with self._lock:
                connection = self._kept.pop() if self._kept else None
            if connection is None:
                return self._new(timeout)
            if _is_quiet(connection):
                connection.timeout = timeout
                connection.sock.settimeout(timeout)
                return connection
            connection.close()

    def keep(self, connection: HTTPConnection) -> None:
        """Keeps one whose answer has been read, unless the service has closed it."""
        if connection.sock is not None:
            with self._lock:
                self._kept.append(connection)

    def close(self) -> None:
        with self._lock:
            kept, self._kept = self._kept, []
        for connection in kept:
            connection.close()

    def _new(self, timeout: float) -> HTTPConnection:
        if self._secure:
            return HTTPSConnection(self._host, self._port, timeout=timeout, context=self._context)
        return HTTPConnection(self._host, self._port, timeout=timeout)


def _is_quiet(connection: HTTPConnection) -> bool:
    """Whether nothing has come since the last answer: what comes is the connection's end."""
    with selectors.DefaultSelector() as selector:
        selector.register(connection.sock, selectors.EVENT_READ)
        return not selector.select(0)
