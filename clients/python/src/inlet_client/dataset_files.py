"""Uploads and files of datasets, whose bodies are no JSON."""

from __future__ import annotations

from typing import Literal, Mapping, Optional, Sequence, Union

from .async_operations import AsyncOperations
from .forms import BYTES, JSON, segment
from .operations import Operations
from .streams import Progress, Source, stream_of, type_of
from .types import Dataset
from .values import Array


class DatasetFiles(Operations):
    """Uploads and files of datasets."""

    def upload_dataset(
        self,
        source: Source,
        *,
        type: Optional[str] = None,
        encoding: Optional[str] = None,
        model: Optional[str] = None,
        allowed_special: Union[None, Literal["all"], Sequence[str]] = None,
        document_end: Union[None, int, Literal["endoftext", "eos", "bos"]] = None,
        documents: Optional[Literal["one", "lines"]] = None,
        text_field: Optional[str] = None,
        dtype: Optional[Literal["uint16", "uint32", "int32"]] = None,
        separator_id: Optional[int] = None,
        name: Optional[str] = None,
        document_start: Union[None, int, Literal["endoftext", "eos", "bos"]] = None,
        mask: Optional[Literal["sampled", "tags", "all"]] = None,
        turns: Optional[Literal["auto", "whole", "each", "last"]] = None,
        trailing: Optional[Literal["mask", "train"]] = None,
        refused: Optional[Literal["error", "skip"]] = None,
        chat_template: Optional[str] = None,
        progress: Union[bool, Progress] = False,
        timeout: Optional[float] = None,
    ) -> Dataset:
        """Upload a corpus: once, whatever is read of it. The same content again is the same dataset.

        :param source: A file’s path (.txt, .ndjson, .jsonl, .bin; with .gz or .br behind it it is sent as it
            is packed), bytes, or an iterable of bytes, which is sent as it comes and never tried again.
        :param type: txt, ndjson, bin or a media type. Default: by the file’s ending.
        :param encoding: Name of the encoding that makes ids of text.
        :param model: Id of the model whose tokenizer makes ids of text, instead of ``encoding``.
        :param allowed_special: Special tokens whose literal in the text becomes their id.
        :param document_end: An id appended to each document, ``endoftext``, or the tokenizer’s ``eos``. Default: none.
        :param documents: Of text: one document (default), or one a line.
        :param text_field: Of ndjson: the member that has a line’s text. Default: ``text``.
        :param dtype: Of ids: their type, little-endian.
        :param separator_id: Of ids: a document ends after each of these.
        :param name: A name for people.
        :param document_start: An id put before each document, or ``bos``. Default: none.
        :param mask: Of chats: which tokens are trained. Default: ``sampled``, those that the model itself would have
            sampled.
        :param turns: Of chats: what becomes a document. Default: ``auto``, the whole chat where its mask is exact.
        :param trailing: Of chats: what the template writes after the end of a turn. Default: ``mask``.
        :param refused: Of chats: ``skip`` leaves out those without an exact mask. Default: ``error``.
        :param chat_template: Of chats: the name of one of the model’s templates.
        :param progress: ``True`` writes to stderr how much is sent; a function is called with the bytes that are sent, and
            with how many there are (None of an iterable).
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        media_type, coding = type_of(source, type)
        answer: Dataset = self._ask(
            JSON,
            "POST",
            "/v1/datasets",
            query={
                "encoding": encoding,
                "model": model,
                "allowed_special": allowed_special,
                "document_start": document_start,
                "document_end": document_end,
                "documents": documents,
                "text_field": text_field,
                "dtype": dtype,
                "separator_id": separator_id,
                "name": name,
                "mask": mask,
                "turns": turns,
                "trailing": trailing,
                "refused": refused,
                "chat_template": chat_template,
            },
            headers={"Content-Type": media_type, "Content-Encoding": coding},
            stream=stream_of(source, progress),
            timeout=timeout,
        )
        return answer

    def mix_datasets(
        self,
        mixture: Union[Mapping[str, float], Sequence[Mapping[str, object]]],
        *,
        stages: Optional[Sequence[Mapping[str, object]]] = None,
        name: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dataset:
        """Make a dataset of datasets.

        :param mixture: ``{id: weight}``, or ``{"dataset": id, "weight": w}`` of each.
        :param stages: ``{"from_window": n, "weights": […]}``: weights from a window of the stream on.
        :param name: A name for people.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        body = {"mixture": _members(mixture), "stages": stages, "name": name}
        answer: Dataset = self._ask(JSON, "POST", "/v1/datasets", body=body, timeout=timeout)
        return answer

    def dataset_tokens(self, dataset: str, *, timeout: Optional[float] = None) -> Array:
        """The ids of all documents, one after the other: [num_tokens] of uint16 or uint32, as the dataset stores
        them.

        :param dataset: Id of the dataset.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        dtype = (self.dataset(dataset, timeout=timeout)).get("dtype", "uint16")
        path = f"/v1/datasets/{segment(dataset)}/tokens"
        return _ids(self._ask(BYTES, "GET", path, timeout=timeout), dtype)


class AsyncDatasetFiles(AsyncOperations):
    """Uploads and files of datasets, awaited."""

    async def upload_dataset(
        self,
        source: Source,
        *,
        type: Optional[str] = None,
        encoding: Optional[str] = None,
        model: Optional[str] = None,
        allowed_special: Union[None, Literal["all"], Sequence[str]] = None,
        document_end: Union[None, int, Literal["endoftext", "eos", "bos"]] = None,
        documents: Optional[Literal["one", "lines"]] = None,
        text_field: Optional[str] = None,
        dtype: Optional[Literal["uint16", "uint32", "int32"]] = None,
        separator_id: Optional[int] = None,
        name: Optional[str] = None,
        document_start: Union[None, int, Literal["endoftext", "eos", "bos"]] = None,
        mask: Optional[Literal["sampled", "tags", "all"]] = None,
        turns: Optional[Literal["auto", "whole", "each", "last"]] = None,
        trailing: Optional[Literal["mask", "train"]] = None,
        refused: Optional[Literal["error", "skip"]] = None,
        chat_template: Optional[str] = None,
        progress: Union[bool, Progress] = False,
        timeout: Optional[float] = None,
    ) -> Dataset:
        """:meth:`Inlet.upload_dataset`, awaited."""
        media_type, coding = type_of(source, type)
        answer: Dataset = await self._ask(
            JSON,
            "POST",
            "/v1/datasets",
            query={
                "encoding": encoding,
                "model": model,
                "allowed_special": allowed_special,
                "document_start": document_start,
                "document_end": document_end,
                "documents": documents,
                "text_field": text_field,
                "dtype": dtype,
                "separator_id": separator_id,
                "name": name,
                "mask": mask,
                "turns": turns,
                "trailing": trailing,
                "refused": refused,
                "chat_template": chat_template,
            },
            headers={"Content-Type": media_type, "Content-Encoding": coding},
            stream=stream_of(source, progress),
            timeout=timeout,
        )
        return answer

    async def mix_datasets(
        self,
        mixture: Union[Mapping[str, float], Sequence[Mapping[str, object]]],
        *,
        stages: Optional[Sequence[Mapping[str, object]]] = None,
        name: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dataset:
        """:meth:`Inlet.mix_datasets`, awaited."""
        body = {"mixture": _members(mixture), "stages": stages, "name": name}
        answer: Dataset = await self._ask(JSON, "POST", "/v1/datasets", body=body, timeout=timeout)
        return answer

    async def dataset_tokens(self, dataset: str, *, timeout: Optional[float] = None) -> Array:
        """:meth:`Inlet.dataset_tokens`, awaited."""
        dtype = (await self.dataset(dataset, timeout=timeout)).get("dtype", "uint16")
        path = f"/v1/datasets/{segment(dataset)}/tokens"
        return _ids(await self._ask(BYTES, "GET", path, timeout=timeout), dtype)


def _members(
    mixture: Union[Mapping[str, float], Sequence[Mapping[str, object]]],
) -> Sequence[Mapping[str, object]]:
    if not isinstance(mixture, Mapping):
        return mixture
    return [{"dataset": dataset, "weight": weight} for dataset, weight in mixture.items()]


def _ids(data: bytearray, dtype: str) -> Array:
    import numpy as np

    return np.frombuffer(data, np.dtype(dtype).newbyteorder("<"))
