"""Bodies that are read while they are sent."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Iterable, Iterator, NamedTuple, Optional, Tuple, Union

BLOCK_BYTES = 1 << 18

Source = Union[str, "os.PathLike[str]", bytes, Iterable[bytes]]
"""A file's path, bytes, or an iterable of bytes."""

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

    def chunks(self) -> Iterable[bytes]:
        """Its bytes from the first on."""
        if isinstance(self.source, bytes):
            return [self.source]
        if isinstance(self.source, (str, os.PathLike)):
            return _file(Path(self.source))
        # An empty chunk would end the body.
        return (chunk for chunk in self.source if chunk)


def stream_of(source: Source) -> Stream:
    """A body of a file, of bytes, or of an iterable.

    :raises OSError: where a file cannot be read
    """
    if isinstance(source, bytes):
        return Stream(source, len(source), False)
    if isinstance(source, (str, os.PathLike)):
        return Stream(source, Path(source).stat().st_size, False)
    return Stream(source, None, True)


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


def _file(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while True:
            block = file.read(BLOCK_BYTES)
            if not block:
                return
            yield block
