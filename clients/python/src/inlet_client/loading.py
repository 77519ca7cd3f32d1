"""Batches of a dataset under torch's ``DataLoader`` and torchdata's ``StatefulDataLoader``."""

# torch's types are known only where torch is installed.
# pyright: reportUnknownMemberType=false, reportUnknownParameterType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUntypedBaseClass=false

from __future__ import annotations

from typing import Any, Dict, Iterator, Mapping, Optional, Tuple

from .dataset import Batch, Batches
from .needed import needed
from .retries import log

torch: Any = needed("torch", "inlet_client.loading", "torch")

MAX_WORKERS = 1024
# The memory that the processes share: which pass is next, its place, and which pass each worker has begun and ended.
PASS, EPOCH, BATCH, BEGUN = 0, 1, 2, 3
ENDED = BEGUN + MAX_WORKERS


class LoaderBatches(Batches, torch.utils.data.IterableDataset):  # type: ignore[misc]
    """``DataLoader(batches, batch_size=None, num_workers=4)``: the batches of the bare loop, in its order.

    Workers take batches by turns from the place on. The place lies in memory that they share with their parent, so each
    pass is the next epoch, with persistent workers too. A ``DataLoader`` with workers does not tell which of the batches
    that it fetched ahead it has handed out: in the middle of such a pass ``state_dict`` refuses. A pass that was left
    there begins again at its first batch, with a warning in the log; where the workers had already read the epoch to its
    end, the next pass is the next epoch. A ``StatefulDataLoader`` tells: the loader's own ``state_dict`` holds at each
    batch.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._shared = torch.zeros(ENDED + MAX_WORKERS, dtype=torch.int64).share_memory_()
        self._resumed: Optional[Tuple[int, int, int]] = None
        self._at = (0, 0, 0)  # of a worker: its pass's epoch and first batch, and its own next batch
        self._set_place(*self._place)

    def __iter__(self) -> Iterator[Batch]:
        worker = torch.utils.data.get_worker_info()
        if worker is None:
            if self._is_within_pass():
                self._begin_again()
            return super().__iter__()
        if worker.num_workers > MAX_WORKERS:
            raise ValueError(f"num_workers must be at most {MAX_WORKERS}. Given: {worker.num_workers}")
        # Not in the generator: a loader asks for the state before the first batch.
        number = int(self._shared[PASS])
        if self._resumed is not None:
            self._at, self._resumed = self._resumed, None
        else:
            if worker.id == 0 and self._shared[BEGUN] == number:
                self._begin_again()
            epoch, start = self._get_place()
            self._at = (epoch, start, start + worker.id)
        self._shared[BEGUN + worker.id] = number
        return self._turns(number, worker.id, worker.num_workers)

    def state_dict(self) -> Dict[str, Any]:
        worker = torch.utils.data.get_worker_info()
        if worker is None:
            if self._is_within_pass():
                raise RuntimeError(
                    "A DataLoader with workers is within a pass, and does not tell which batches it has handed out. Count"
                    " them, for load_state_dict({'epoch': …, 'batch': …}), or take the state of torchdata's"
                    " StatefulDataLoader"
                )
            return super().state_dict()
        epoch, start, batch = self._at
        place = {"recipe_id": self.plan["recipe_id"], "epoch": epoch, "start": start, "batch": batch}
        return {**place, "worker": worker.id, "workers": worker.num_workers}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        worker = torch.utils.data.get_worker_info()
        if worker is None:
            if "worker" in state:
                raise ValueError("The state must be of the batches. Given: that of one worker of a loader")
            super().load_state_dict(state)
            return
        self._check_recipe(state)
        epoch, start, batch = (int(state[name]) for name in ("epoch", "start", "batch"))
        self._resumed = (epoch, start, batch)
        self._shared[EPOCH], self._shared[BATCH] = epoch, start
        count = self._count()
        if count is not None and batch >= count:  # a loader that had ended may never ask for this pass's end
            self._end(int(self._shared[PASS]), worker.id, worker.num_workers, epoch)

    def _turns(self, number: int, worker: int, workers: int) -> Iterator[Batch]:
        """One worker's batches of a pass."""
        epoch, start, first = self._at
        for index, batch in self._ahead(epoch, first, workers):
            self._at = (epoch, start, index + workers)
            yield batch
        self._end(number, worker, workers, epoch)

    def _end(self, number: int, worker: int, workers: int, epoch: int) -> None:
        """Marks a worker's part of a pass as read; the last one makes the next epoch the place."""
        self._shared[ENDED + worker] = number
        if bool((self._shared[ENDED : ENDED + workers] == number).all()):
            self._shared[EPOCH], self._shared[BATCH] = epoch + 1, 0
            self._shared[PASS] = number + 1

    def _get_place(self) -> Tuple[int, int]:
        return int(self._shared[EPOCH]), int(self._shared[BATCH])

    def _set_place(self, epoch: int, batch: int) -> None:
        self._shared[EPOCH], self._shared[BATCH] = epoch, batch
        self._shared[PASS] += 1

    def _is_within_pass(self) -> bool:
        """Whether workers have begun a pass and not read all of it."""
        return bool((self._shared[BEGUN:ENDED] == self._shared[PASS]).any())

    def _begin_again(self) -> None:
        epoch, batch = self._get_place()
        log.warning("A loader left its pass in the middle: it begins again, at epoch %d, batch %d", epoch, batch)


__all__ = ["LoaderBatches"]
