"""What inlet_client.torch.FirstLayer sends and keeps, beside torch's own nn.Embedding:

    MKL_VML_DEBUG_CPU_TYPE=3 python module.py URL
"""

import pickle
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[4] / "clients/python/src"))
from inlet_client import Inlet
from inlet_client.errors import TimedOut
from inlet_client.torch import FirstLayer

URL, KEY = sys.argv[1], "admin-key-of-the-proof"
V, T, C = 50, 12, 8
OPTIMIZER = {"type": "sgd", "lr": 0.5}
inlet = Inlet(URL, KEY)
made = 0


def new(**options):
    """A layer over a new model, and torch's own modules with the same tables."""
    global made
    made += 1
    inlet.put_model(f"m{made}", seed=7, vocab_size=V, embedding_dim=C, max_position_embeddings=T)
    layer = FirstLayer(URL, f"m{made}", KEY, optimizer=OPTIMIZER, **options)
    wte, wpe = (torch.nn.Embedding.from_pretrained(table, freeze=False) for table in tables_of(layer))
    return layer, wte, wpe


def tables_of(layer):
    tables = inlet.tables(layer.model)
    return [tables.torch(name).clone() for name in ("wte.weight", "wpe.weight")]


def check_moved(what, layer, wte, wpe, lr=OPTIMIZER["lr"], scale=1.0):
    """The service's tables are torch's after one step."""
    for parameter in (wte.weight, wpe.weight):
        parameter.grad.mul_(scale)
    torch.optim.SGD([wte.weight, wpe.weight], lr=lr, foreach=False).step()
    for own, other in zip(tables_of(layer), (wte.weight, wpe.weight)):
        check(what, torch.equal(own, other))


def check(what, holds):
    if not holds:
        sys.exit(f"FAILED: {what}")


torch.manual_seed(1)
ids = torch.randint(V, (2, 4))
weights = torch.randn(2, 4, C)

layer, wte, wpe = new()
rows = layer(ids, position_offset=3)
check("its rows", torch.equal(rows, wte(ids) + wpe(torch.arange(3, 7))))
asked = layer.model_version
(rows * weights).sum().backward()
((wte(ids) + wpe(torch.arange(3, 7))) * weights).sum().backward()
norms = {"wte.weight": wte.weight.grad.norm().item(), "wpe.weight": wpe.weight.grad.norm().item()}
check("grad_norms", all(abs(layer.grad_norms[name] / norm - 1) < 1e-5 for name, norm in norms.items()))
check("the rows' version", asked == inlet.model(layer.model)["model_version"])
moved = layer.step(lr=0.25, scale=0.5)
check("no norms after a step", layer.grad_norms == {})
check("the step's version", layer.model_version == moved["model_version"] != asked)
check_moved("position_offset, lr and scale", layer, wte, wpe, lr=0.25, scale=0.5)

layer, wte, wpe = new()
mask = torch.tensor([[1, 1, 0, 1], [0, 1, 1, 1]])
(layer(ids, attention_mask=mask) * weights).sum().backward()
((wte(ids) + wpe(torch.arange(4))) * weights * mask[..., None]).sum().backward()
layer.step()
check_moved("attention_mask", layer, wte, wpe)

layer, wte, wpe = new()
positions = torch.tensor([[0, 1, 0, 1], [5, 6, 7, 8]])
with torch.no_grad():
    rows = wte(ids) + wpe(positions)
attached = layer.attach(rows, ids, position_ids=positions)
check("attached rows are those that came", torch.equal(attached, rows))
(attached * weights).sum().backward()
((wte(ids) + wpe(positions)) * weights).sum().backward()
layer.step()
check_moved("position_ids", layer, wte, wpe)

layer, *_ = new()
layer.eval()
check("no gradients in eval()", not layer(ids).requires_grad)
layer.train()
with torch.no_grad():
    check("no gradients under no_grad()", not layer(ids).requires_grad)
check("gradients in train()", layer(ids).requires_grad)
check("none was sent", inlet.model(layer.model)["learning"]["pending"] == 0)

layer(ids).sum().backward()
saved, before = layer.state_dict(), tables_of(layer)
layer.step()
layer(ids).sum().backward()
layer.load_state_dict(saved)
check("a checkpoint has the tables", all(map(torch.equal, tables_of(layer), before)))
layer.step()
check("a checkpoint has the gradients", inlet.model(layer.model)["learning"]["step"] == 1)

again = pickle.loads(pickle.dumps(layer))
again(ids).sum().backward()
again.step()
check("a copy in another process goes on", inlet.model(layer.model)["learning"]["step"] == 2)
follower = FirstLayer(URL, layer.model, KEY)
follower(ids).sum().backward()
check("a new process goes on", inlet.model(layer.model)["learning"]["pending"] == 1)
try:
    inlet.put_model("none", seed=7, vocab_size=V, embedding_dim=C)
    FirstLayer(URL, "none", KEY)
    check("a model without an optimizer", False)
except ValueError as error:
    check("names the rule", "`optimizer`" in str(error))

layer, *_ = new(retries=2)
tries = []


def silent(**given):
    tries.append(given["idempotency_key"])
    raise TimedOut("no answer")


try:
    layer._once(silent)
except TimedOut:
    pass
check("tried three times under one key", len(tries) == 3 and len(set(tries)) == 1)
print("all of the module held")
