"""The forms in which calls give answers, and how each is asked for."""

from __future__ import annotations

import base64
import json
from typing import Any, Callable, Generic, Mapping, NamedTuple, Optional, Sequence, TypeVar, Union
from urllib.parse import quote

from . import safetensors
from .answers import Answer
from .streams import Stream
from .tensors import Embeddings, Tensors
from .values import Fields, TensorFile, json_body, metadata_of, query_string

JSON_TYPE = "application/json"
FILE = "application/vnd.safetensors"
OCTETS = "application/octet-stream"
# Element types of embeddings that are no float32.
BYTE_TYPES = {"int8": "i1", "uint8": "u1", "binary": "i1", "ubinary": "u1"}

Given = TypeVar("Given")


class Form(Generic[Given]):
    """A form of answers.

    :param accept: the header that asks for it
    :param read: makes the call's value of the answer
    :param fields: which the body has besides the caller's own
    """

    def __init__(
        self, accept: str, read: Callable[[Answer], Given], fields: Optional[Mapping[str, str]] = None
    ) -> None:
        self.accept = accept
        self.read = read
        self.fields = fields or {}


def _tensors(answer: Answer) -> Tensors:
    if answer.type != JSON_TYPE:
        return Tensors(*safetensors.read(answer.data), answer.headers)
    # Counts alone, which have no tensors; those of a list of texts say where each begins.
    given = json.loads(answer.text)
    documents = given.pop("documents", None)
    counts = {name: str(value) for name, value in given.items()}
    if documents is None:
        return Tensors({}, {}, counts, answer.headers)
    import numpy as np

    starts = np.array([document["start"] for document in documents] + [given["num_tokens"]], np.int32)
    return Tensors({"document_starts": starts}, {"document_starts": "int32"}, counts, answer.headers)


def _vectors(answer: Answer) -> Embeddings:
    import numpy as np

    given = json.loads(answer.text)
    rows = [base64.b64decode(entry["embedding"]) for entry in given["data"]]
    dtype = BYTE_TYPES.get(given.get("output_dtype"), "<f4")
    array = np.frombuffer(bytearray(b"".join(rows)), dtype).reshape(len(rows), -1)
    return Embeddings(array, given)


def _json(answer: Answer) -> Any:
    return json.loads(answer.text) if answer.text else None


TENSORS = Form(f"{FILE}, {JSON_TYPE};q=0.5", _tensors)
VECTORS = Form(JSON_TYPE, _vectors, {"encoding_format": "base64"})
BYTES = Form(OCTETS, lambda answer: answer.data)
FILE_BYTES = Form(FILE, lambda answer: bytes(answer.data))
JSON: Form[Any] = Form(JSON_TYPE, _json)
TEXT = Form("*/*", lambda answer: answer.text)


class Request(NamedTuple):
    method: str
    target: str
    headers: Mapping[str, str]
    parts: Sequence[Union[bytes, memoryview]]
    """The body: all of them, one after the other."""
    repeat: bool
    """Whether asking twice is as good as asking once."""
    stream: Optional[Stream] = None
    """The body, in place of the parts, where it is read while it is sent."""


def segment(part: Union[str, int]) -> str:
    """A part of a path: ``org/name`` → ``org%2Fname``."""
    return quote(str(part), safe="")


def request_for(
    form: Form[Any],
    method: str,
    path: str,
    *,
    query: Optional[Fields] = None,
    headers: Optional[Mapping[str, Union[None, str, int]]] = None,
    body: Optional[Fields] = None,
    raw: Optional[str] = None,
    tensors: Optional[TensorFile] = None,
    stream: Optional[Stream] = None,
    repeat: bool = True,
) -> Request:
    """A call's fields as a request.

    :param raw: a field whose bytes, where it has bytes, are the whole body; the others stand in the query then
    :param tensors: the body, of which the fields are the metadata
    :param stream: the body, read while it is sent
    """
    given = {name: str(value) for name, value in (headers or {}).items() if value is not None}
    given["Accept"] = form.accept
    parts: Sequence[Union[bytes, memoryview]] = ()
    text = None if body is None or raw is None else body[raw]
    if tensors is not None:
        given["Content-Type"] = FILE
        parts = [tensors] if isinstance(tensors, bytes) else safetensors.write(tensors, metadata_of(body))
    elif body is not None and isinstance(text, (bytes, bytearray)):
        given["Content-Type"] = "text/plain; charset=utf-8"
        query = {name: value for name, value in body.items() if name != raw}
        parts = [bytes(text)]
    elif body is not None:
        given["Content-Type"] = JSON_TYPE
        parts = [json_body({**body, **form.fields})]
    search = query_string(query or {})
    return Request(method, f"{path}?{search}" if search else path, given, parts, repeat, stream)
