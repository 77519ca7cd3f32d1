"""A dataset's batches beside the course's GPTDatasetV1 in a DataLoader, and beside DistributedSampler.

python course_loader.py URL FOLDER_OF_RANKS PATH_OF_BENCH_PEERS
"""

import random
import sys

import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from batches import Service

url, ranks, peers = sys.argv[1:4]
sys.path.insert(0, peers)
from tiktoken_ranks import encoding  # noqa: E402

EPOCHS, SEED, T, STRIDE, BATCH = 3, 123, 32, 20, 12
NAMES = ("input_ids", "target_ids")


class GPTDatasetV1(Dataset):
    """As in chapter 2 of "Build a Large Language Model (From Scratch)"."""

    def __init__(self, txt, tokenizer, max_length, stride):
        self.input_ids = []
        self.target_ids = []
        token_ids = tokenizer.encode(txt, allowed_special={"<|endoftext|>"})
        for i in range(0, len(token_ids) - max_length, stride):
            input_chunk = token_ids[i : i + max_length]
            target_chunk = token_ids[i + 1 : i + max_length + 1]
            self.input_ids.append(torch.tensor(input_chunk))
            self.target_ids.append(torch.tensor(target_chunk))

    def __len__(self):
        return len(self.input_ids)

    def __getitem__(self, idx):
        return self.input_ids[idx], self.target_ids[idx]


def own_text(words=10_000):
    draw = random.Random(7)
    parts = ["the", "lamp", "rain's", "ünder", "3.14", "naïve", "東京", "\n\n", "🙂", "of", "and", "I'll", "<|endoftext|>"]
    return " ".join(draw.choice(parts) + draw.choice(["", "", ",", "er", "ing"]) for _ in range(words))


def loader_pass(loader):
    return [tuple(tensor.numpy().tobytes() for tensor in batch) for batch in loader]


def service_pass(service, dataset, count, **recipe):
    batches = (service.batch(dataset, i, NAMES, ids_dtype="int64", **recipe) for i in range(count))
    return [tuple(batch[name].tobytes() for name in NAMES) for batch in batches]


def same(what, ours, theirs):
    if ours != theirs:
        first = next((i for i, pair in enumerate(zip(ours, theirs)) if pair[0] != pair[1]), "the number of batches")
        sys.exit(f"FAILED: {what}: differs at {first}; {len(ours)} and {len(theirs)} batches")
    return len(ours)


def course(service, uploaded, data, shuffle, drop_last):
    """The one loader's batches; each rank of 1 … 4 has its rows of them."""
    compared = 0
    torch.manual_seed(SEED)
    loader = DataLoader(data, batch_size=BATCH, shuffle=shuffle, drop_last=drop_last, num_workers=0)
    recipe = {"context_length": T, "stride": STRIDE, "batch_size": BATCH, "drop_last": str(drop_last).lower()}
    if shuffle:
        recipe |= {"shuffle": "true", "seed": SEED}
    for epoch in range(EPOCHS):
        theirs = loader_pass(loader)
        for world in range(1, 5):
            of_ranks = [
                service_pass(service, uploaded, len(theirs), epoch=epoch, rank=rank, world_size=world, **recipe)
                for rank in range(world)
            ]
            ours = [tuple(b"".join(parts) for parts in zip(*rows)) for rows in zip(*of_ranks)]
            compared += same(f"DataLoader, epoch {epoch}, {world} ranks, {recipe}", ours, theirs)
    plan = service.plan(uploaded, **recipe)
    assert plan["num_batches"] == len(theirs), plan
    assert plan["num_windows"] == len(data), plan
    return compared


def sampler(service, uploaded, data, shuffle, drop_last):
    compared = 0
    recipe = {"context_length": T, "stride": STRIDE, "batch_size": BATCH, "drop_last": str(drop_last).lower()}
    recipe |= {"sharding": "distributed_sampler"}
    if shuffle:
        recipe |= {"shuffle": "true", "seed": SEED}
    for world in range(1, 5):
        for rank in range(world):
            own = DistributedSampler(data, world, rank, shuffle=shuffle, seed=SEED, drop_last=drop_last)
            loader = DataLoader(data, batch_size=BATCH, sampler=own, drop_last=drop_last)
            for epoch in range(EPOCHS):
                own.set_epoch(epoch)
                theirs = loader_pass(loader)
                fields = {"epoch": epoch, "rank": rank, "world_size": world, **recipe}
                assert service.plan(uploaded, **fields)["num_batches"] == len(theirs)
                ours = service_pass(service, uploaded, len(theirs), **fields)
                compared += same(f"DistributedSampler, {fields}", ours, theirs)
    return compared


if __name__ == "__main__":
    service = Service(url)
    text = own_text()
    # GPT-2's encoding by its other name: tiktoken reads that one from one file
    data = GPTDatasetV1(text, encoding("r50k_base", ranks), T, STRIDE)
    uploaded = service.upload(text.encode(), "text/plain; charset=utf-8", encoding="gpt2", allowed_special="all")["id"]
    print(f"torch {torch.__version__}, {len(data)} windows of {T}, stride {STRIDE}, batches of {BATCH}")
    for compare in (course, sampler):
        for shuffle in (True, False):
            for drop_last in (True, False):
                count = compare(service, uploaded, data, shuffle, drop_last)
                print(f"{compare.__name__}: shuffle {shuffle}, drop_last {drop_last}: {count} batches, the same bytes")
