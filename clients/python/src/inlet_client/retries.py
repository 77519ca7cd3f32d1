"""When a call is tried again."""

from __future__ import annotations

import logging
import random
from typing import Optional

from .answers import Answer, refusal
from .errors import Refused

BUSY = (429, 503)
"""Statuses that say: not now. The service has done nothing then."""

FIRST_WAIT = 0.1
LONGEST_WAIT = 30.0
"""Seconds. A service that asks for more is not waited for."""

LONGEST_OWN_WAIT = 5.0
"""Seconds between two tries that the service has not named."""

SAID_FROM = 1.0
"""Seconds: shorter waits are not logged."""

log = logging.getLogger("inlet_client")


def wait_before(attempt: int, retry_after: Optional[float]) -> float:
    """Seconds before the next try: what the service asks for, or twice as many each time, by chance a little less.

    :param attempt: 1 after the first try
    """
    if retry_after is not None:
        return retry_after
    longest = min(LONGEST_OWN_WAIT, FIRST_WAIT * float(2 ** (attempt - 1)))
    return longest * random.uniform(0.5, 1.0)


def wait_after(answer: Optional[Answer], attempt: int, last: bool) -> Optional[float]:
    """Seconds before the next try; None where the answer is what was asked for. Logs a warning before a long wait.

    :param answer: None where there is none and another try may get one
    :raises Refused: where another try would not help, or this was the last
    """
    if answer is None:
        return _said(wait_before(attempt, None), attempt, "the service does not answer")
    if 200 <= answer.status < 300:
        return None
    refused = refusal(answer)
    wait = wait_before(attempt, refused.retry_after)
    if last or wait > LONGEST_WAIT or not _may_pass(refused):
        raise refused
    return _said(wait, attempt, str(refused))


def _said(wait: float, attempt: int, reason: str) -> float:
    if wait >= SAID_FROM:
        log.warning("Waiting %.1f s for try %d: %s", wait, attempt + 1, reason)
    return wait


def _may_pass(refused: Refused) -> bool:
    """Whether the service may answer soon: it says when, or something before it is busy."""
    return refused.status in BUSY and (refused.retry_after is not None or refused.code is None)
