"""Batches of a dataset, as a training loop reads them."""

# torch's types are known only where torch is installed.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import os
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Callable, Deque, Dict, Iterator, Mapping, Optional, TypeVar

from .client import Inlet
from .errors import Refused
from .types import DatasetPlan

Batch = Dict[str, Any]
"""NumPy arrays by name, or torch tensors."""

Given = TypeVar("Given")


class Dataset:
    """A dataset of a service.

    The parameters are those of :class:`Inlet`. Each process has a connection of its own, made at its first request, so
    that workers may be forked or spawned.

    :param id: as ``ds_…``, of :meth:`Inlet.upload_dataset`
    """

    def __init__(
        self, url: str, id: str, key: Optional[str] = None, *, timeout: float = 60.0, retries: int = 3
    ) -> None:
        self.id = id
        self._service: Dict[str, Any] = {"url": url, "key": key, "timeout": timeout, "retries": retries}
        self._inlet: Optional[Inlet] = None
        self._process = 0

    def __repr__(self) -> str:
        return f"Dataset({self._service['url']!r}, {self.id!r})"

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_inlet": None}

    def inlet(self) -> Inlet:
        """This process's client."""
        if self._inlet is None or self._process != os.getpid():
            self._inlet, self._process = Inlet(**self._service), os.getpid()
        return self._inlet

    def plan(self, context_length: int, batch_size: int, **recipe: Any) -> DatasetPlan:
        """What a recipe will give, waited for while its windows are computed."""
        return _patient(lambda: self.inlet().dataset_plan(self.id, context_length, batch_size, **recipe))

    def batches(
        self,
        context_length: int,
        batch_size: int,
        *,
        torch: bool = False,
        prefetch: int = 2,
        ids_dtype: str = "int64",
        **recipe: Any,
    ) -> Batches:
        """The batches of an epoch. One request asks for their number; each batch is a request.

        :param torch: torch tensors in place of NumPy arrays
        :param prefetch: how many batches an iteration asks for ahead, over one kept connection
        :param recipe: the fields of :meth:`Inlet.dataset_batch`: ``epoch``, ``shuffle``, ``seed``, ``rank`` …
        """
        sizes = {"context_length": context_length, "batch_size": batch_size}
        asked: Dict[str, Any] = {**recipe, **sizes, "ids_dtype": ids_dtype}
        return Batches(self, self.plan(**asked), asked, torch, prefetch)


class Batches:
    """Batch i of an epoch, for any i.

    Map-style for ``torch.utils.data.DataLoader(batches, batch_size=None)``. Iterated by itself, it goes on from its
    place to the end of the epoch and then stands at the beginning of the next one. A mixture does not end: it is
    iterated, and has no length.
    """

    def __init__(
        self, dataset: Dataset, plan: DatasetPlan, recipe: Mapping[str, Any], torch: bool, prefetch: int
    ) -> None:
        self._dataset = dataset
        self.plan = plan
        self.epoch = int(recipe.get("epoch") or 0)
        self._recipe: Dict[str, Any] = {**recipe, "recipe_id": plan["recipe_id"]}
        self._recipe.pop("epoch", None)
        self._torch = torch
        self._prefetch = prefetch
        self._next = 0

    def __repr__(self) -> str:
        return f"Batches({self._dataset.id!r}, epoch={self.epoch}, batch={self._next})"

    def __len__(self) -> int:
        """:raises TypeError: of a mixture"""
        batches = self._count()
        if batches is None:
            raise TypeError("A mixture does not end: its batches have no number")
        return batches

    def __getitem__(self, index: int) -> Batch:
        """:raises IndexError: beyond the epoch"""
        batches = self._count()
        if index < 0 or (batches is not None and index >= batches):
            raise IndexError(f"The batch must be from 0 to {(batches or 0) - 1}. Given: {index}")
        return self._batch(index, self.epoch)

    def __iter__(self) -> Iterator[Batch]:
        step = int(self._recipe.get("num_batches") or 1)
        for index, batch in self._ahead(step):
            self._next = index + step  # before the caller has it: a state that is saved now goes on behind it
            yield batch
        self.epoch, self._next = self.epoch + 1, 0

    def set_epoch(self, epoch: int) -> None:
        """Goes to the beginning of an epoch; in the present one the place is kept, so that a resumed loop goes on."""
        if epoch != self.epoch:
            self.epoch, self._next = epoch, 0

    def state_dict(self) -> Dict[str, Any]:
        """The place in the run, in JSON’s types."""
        return {"recipe_id": self.plan["recipe_id"], "epoch": self.epoch, "batch": self._next}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes to a place.

        :raises ValueError: where it is one of another dataset or recipe
        """
        own = self.plan["recipe_id"]
        if state["recipe_id"] != own:
            raise ValueError(f"The state must be of recipe {own}. Given: {state['recipe_id']}")
        self.epoch, self._next = int(state["epoch"]), int(state["batch"])

    def _count(self) -> Optional[int]:
        return self.plan.get("num_batches")

    def _ahead(self, step: int) -> Iterator[tuple[int, Batch]]:
        """Batches from the place on, some of them asked for before they are needed."""
        epoch, index, batches = self.epoch, self._next, self._count()
        pool = ThreadPoolExecutor(1)  # one thread: one connection, in order
        pending: Deque[tuple[int, Future[Batch]]] = deque()
        try:
            while True:
                while len(pending) <= self._prefetch and (batches is None or index < batches):
                    pending.append((index, pool.submit(self._batch, index, epoch)))
                    index += step
                if not pending:
                    return
                first, batch = pending.popleft()
                yield first, batch.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _batch(self, index: int, epoch: int) -> Batch:
        inlet = self._dataset.inlet()
        tensors = _patient(
            lambda: inlet.dataset_batch(self._dataset.id, index, epoch=epoch, **self._recipe)
        )
        return tensors.to_torch() if self._torch else dict(tensors)


def _patient(ask: Callable[[], Given]) -> Given:
    """Waits while the service computes the windows of a recipe that nobody has asked for before."""
    while True:
        try:
            return ask()
        except Refused as refused:
            if refused.code != "dataset_indexing":
                raise
            time.sleep(refused.retry_after or 1.0)
