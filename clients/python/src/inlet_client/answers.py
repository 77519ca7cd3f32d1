"""An answer as it comes, and what it says where it is a refusal."""

from __future__ import annotations

import json
import socket
import time
from datetime import timezone
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPResponse
from typing import Dict, NamedTuple, Optional

from .errors import ConnectionFailed, Refused, TimedOut


class Answer(NamedTuple):
    status: int
    headers: Dict[str, str]
    """Their names in small letters."""
    data: bytearray
    """The body, in memory of its own: arrays over it may be written."""

    @property
    def type(self) -> str:
        return self.headers.get("content-type", "").split(";")[0].strip().lower()

    @property
    def text(self) -> str:
        return self.data.decode("utf-8", "replace")


def read_answer(response: HTTPResponse) -> Answer:
    """Reads the whole body.

    :raises ConnectionFailed: where the connection ends before it
    """
    headers = {name.lower(): value for name, value in response.getheaders()}
    try:
        data = _body(response)
    except socket.timeout as error:
        raise TimedOut("The service fell silent within its answer") from error
    except (OSError, HTTPException) as error:
        raise ConnectionFailed(f"The answer broke off: {error!r}") from error
    return Answer(response.status, headers, data)


def _body(response: HTTPResponse) -> bytearray:
    if response.length is None:
        return bytearray(response.read())
    data = bytearray(response.length)
    rest = memoryview(data)
    while rest:
        count = response.readinto(rest)
        if count == 0:
            raise ConnectionFailed(f"The answer broke off: {len(rest)} of {len(data)} bytes are missing")
        rest = rest[count:]
    response.read()
    return data


def seconds_of(header: Optional[str]) -> Optional[float]:
    """``Retry-After``: a number of seconds, or a date. Others are as if there were none."""
    if header is None:
        return None
    if header.strip().isdigit():
        return float(header)
    try:
        date = parsedate_to_datetime(header)
    except (TypeError, ValueError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=timezone.utc)
    return max(0.0, date.timestamp() - time.time())


def refusal(answer: Answer) -> Refused:
    """``{"error": {"code": …}}`` as an exception; what something between has answered, by its first line."""
    request_id = answer.headers.get("x-request-id")
    retry_after = seconds_of(answer.headers.get("retry-after"))
    if answer.status == 304:
        return Refused(304, "not_modified", "The caller has the newest tables", "if_none_match", request_id)
    try:
        error = json.loads(answer.text)["error"]
        code, message, param = error["code"], error["message"], error["param"]
    except (ValueError, KeyError, TypeError):
        first = answer.text.strip().split("\n")[0][:200]
        return Refused(answer.status, None, first or "an empty answer", None, request_id, retry_after)
    return Refused(answer.status, code, message, param, request_id, retry_after)
