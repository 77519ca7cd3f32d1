"""When a call is tried again."""

from __future__ import annotations

import random
import time
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import Optional

BUSY = (429, 503)
"""Statuses that say: not now. The service has done nothing then."""

FIRST_WAIT = 0.1
LONGEST_WAIT = 30.0
"""Seconds. A service that asks for more is not waited for."""


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


def wait_before(attempt: int, retry_after: Optional[float]) -> float:
    """Seconds before the next try: what the service asks for, or twice as many each time, by chance a little less.

    :param attempt: 1 after the first try
    """
    if retry_after is not None:
        return retry_after
    longest = min(LONGEST_WAIT, FIRST_WAIT * float(2 ** (attempt - 1)))
    return longest * random.uniform(0.5, 1.0)
