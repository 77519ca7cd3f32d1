"""As much of torch as batches under a loader need, for a test without torch: memory that copies share, and workers."""

import types


class Shared(list):
    def share_memory_(self):
        return self

    def __getitem__(self, index):
        found = super().__getitem__(index)
        return Shared(found) if isinstance(index, slice) else found

    def __eq__(self, other):
        return Shared(each == other for each in self)

    def all(self):
        return all(self)

    def any(self):
        return any(self)

    def __deepcopy__(self, memo):
        return self


def zeros(size, dtype):
    return Shared([0] * size)


int64 = int
worker = None
data = types.SimpleNamespace(IterableDataset=object, get_worker_info=lambda: worker)
utils = types.SimpleNamespace(data=data)
