"""What all calls share: from the fields of a request to the values of its answer."""

from __future__ import annotations

import base64
import json
from typing import Any, Optional
from urllib.parse import quote

import numpy as np

from . import safetensors
from .answers import Answer
from .tensors import Embeddings, Tensors
from .transport import Request, Transport
from .values import Fields, TensorFile, json_body, metadata_of, query_string

JSON = "application/json"
FILE = "application/vnd.safetensors"


def segment(text: str) -> str:
    """A part of a path: ``org/name`` → ``org%2Fname``."""
    return quote(text, safe="")


class Asking:
    """Calls by what they give."""

    _transport: Transport

    def _tensors(self, method: str, path: str, **call: Any) -> Tensors:
        answer = self._ask(method, path, f"{FILE}, {JSON};q=0.5", **call)
        if answer.type == JSON:  # counts alone, which have no tensors
            counts = {name: str(value) for name, value in json.loads(answer.text).items()}
            return Tensors({}, {}, counts, answer.headers)
        return Tensors(*safetensors.read(answer.data), answer.headers)

    def _vectors(self, method: str, path: str, *, body: Fields, **call: Any) -> Embeddings:
        answer = self._json(method, path, body={**body, "encoding_format": "base64"}, **call)
        rows = [base64.b64decode(entry["embedding"]) for entry in answer["data"]]
        array = np.frombuffer(bytearray(b"".join(rows)), "<f4").reshape(len(rows), -1)
        return Embeddings(array, answer)

    def _json(self, method: str, path: str, **call: Any) -> Any:
        text = self._ask(method, path, JSON, **call).text
        return json.loads(text) if text else None

    def _text(self, method: str, path: str, **call: Any) -> str:
        return self._ask(method, path, "*/*", **call).text

    def _ask(
        self,
        method: str,
        path: str,
        accept: str,
        *,
        query: Optional[Fields] = None,
        headers: Optional[Fields] = None,
        body: Optional[Fields] = None,
        raw: Optional[str] = None,
        tensors: Optional[TensorFile] = None,
        repeat: bool = True,
        timeout: Optional[float] = None,
    ) -> Answer:
        """
        :param raw: a field whose bytes, where it has bytes, are the whole body; the others stand in the query then
        :param tensors: the body, of which the fields are the metadata
        """
        given = {name: value for name, value in (headers or {}).items() if value is not None}
        given["Accept"] = accept
        parts: Any = ()
        if tensors is not None:
            given["Content-Type"] = FILE
            parts = [tensors] if isinstance(tensors, bytes) else safetensors.write(tensors, metadata_of(body))
        elif body is not None and raw is not None and isinstance(body[raw], (bytes, bytearray)):
            given["Content-Type"] = "text/plain; charset=utf-8"
            query = {name: value for name, value in body.items() if name != raw}
            parts = [body[raw]]
        elif body is not None:
            given["Content-Type"] = JSON
            parts = [json_body(body)]
        search = query_string(query or {})
        target = f"{path}?{search}" if search else path
        return self._transport.send(Request(method, target, given, parts, repeat), timeout)
