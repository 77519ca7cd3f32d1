"""A small GPT learns the same, to the last digit, with its first layer in the service and in the process:

    MKL_VML_DEBUG_CPU_TYPE=3 python course.py URL TEXT STEPS
"""

import copy
import random
import sys
from pathlib import Path

import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parents[4] / "clients/python/src"))
from inlet_client import Dataset, Inlet, transport
from inlet_client.torch import FirstLayer

URL, TEXT, STEPS = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
KEY = "admin-key-of-the-proof"
T, ROWS, VOCAB, WIDTH, HEADS, LAYERS = 64, 4, 50_257, 64, 4, 2
OPTIMIZER = {"type": "adamw", "lr": 4e-4, "weight_decay": 0.1}
CARD = {"seed": 123, "vocab_size": VOCAB, "embedding_dim": WIDTH, "max_position_embeddings": T}
torch.set_num_threads(1)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.after = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        q, k, v = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in self.qkv(self.before(x)).chunk(3, -1))
        attended = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).flatten(2))
        return x + self.mlp(self.after(x))


class Rest(nn.Module):
    """All of the course's GPT behind its first layer."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCAB, bias=False)

    def loss(self, rows, targets):
        logits = self.head(self.norm(self.blocks(rows)))
        return nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


class LocalLayer(nn.Module):
    """The first layer as the course has it."""

    def __init__(self, tables):
        super().__init__()
        self.wte, self.wpe = (nn.Embedding.from_pretrained(table.clone(), freeze=False) for table in tables)
        self.optimizer = torch.optim.AdamW(
            self.parameters(), lr=OPTIMIZER["lr"], weight_decay=OPTIMIZER["weight_decay"], foreach=False
        )

    def forward(self, ids):
        return self.wte(ids) + self.wpe(torch.arange(ids.shape[1]))

    def step(self, lr):
        for group in self.optimizer.param_groups:
            group["lr"] = lr
        self.optimizer.step()
        self.optimizer.zero_grad()


def rate(step):
    """A schedule, which is the trainer's: the first layer is told the rate of each step."""
    return OPTIMIZER["lr"] * min(1.0, (step + 1) / 10)


def new_rest():
    torch.manual_seed(7)
    return Rest()


def optimizer_of(rest):
    return torch.optim.AdamW(rest.parameters(), lr=OPTIMIZER["lr"], weight_decay=0.1, foreach=False)


def train(layer, batches):
    """The losses, step by step."""
    rest = new_rest()
    optimizer = optimizer_of(rest)
    losses = []
    for step, batch in enumerate(batches):
        loss = rest.loss(layer(batch["input_ids"]), batch["target_ids"])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        layer.step(rate(step))
        losses.append(loss.item())
    return losses


def train_rows(layer, batches):
    """The same where each row of a batch is a call of its own."""
    rest = new_rest()
    optimizer = optimizer_of(rest)
    losses = []
    for step, batch in enumerate(batches):
        replicas = [copy.deepcopy(rest) for _ in range(ROWS)]
        found = [None] * ROWS

        def work(row):
            ids, targets = (batch[name][row : row + 1] for name in ("input_ids", "target_ids"))
            loss = replicas[row].loss(layer(ids), targets) / ROWS
            loss.backward()
            found[row] = loss.item()

        for row in range(ROWS):
            work(row)
        for each in zip(rest.parameters(), *(replica.parameters() for replica in replicas)):
            total = each[1].grad
            for replica in each[2:]:
                total = total + replica.grad
            each[0].grad = total
        optimizer.step()
        optimizer.zero_grad()
        layer.step(rate(step))
        losses.append(sum(found))
    return losses


def check(name, found, expected):
    same = sum(a == b for a, b in zip(found, expected))
    print(f"{name}: {same} of {len(expected)} losses are equal; the last is {found[-1]!r}")
    if found != expected:
        first = next(i for i, (a, b) in enumerate(zip(found, expected)) if a != b)
        sys.exit(f"FAILED: at step {first}, {found[first]!r} beside {expected[first]!r}")


def dropping_answers(seed):
    """From now on half of all answers to a first try are lost on their way."""
    draw, begin = random.Random(seed), transport.Transport._begin
    dropped = [0]

    def lossy(self, request, silence, last):
        begun = begin(self, request, silence, last)
        if begun is None or last or request.method != "POST" or draw.random() < 0.5:
            return begun
        begun[1].read()  # the service has done its work
        begun[0].close()
        dropped[0] += 1
        return None

    transport.Transport._begin = lossy
    return dropped, lambda: setattr(transport.Transport, "_begin", begin)


inlet = Inlet(URL, KEY)
dataset = inlet.upload_dataset(TEXT.read_bytes(), type="txt", encoding="gpt2")["id"]
loader = Dataset(URL, dataset, KEY).batches(T, ROWS, torch=True, shuffle="index", seed=1, stride=8, drop_last=True)
batches = [loader[i % len(loader)] for i in range(STEPS)]


def model(name):
    """A new model; its tables are those of every other of the same seed."""
    inlet.put_model(name, **CARD)
    tables = inlet.tables(name)
    return [tables.torch(table).clone() for table in ("wte.weight", "wpe.weight")]


expected = train(LocalLayer(model("one")), batches)
print(f"{STEPS} steps: loss {expected[0]:.4f} to {expected[-1]:.4f}")
check("first layer in the service", train(FirstLayer(URL, "one", KEY, optimizer=OPTIMIZER), batches), expected)

model("two")
dropped, restore = dropping_answers(3)
layer = FirstLayer(URL, "two", KEY, optimizer=OPTIMIZER, retries=20)
check("with answers lost and asked for again", train(layer, batches), expected)
print(f"lost: {dropped[0]} answers")
restore()
checkpoint = layer.checkpoint()

expected = train_rows(LocalLayer(model("four")), batches)
found = train_rows(FirstLayer(URL, "four", KEY, optimizer=OPTIMIZER), batches)
check("four calls a step", found, expected)
