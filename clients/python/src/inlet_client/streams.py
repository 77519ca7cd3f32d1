"""Bodies that are read while they are sent."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Callable, Iterable, Iterator, NamedTuple, Optional, Tuple, Union

BLOCK_BYTES = 1 << 18

Source = Union[str, "os.PathLike[str]", bytes, Iterable[bytes]]
"""A file's path, bytes, or an iterable of bytes."""

Progress = Callable[[int, Optional[int]], None]
"""Called with the bytes that are sent so far, and with how many there are, where that is known."""

TYPES = {
    ".txt": "text/plain; charset=utf-8",
    ".ndjson": "application/x-ndjson",
    ".jsonl": "application/x-ndjson",
    ".bin": "application/octet-stream",
}
"""Media types by the endings of files."""

CODINGS = {".gz": "gzip", ".br": "br"}
"""Values of ``Content-Encoding`` by the endings of packed files."""


class Stream(NamedTuple):
    """A body."""

    source: Source
    size: Optional[int]
    """Bytes, where that is known."""
    once: bool
    """Whether it can be read only once, so that nothing is tried again."""
    progress: Optional[Progress] = None

    def chunks(self) -> Iterable[bytes]:
        """Its bytes from the first on."""
        chunks = self._chunks()
        return chunks if self.progress is None else _told(chunks, self.size, self.progress)

    def _chunks(self) -> Iterable[bytes]:
        if isinstance(self.source, bytes):
            source = self.source
            return (source[at : at + BLOCK_BYTES] for at in range(0, len(source), BLOCK_BYTES))
        if isinstance(self.source, (str, os.PathLike)):
            return _file(Path(self.source))
        # An empty chunk would end the body.
        return (chunk for chunk in self.source if chunk)


def stream_of(source: Source, progress: Union[bool, Progress] = False) -> Stream:
    """A body of a file, of bytes, or of an iterable.

    :param progress: ``True`` writes a line to stderr
    :raises OSError: where a file cannot be read
    """
    told = progress if callable(progress) else shown_progress() if progress else None
    if isinstance(source, bytes):
        return Stream(source, len(source), False, told)
    if isinstance(source, (str, os.PathLike)):
        return Stream(source, Path(source).stat().st_size, False, told)
    return Stream(source, None, True, told)


def type_of(source: Source, given: Optional[str]) -> Tuple[str, Optional[str]]:
    """The media type of a body, and how it is packed, by its file's ending.

    >>> type_of("corpus.jsonl.gz", None)
    ('application/x-ndjson', 'gzip')

    :param given: the media type, or an ending, as ``ndjson``
    :raises ValueError: where neither says the type
    """
    path = Path(source) if isinstance(source, (str, os.PathLike)) else Path()
    coding = CODINGS.get(path.suffix.lower())
    ending = (path.with_suffix("") if coding else path).suffix.lower()
    if given is not None:
        return TYPES.get(f".{given}", given), coding
    if ending not in TYPES:
        raise ValueError(f"type is needed where no file ends with {', '.join(TYPES)}. Given: {path.name!r}")
    return TYPES[ending], coding


def shown_progress() -> Progress:
    """Writes ``12.3 of 45.6 MB`` to stderr, over itself, several times a second."""
    last = 0.0

    def show(sent: int, size: Optional[int]) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < 0.2 and sent != size:
            return
        last = now
        whole = "" if size is None else f" of {size / 1e6:.1f}"
        end = "\n" if sent == size else ""
        print(f"\r{sent / 1e6:.1f}{whole} MB", end=end, file=sys.stderr, flush=True)

    return show


def _told(chunks: Iterable[bytes], size: Optional[int], progress: Progress) -> Iterator[bytes]:
    sent = 0
    for chunk in chunks:
        yield chunk
        sent += len(chunk)
        progress(sent, size)


def _file(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while True:
            block = file.read(BLOCK_BYTES)
            if not block:
                return
            yield block
