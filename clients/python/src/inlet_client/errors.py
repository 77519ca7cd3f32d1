"""What a call raises."""

from __future__ import annotations

from typing import Optional


class InletError(Exception):
    """Any failure of a call."""


class ConnectionFailed(InletError):
    """No connection, or one that ended before the whole answer was there."""


class TimedOut(ConnectionFailed):
    """The service was silent for longer than ``timeout``."""


class Refused(InletError):
    """The service answered with an error."""

    status: int
    """The HTTP status, as 422."""
    code: Optional[str]
    """The service's own name for it, as ``context_too_long``; None where something between has answered."""
    message: str
    param: Optional[str]
    """The field that is wrong, as ``position_embedding.base``."""
    request_id: Optional[str]
    """Under which the service has logged the request."""
    retry_after: Optional[float]
    """Seconds until another try makes sense."""

    def __init__(
        self,
        status: int,
        code: Optional[str],
        message: str,
        param: Optional[str] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(f"{status} {code or 'no code'}: {message}")
        self.status = status
        self.code = code
        self.message = message
        self.param = param
        self.request_id = request_id
        self.retry_after = retry_after
