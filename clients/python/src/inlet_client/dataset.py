"""Batches of a dataset, as a training loop reads them."""

# torch's types are known only where torch is installed.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import os
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.util import find_spec
from typing import Any, Callable, Deque, Dict, Iterator, List, Mapping, Optional, Tuple, Type, TypeVar

from .client import Inlet
from .errors import Refused
from .needed import needed
from .retries import log
from .tensors import OF_WINDOWS
from .types import DatasetPlan

OF_ROWS = OF_WINDOWS | {"segment_ids", "dataset_index", "loss_mask", "labels"}
"""The tensors of a batch whose first axis counts its windows."""

RETRIES = 30
"""A training run outlives a restart of the service: so many tries take more than a minute."""

Batch = Dict[str, Any]
"""NumPy arrays by name, or torch tensors."""

Given = TypeVar("Given")


class Dataset:
    """A dataset of a service.

    The parameters are those of :class:`Inlet`; ``retries`` outlast a restart of the service by default. Each process has a connection of its own, made at its first request, so
    that workers may be forked or spawned.

    :param id: as ``ds_…``, of :meth:`Inlet.upload_dataset`
    """

    def __init__(
        self, url: str, id: str, key: Optional[str] = None, *, timeout: float = 60.0, retries: int = RETRIES
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

        Of chats each batch has ``num_target_tokens`` beside its tensors: the trained targets of all ranks' windows, by
        which each rank divides its summed loss. They come one batch an answer.

        :param torch: torch tensors in place of NumPy arrays
        :param prefetch: how many answers an iteration asks for ahead, over one kept connection
        :param recipe: the fields of :meth:`Inlet.dataset_batch`: ``epoch``, ``shuffle``, ``seed``, ``rank``,
            ``outputs=["input_ids", "labels"]`` …;
            ``num_batches``: how many batches come in one answer. Each item is one batch all the same
        """
        sizes = {"context_length": context_length, "batch_size": batch_size}
        asked: Dict[str, Any] = {**recipe, **sizes, "ids_dtype": ids_dtype}
        plan = self.plan(**asked)
        if "note" in plan:
            log.warning("%s", plan["note"])
        return _batches_class()(self, plan, asked, torch, prefetch)


class Batches:
    """The batches of a run: epoch after epoch, in order, from a place that can be saved.

    Iterated, it goes on from its place to the end of the epoch and then stands at the beginning of the next one. A
    mixture does not end: its loop is left by ``break``, or by ``itertools.islice``. ``batches[i]`` is batch i of the
    present epoch, and moves nothing. Where torch is installed it is a ``torch.utils.data.IterableDataset``
    (:mod:`inlet_client.loading`).
    """

    def __init__(
        self, dataset: Dataset, plan: DatasetPlan, recipe: Mapping[str, Any], torch: bool, prefetch: int
    ) -> None:
        self._dataset = dataset
        self.plan = plan
        self._recipe: Dict[str, Any] = {**recipe, "recipe_id": plan["recipe_id"]}
        self._recipe.pop("epoch", None)
        self._in_one_answer = int(self._recipe.pop("num_batches", None) or 1)
        if "num_target_tokens" in plan:
            self._in_one_answer = 1  # several batches would share one number of targets
        self._torch = torch
        self._prefetch = prefetch
        self._place = (int(recipe.get("epoch") or 0), 0)

    def __repr__(self) -> str:
        epoch, batch = self._get_place()
        return f"Batches({self._dataset.id!r}, epoch={epoch}, batch={batch})"

    def __len__(self) -> int:
        """:raises TypeError: of a mixture"""
        batches = self._count()
        if batches is None:
            rule = "A mixture does not end: its batches have no number"
            raise TypeError(f"{rule}. Leave its loop by break, or take itertools.islice(batches, steps)")
        return batches

    def __getitem__(self, index: int) -> Batch:
        """:raises IndexError: beyond the epoch"""
        batches = self._count()
        if index < 0 or (batches is not None and index >= batches):
            rule = "at least 0" if batches is None else f"from 0 to {batches - 1}"
            raise IndexError(f"The batch must be {rule}. Given: {index}")
        return self._answer(index, 1, self.epoch)[0]

    def __iter__(self) -> Iterator[Batch]:
        epoch, first = self._get_place()
        batches = self._count()
        if batches is not None and first >= batches:
            self._set_place(epoch + 1, 0)
        for index, batch in self._ahead(epoch, first, 1):
            # Before the caller has it: a state that is saved now goes on behind it. A loop that counts batches, as that of
            # transformers, never asks behind the last one.
            self._set_place(*((epoch + 1, 0) if index + 1 == batches else (epoch, index + 1)))
            yield batch

    @property
    def epoch(self) -> int:
        """The epoch of the next batch."""
        return self._get_place()[0]

    def set_epoch(self, epoch: int) -> None:
        """Goes to the beginning of an epoch; in the present one the place is kept, so that a resumed loop goes on.

        A loop over epochs needs no call: each pass is the next epoch.
        """
        present, batch = self._get_place()
        self._set_place(epoch, batch if epoch == present else 0)

    def state_dict(self) -> Dict[str, Any]:
        """The place in the run, in JSON’s types."""
        epoch, batch = self._get_place()
        return {"recipe_id": self.plan["recipe_id"], "epoch": epoch, "batch": batch}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes to a place: ``{"epoch": 1, "batch": 10}``, and the ``recipe_id`` of a state that was saved.

        :raises ValueError: where it is one of another dataset or recipe
        """
        self._check_recipe(state)
        self._set_place(int(state["epoch"]), int(state["batch"]))

    def _check_recipe(self, state: Mapping[str, Any]) -> None:
        own = self.plan["recipe_id"]
        if state.get("recipe_id", own) != own:
            raise ValueError(f"The state must be of recipe {own}. Given: {state['recipe_id']}")

    def _get_place(self) -> Tuple[int, int]:
        """The epoch, and the batch that comes next there."""
        return self._place

    def _set_place(self, epoch: int, batch: int) -> None:
        self._place = (epoch, batch)

    def _count(self) -> Optional[int]:
        return self.plan.get("num_batches")

    def _ahead(self, epoch: int, first: int, step: int) -> Iterator[Tuple[int, Batch]]:
        """Batches ``first``, ``first + step`` … of an epoch, some of them asked for before they are needed.

        Neighbours come several in one answer; with a step between them each is asked for alone.
        """
        index, batches = first, self._count()
        many = self._in_one_answer if step == 1 else 1
        pool = ThreadPoolExecutor(1)  # one thread: one connection, in order
        pending: Deque[Tuple[int, Future[List[Batch]]]] = deque()
        try:
            while True:
                while len(pending) <= self._prefetch and (batches is None or index < batches):
                    size = many if batches is None else min(many, batches - index)
                    pending.append((index, pool.submit(self._answer, index, size, epoch)))
                    index += many * step
                if not pending:
                    return
                start, answer = pending.popleft()
                yield from enumerate(answer.result(), start)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _answer(self, index: int, size: int, epoch: int) -> List[Batch]:
        """``size`` batches from ``index`` on, by one request."""
        inlet = self._dataset.inlet()
        asked: Dict[str, Any] = self._recipe if size == 1 else {**self._recipe, "num_batches": size}
        tensors = _patient(lambda: inlet.dataset_batch(self._dataset.id, index, epoch=epoch, **asked))
        given: Batch = tensors.to_torch() if self._torch else dict(tensors)
        targets = tensors.counts.get("num_target_tokens")
        if targets is not None:
            number = needed("torch", "Batches", "torch").tensor if self._torch else int
            given["num_target_tokens"] = number(targets)
        return [given] if size == 1 else [self._part(given, each) for each in range(size)]

    def _part(self, answer: Batch, number: int) -> Batch:
        """Batch ``number`` of an answer that holds several, as views."""
        rows = self._recipe["batch_size"]
        if self._recipe.get("sharding") != "distributed_sampler":
            rows //= self._recipe.get("world_size") or 1
        slots = rows * self._recipe["context_length"]
        part: Batch = {}
        for name, value in answer.items():
            if name == "cu_seq_lens":
                ends = value[(value >= number * slots) & (value <= (number + 1) * slots)]
                part[name] = ends - number * slots
            else:
                part[name] = value[number * rows : (number + 1) * rows] if name in OF_ROWS else value
        return part


def _batches_class() -> Type[Batches]:
    """That of torch where it is installed: a ``DataLoader`` knows an ``IterableDataset`` by its class."""
    if find_spec("torch") is None:
        return Batches
    from .loading import LoaderBatches

    return LoaderBatches


def _patient(ask: Callable[[], Given]) -> Given:
    """Waits while the service computes the windows of a recipe that nobody has asked for before."""
    while True:
        try:
            return ask()
        except Refused as refused:
            if refused.code != "dataset_indexing":
                raise
            time.sleep(refused.retry_after or 1.0)
