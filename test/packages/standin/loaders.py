"""Loaders as torch's take batches from copies of a dataset in workers, in one process. Prints a line when all is right."""

import copy
import types
from concurrent.futures import Future

import torch
from inlet_client import dataset as module
from inlet_client.loading import LoaderBatches

COUNT = 23


class Pool:
    """Runs a task where it is handed in."""

    def __init__(self, size):
        pass

    def submit(self, task, *given):
        future = Future()
        future.set_result(task(*given))
        return future

    def shutdown(self, **given):
        pass


module.ThreadPoolExecutor = Pool


class Numbered(LoaderBatches):
    """Batches that are their own names; each answer is counted by its size."""

    sizes = []

    def _answer(self, index, size, epoch):
        self.sizes.append(size)
        return [(epoch, index + each) for each in range(size)]


def batches(**recipe):
    plan = {"recipe_id": "r", "num_batches": COUNT}
    fields = {"context_length": 4, "batch_size": 2, **recipe}
    return Numbered(types.SimpleNamespace(id="ds_1"), plan, fields, False, 2)


class Loader:
    """A pass takes one batch of each worker in turn; workers that are kept keep their copies."""

    def __init__(self, dataset, workers, persistent=False):
        self.dataset, self.workers, self.persistent = dataset, workers, persistent
        self.copies = None
        self.first = 0  # the worker whose turn is first

    def __iter__(self):
        if self.copies is None or not self.persistent:
            self.copies = [copy.deepcopy(self.dataset) for _ in range(self.workers)]
        self.iterators = [self.within(worker, iter, each) for worker, each in enumerate(self.copies)]
        turns = [(self.first + turn) % self.workers for turn in range(self.workers)]
        open_ones = {worker: self.iterators[worker] for worker in turns}
        self.first = 0
        while open_ones:
            for worker, iterator in list(open_ones.items()):
                batch = self.within(worker, next, iterator, None)
                if batch is None:
                    del open_ones[worker]
                else:
                    yield batch

    def within(self, worker, call, *given):
        torch.worker = types.SimpleNamespace(id=worker, num_workers=self.workers)
        try:
            return call(*given)
        finally:
            torch.worker = None

    def states(self):
        return [self.within(worker, each.state_dict) for worker, each in enumerate(self.copies)]

    def load(self, states, taken):
        """A fresh loader's workers go on where others stood, after so many batches."""
        self.first = taken % self.workers
        self.copies, self.persistent = [copy.deepcopy(self.dataset) for _ in states], True
        for worker, (each, state) in enumerate(zip(self.copies, states)):
            self.within(worker, each.load_state_dict, state)


def whole(epoch, first=0):
    return [(epoch, index) for index in range(first, COUNT)]


def refused(call):
    try:
        call()
    except (RuntimeError, ValueError) as error:
        return str(error)
    raise AssertionError("not refused")


for many in (1, 4):
    bare = batches(num_batches=many)
    Numbered.sizes.clear()
    assert list(bare) == whole(0) and bare.state_dict() == {"recipe_id": "r", "epoch": 1, "batch": 0}
    assert len(Numbered.sizes) == -(-COUNT // many) and max(Numbered.sizes) == many and len(bare) == COUNT
    running = iter(bare)
    assert [next(running) for _ in range(COUNT)] == whole(1)  # and the end is not asked for
    assert bare.state_dict() == {"recipe_id": "r", "epoch": 2, "batch": 0} and list(bare) == whole(2)
    bare.load_state_dict({"epoch": 0, "batch": COUNT})
    assert list(bare) == [] and bare.epoch == 1
    running = iter(bare)
    assert [next(running) for _ in range(6)] == whole(1)[:6]
    state = bare.state_dict()
    again = batches(num_batches=many)
    again.load_state_dict(state)
    again.set_epoch(1)  # as a loop over epochs does: it keeps the place
    assert list(again) == whole(1, 6) and list(again) == whole(2)

    for workers in (1, 2, 4):
        for persistent in (False, True):
            shared = batches(num_batches=many)
            loader = Loader(shared, workers, persistent)
            assert list(loader) == whole(0) and list(loader) == whole(1)
            shared.load_state_dict({"epoch": 1, "batch": 10})
            assert list(loader) == whole(1, 10) and shared.state_dict()["epoch"] == 2
            shared.set_epoch(7)
            running = iter(loader)
            assert [next(running) for _ in range(5)] == whole(7)[:5]
            assert "StatefulDataLoader" in refused(shared.state_dict)
            assert list(loader) == whole(7) and list(shared) == whole(8)

            running = iter(loader)
            assert [next(running) for _ in range(9)] == whole(9)[:9]
            fresh = Loader(batches(num_batches=many), workers)
            fresh.load(loader.states(), 9)
            assert list(fresh) == whole(9, 9)
            assert list(fresh) == whole(10)
            ended = Loader(batches(num_batches=many), workers)
            ended.load(fresh.states(), 0)  # all have read their epoch to its end
            assert ended.dataset.epoch == 11

assert "one worker" in refused(lambda: batches().load_state_dict({"worker": 0, "epoch": 0, "start": 0, "batch": 0}))
assert "recipe r" in refused(lambda: batches().load_state_dict({"recipe_id": "s", "epoch": 0, "batch": 0}))
print("as the bare loop")
