"""Batches of a dataset through torch's DataLoader and torchdata's StatefulDataLoader beside the bare loop.

Usage: check.py URL
"""

import itertools
import json
import logging
import sys
from contextlib import contextmanager

import numpy as np
from inlet_client import Dataset, Inlet, Refused
from torch.utils.data import DataLoader, IterableDataset
from torchdata.stateful_dataloader import StatefulDataLoader

LINES = b"Hello, world!\nThis is the first layer, and a longer line.\n" * 60
RECIPE = {"context_length": 4, "batch_size": 8, "packing": "concat", "shuffle": "index", "seed": 7}


def ids(batches):
    return [np.asarray(batch["input_ids"]).tolist() for batch in batches]


def raises(kind, call):
    try:
        call()
    except kind as error:
        return str(error)
    raise AssertionError(f"no {kind.__name__}")


@contextmanager
def warned():
    """The lines that the client logs in this process."""
    lines = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())
    logging.getLogger("inlet_client").addHandler(handler)
    yield lines
    logging.getLogger("inlet_client").removeHandler(handler)


class Case:
    """One kind of loader: how it is made, and how its place is saved."""

    def __init__(self, kind, workers, context, persistent, many):
        self.kind, self.workers, self.many = kind, workers, many
        self.options = {"batch_size": None, "num_workers": workers}
        if workers:
            self.options["multiprocessing_context"] = context
            self.options["persistent_workers"] = persistent
        self.name = f"{kind.__name__} {self.options} num_batches={many}"

    def batches(self, dataset):
        return dataset.batches(**RECIPE, num_batches=self.many)

    def loader(self, batches):
        return self.kind(batches, **self.options)


def check_passes(case, dataset, epochs):
    """Each pass is the next epoch; the place is known after each."""
    batches = case.batches(dataset)
    loader = case.loader(batches)
    assert len(loader) == len(epochs[0])
    assert ids(loader) == epochs[0], case.name
    assert place(batches) == (1, 0), case.name
    assert ids(loader) == epochs[1], case.name
    batches.set_epoch(0)
    assert ids(loader) == epochs[0], case.name
    batches.load_state_dict({"epoch": 1, "batch": 10})
    assert ids(loader) == epochs[1][10:], case.name
    assert place(batches) == (2, 0), case.name


def check_resuming(case, dataset, epochs):
    """A run that stops within its second epoch, and goes on in another process's objects."""
    batches = case.batches(dataset)
    loader = case.loader(batches)
    seen = ids(loader)
    running = iter(loader)
    seen += ids(itertools.islice(running, 5))
    if case.kind is StatefulDataLoader:
        state = json.loads(json.dumps(loader.state_dict(), default=float))
        again = case.loader(case.batches(dataset))
        again.load_state_dict(state)
    elif case.workers:
        assert "StatefulDataLoader" in raises(RuntimeError, batches.state_dict), case.name
        del running
        with warned() as lines:
            assert ids(itertools.islice(loader, 3)) == epochs[1][:3], case.name
            assert ids(itertools.islice(batches, 3)) == epochs[1][:3], case.name
        assert "begins again, at epoch 1, batch 0" in lines[-1], case.name
        batches.load_state_dict({"epoch": 1, "batch": 5})  # counted by the loop
        again = loader
    else:
        state = json.loads(json.dumps(batches.state_dict()))
        fresh = case.batches(dataset)
        fresh.load_state_dict(state)
        again = case.loader(fresh)
    seen += ids(again)
    assert seen == epochs[0] + epochs[1], case.name
    assert ids(again) == epochs[2], case.name


def check_finished_state(workers, dataset, epochs):
    """A state that was saved between two epochs."""
    loader = StatefulDataLoader(dataset.batches(**RECIPE), batch_size=None, num_workers=workers)
    assert ids(loader) == epochs[0]
    again = StatefulDataLoader(dataset.batches(**RECIPE), batch_size=None, num_workers=workers)
    again.load_state_dict(loader.state_dict())
    assert ids(again) == epochs[1]


def check_mixture(inlet, dataset):
    mixed = inlet.mix_datasets([{"dataset": dataset.id, "weight": 1.0}])
    endless = Dataset(URL, mixed["id"]).batches(4, 8, shuffle="index", seed=7, num_batches=3)
    bare = ids(itertools.islice(endless, 20))
    for workers in (0, 2):
        endless.load_state_dict({"epoch": 0, "batch": 0})
        loader = DataLoader(endless, batch_size=None, num_workers=workers)
        assert ids(itertools.islice(loader, 20)) == bare
    assert "islice" in raises(TypeError, lambda: len(endless))
    inlet.delete_dataset(mixed["id"])


def place(batches):
    state = batches.state_dict()
    return state["epoch"], state["batch"]


def cases():
    for kind in (DataLoader, StatefulDataLoader):
        for workers in (0, 1, 2, 4):
            for persistent in (False, True) if workers else (False,):
                yield Case(kind, workers, "fork", persistent, 1)
        yield Case(kind, 0, "fork", False, 4)
        yield Case(kind, 2, "fork", True, 4)
        yield Case(kind, 2, "spawn", False, 1)
        yield Case(kind, 2, "spawn", True, 1)


if __name__ == "__main__":
    URL = sys.argv[1]
    with Inlet(URL) as inlet:
        made = inlet.upload_dataset(LINES, type="txt", encoding="gpt2", documents="lines")
        dataset = Dataset(URL, made["id"])
        bare = dataset.batches(**RECIPE)
        assert isinstance(bare, IterableDataset)
        epochs = [ids(bare) for _ in range(3)]
        assert epochs[0] != epochs[1] and len(epochs[0]) > 16
        for case in cases():
            check_passes(case, dataset, epochs)
            check_resuming(case, dataset, epochs)
            print("ok", case.name, flush=True)
        for workers in (0, 2):
            check_finished_state(workers, dataset, epochs)
        check_mixture(inlet, dataset)
        assert raises(Refused, lambda: Dataset(URL, "ds_none").batches(4, 8))
    print("loaders: all equal to the bare loop")
