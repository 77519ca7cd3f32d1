"""Calls a running service with the installed wheel and compares with raw HTTP, bit for bit.

check.py http://127.0.0.1:8000 README.md …
"""

import asyncio
import contextlib
import gzip
import importlib.util
import io
import json
import pickle
import re
import socket
import sys
import tempfile
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np

from inlet_client import AsyncInlet, ConnectionFailed, Dataset, Inlet, InletError, Refused, TimedOut

URL = sys.argv[1]
ADMIN = "an-admin-key-of-32-characters-00"
HAS_ML_DTYPES = importlib.util.find_spec("ml_dtypes") is not None
HAS_HTTPX = importlib.util.find_spec("httpx") is not None
HAS_TORCH = importlib.util.find_spec("torch") is not None
TEXT = "Hello, world! This is the first layer."


def raw(path, body=None, accept="application/octet-stream"):
    data = None if body is None else json.dumps(body).encode()
    headers = {"accept": accept, **({"content-type": "application/json"} if data else {})}
    with urllib.request.urlopen(urllib.request.Request(URL + path, data, headers)) as answer:
        return answer.read()


def check_input_embeddings(inlet):
    names = ["input_embeddings", "token_embeddings", "input_ids", "target_ids", "attention_mask", "window_starts"]
    for dtype in ["float32", "float16", "bfloat16"]:
        fields = {"context_length": 4, "stride": 2, "tail": "pad", "dtype": dtype}
        tensors = inlet.input_embeddings(TEXT, outputs=names, **fields)
        assert sorted(tensors) == sorted(names) and tensors.counts["num_tokens"] == 10, tensors
        for name in names:
            one = raw("/v1/input-embeddings", {"text": TEXT, "outputs": [name], **fields})
            assert tensors[name].tobytes() == one, (dtype, name)
            assert tensors[name].flags.writeable and tensors[name].flags.aligned
        rows = tensors["input_embeddings"]
        wanted = dtype if dtype != "bfloat16" or HAS_ML_DTYPES else "uint16"
        assert rows.dtype.name == wanted and tensors.dtypes["input_embeddings"] == dtype
        if HAS_TORCH:
            import torch

            for name, tensor in tensors.to_torch().items():
                assert tensor.data_ptr() == tensors[name].ctypes.data and list(tensor.shape) == list(tensors[name].shape)
            assert str(tensors.torch("input_embeddings").dtype) == f"torch.{dtype}"
            other = torch.from_numpy(inlet.input_embeddings(TEXT, outputs=["input_embeddings"], **{**fields, "dtype": "float32"})["input_embeddings"])
            assert torch.equal(tensors.torch("input_embeddings"), other.to(getattr(torch, dtype)))
    sent_raw = inlet.input_embeddings(TEXT.encode(), outputs=["input_ids", "cos"], context_length=4, seed=2**64 - 1,
                                      position_embedding={"type": "rope", "head_dim": 8,
                                                          "scaling": {"type": "linear", "factor": 2}})
    as_json = inlet.input_embeddings(TEXT, outputs=["input_ids", "cos"], context_length=4, seed=2**64 - 1,
                                     position_embedding={"type": "rope", "head_dim": 8,
                                                         "scaling": {"type": "linear", "factor": 2}})
    assert all(sent_raw[name].tobytes() == as_json[name].tobytes() for name in ["input_ids", "cos"])
    for ids in [np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]], [np.array([1, 2]), np.array([3, 4])]]:
        assert inlet.input_embeddings(input_ids=ids, outputs=["input_ids"])["input_ids"].tolist() == [[1, 2], [3, 4]]
    large = inlet.input_embeddings("word " * 400_000, outputs=["input_ids"], context_length=1024)
    assert large["input_ids"].shape[1] == 1024


def check_batches(inlet):
    fields = {"context_length": 2, "stride": 1, "shuffle": True, "seed": 7, "epoch": 1, "drop_last": True}
    fields["outputs"] = ["input_ids", "target_ids", "position_embeddings"]
    got = list(inlet.batches(TEXT, batch_size=3, ids_dtype="int64", **fields))
    assert len(got) == got[0].counts["num_batches"] == 2 and got[0].counts["num_windows"] == 8
    for index, batch in enumerate(got):
        one = inlet.input_embeddings(TEXT, batch_size=3, batch_index=index, ids_dtype="int64", **fields)
        assert batch["target_ids"].dtype == np.int64 and batch["target_ids"].shape == (3, 2)
        assert all(np.array_equal(batch[name], one[name]) for name in fields["outputs"]), index
    short = [len(batch["input_ids"]) for batch in inlet.batches(TEXT, batch_size=3, context_length=2, stride=1)]
    assert short == [3, 3, 2], short


def check_datasets(inlet):
    lines = b"Hello, world!\nThis is the first layer.\n" * 20
    fields = {"type": "txt", "encoding": "gpt2", "documents": "lines"}
    made = inlet.upload_dataset(lines, name="greetings", **fields)
    assert made["name"] == "greetings" and made["num_documents"] == 40
    assert inlet.upload_dataset(iter([lines[:50], b"", lines[50:]]), **fields)["id"] == made["id"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lines.txt.gz"
        path.write_bytes(gzip.compress(lines))
        assert inlet.upload_dataset(path, encoding="gpt2", documents="lines")["id"] == made["id"]
    assert raises(ValueError, lambda: inlet.upload_dataset(b"a", encoding="gpt2"))
    assert raises(Refused, lambda: inlet.upload_dataset(b"a", type="txt")).param == "encoding"
    tokens = inlet.dataset_tokens(made["id"])
    assert tokens.tobytes() == raw(f"/v1/datasets/{made['id']}/tokens") and len(tokens) == made["num_tokens"]
    assert inlet.dataset_document(made["id"], 1)["text"] == "This is the first layer."
    assert made["id"] in [each["id"] for each in inlet.datasets()["data"]]

    dataset = Dataset(URL, made["id"])
    recipe = {"context_length": 4, "batch_size": 6, "shuffle": True, "seed": 7, "packing": "concat"}
    masks = {**recipe, "outputs": ["labels", "loss_mask", "document_ids"]}
    assert same_batches(list(dataset.batches(**masks, num_batches=4)), list(dataset.batches(**masks)))
    batches = dataset.batches(**recipe)
    direct = [batches[i] for i in range(len(batches))]
    for i, batch in enumerate(direct):
        assert batch["target_ids"].dtype == np.int64
        path = f"/v1/datasets/{made['id']}/batches/{i}?context_length=4&batch_size=6&shuffle=true&seed=7&packing=concat"
        assert batch["input_ids"].astype(np.int32).tobytes() == raw(f"{path}&outputs=input_ids")
    assert same_batches(list(batches), direct) and batches.epoch == 1  # the next one
    assert not same_batches(list(batches), direct)

    begun = dataset.batches(**recipe)
    iterating = iter(begun)
    first = [next(iterating) for _ in range(3)]
    state = json.loads(json.dumps(begun.state_dict()))
    resumed = pickle.loads(pickle.dumps(dataset.batches(**recipe, prefetch=0)))
    resumed.load_state_dict(state)
    resumed.set_epoch(0)  # as a loop over epochs does: it keeps the place
    assert same_batches(first + list(resumed), direct)
    assert raises(ValueError, lambda: dataset.batches(2, 6).load_state_dict(state))
    assert raises(IndexError, lambda: begun[len(begun)])
    parts = [list(dataset.batches(**recipe, rank=rank, world_size=2)) for rank in range(2)]
    for i, batch in enumerate(direct):
        assert np.array_equal(np.concatenate([part[i]["input_ids"] for part in parts]), batch["input_ids"])

    mixed = inlet.mix_datasets({made["id"]: 1.0})
    assert mixed["id"] == inlet.mix_datasets([{"dataset": made["id"], "weight": 1.0}])["id"]
    endless = dataset_of(mixed).batches(**{**recipe, "shuffle": "index"})
    assert raises(TypeError, lambda: len(endless))
    assert "at least 0" in str(raises(IndexError, lambda: endless[-1]))
    empty = {"context_length": 10**6, "batch_size": 1}
    assert raises(Refused, lambda: dataset.batches(**empty)).code == "no_windows"
    assert len([batch for batch, _ in zip(endless, range(4))]) == 4
    inlet.delete_dataset(mixed["id"])
    assert raises(Refused, lambda: inlet.dataset(mixed["id"])).code == "dataset_not_found"
    if HAS_TORCH:
        check_loader(dataset.batches(**recipe), direct)


def check_chats(inlet):
    lines = [{"prompt": f"{n} + {n} =", "completion": f" {2 * n}, as it has always been."} for n in range(40)]
    body = "".join(json.dumps(line) + "\n" for line in lines).encode()
    told = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chats.jsonl"
        path.write_bytes(body)
        chats = {"encoding": "gpt2", "mask": "sampled", "document_end": "endoftext"}
        made = inlet.upload_dataset(path, progress=lambda *given: told.append(given), **chats)
    assert told == [(len(body), len(body))] and made["mask"] == "sampled"
    shown = io.StringIO()
    with contextlib.redirect_stderr(shown):
        assert inlet.upload_dataset(iter([body]), type="ndjson", progress=True, **chats)["id"] == made["id"]
    assert shown.getvalue() == "\r0.0 MB"
    recipe = {"context_length": 16, "batch_size": 8, "packing": "best_fit", "num_batches": 4, "shuffle": True, "seed": 1}
    outputs = ["input_ids", "target_ids", "labels", "loss_mask"]
    ranks = [list(dataset_of(made).batches(**recipe, outputs=outputs, rank=r, world_size=2)) for r in range(2)]
    for parts in zip(*ranks):
        trained = sum(int((part["target_ids"] != -100).sum()) for part in parts)
        assert [part["num_target_tokens"] for part in parts] == [trained, trained]
        for part in parts:
            labels = np.where(part["loss_mask"] == 1, part["input_ids"], -100)
            assert (np.isin(part["labels"], [-100]) | (part["labels"] == labels)).all()
    assert sum(parts[0]["num_target_tokens"] for parts in zip(*ranks)) == dataset_of(made).plan(**recipe)["num_target_tokens"]
    if HAS_TORCH:
        batch = dataset_of(made).batches(**recipe, outputs=outputs, torch=True)[0]
        moved = {name: tensor.to("cpu") for name, tensor in batch.items()}
        assert int(moved["num_target_tokens"]) > 0 and tuple(moved["labels"].shape) == (8, 16)
    seen = inlet.dataset_batch_documents(made["id"], 0, 16, 8, packing="best_fit", text=True)["documents"]
    assert seen[0]["line"] == 1 and [text["trained"] for text in seen[0]["texts"]] == [False, True]


def dataset_of(made):
    return Dataset(URL, made["id"])


def same_batches(these, those):
    return len(these) == len(those) and all(
        this.keys() == that.keys() and all(np.array_equal(np.asarray(this[name]), that[name]) for name in that)
        for this, that in zip(these, those)
    )


def check_loader(batches, direct):
    from torch.utils.data import DataLoader

    # Forked: this script has no guard for processes that import it anew.
    loader = DataLoader(batches, batch_size=None, num_workers=2, multiprocessing_context="fork")
    assert same_batches(list(loader), direct)


def check_words(inlet):
    assert repr(inlet) == f"Inlet({URL!r})" and repr(Inlet(URL, "a-secret")) == repr(inlet)
    shown = repr(inlet.input_embeddings(TEXT, context_length=4, outputs=["input_ids"]))
    assert shown == "Tensors(input_ids: int32 [2, 4])", shown
    assert repr(inlet.embeddings("A text", model="float32")).endswith("model='float32')")
    for has, call, package in [
        (HAS_TORCH, lambda: inlet.tokenize(TEXT).to_torch(), "torch"),
        (HAS_HTTPX, lambda: AsyncInlet(URL), "httpx"),
    ]:
        try:
            call()
        except ImportError as error:
            assert not has and f"pip install {package}" in str(error), error
        else:
            assert has, package


async def check_async():
    async with AsyncInlet(URL) as inlet:
        assert repr(inlet) == f"AsyncInlet({URL!r})"
        asked = [inlet.input_embeddings(TEXT, context_length=4, dtype=dtype) for dtype in ["float32", "float16"] * 20]
        answers = await asyncio.gather(*asked)
        with Inlet(URL) as waiting:
            for dtype, got in zip(["float32", "float16"], answers):
                same = waiting.input_embeddings(TEXT, context_length=4, dtype=dtype)
                assert all(got[name].tobytes() == same[name].tobytes() for name in same) and got.counts == same.counts
                assert got["input_embeddings"].flags.writeable
        assert [len(batch["input_ids"]) for batch in await inlet.batches(TEXT, batch_size=2, context_length=2)] == [2, 2]
        assert (await inlet.live()) == {"status": "live"} and "inlet_requests" in await inlet.metrics()
        assert (await inlet.model())["id"] == "default"
        await araises(Refused, inlet.input_embeddings(TEXT, context_length=0))
    large = AsyncInlet(URL)
    assert (await large.input_embeddings(b"word " * 2_000_000, outputs=["input_ids"], context_length=1024)).counts["num_tokens"] > 2_000_000
    await large.close()
    stub = Stub(BUSY, answer(429, "slow down"), b"", OK)
    assert await alive(stub.url, key="a-key") == {"status": "live"} and len(stub.requests) == 4
    assert b"bearer a-key" in stub.requests[0].lower()
    assert (await araises(Refused, alive(Stub(BUSY, BUSY).url, retries=1))).retry_after == 0.0
    cut = Stub(OK[:-3], OK)
    assert await alive(cut.url) == {"status": "live"} and len(cut.requests) == 2, "an answer that broke off"
    changes = Stub(b"", OK)
    await araises(ConnectionFailed, AsyncInlet(changes.url).put_model("m", embedding_dim=4))
    assert len(changes.requests) == 1, "a change was repeated"
    await araises(TimedOut, alive(Stub(None, OK).url, timeout=0.1))


async def alive(url, **options):
    async with AsyncInlet(url, **options) as inlet:
        return await inlet.live()


async def araises(kind, call):
    try:
        await call
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


def check_other_reads(inlet):
    cos = inlet.position_embeddings(4, position_embedding={"type": "rope", "head_dim": 8}, outputs=["cos"])
    query = "context_length=4&position_embedding=rope&position_embedding.head_dim=8&outputs=cos"
    assert cos["cos"].tobytes() == raw(f"/v1/models/default/position-embeddings?{query}")
    tokens = inlet.tokenize(TEXT)
    shown = json.loads(raw("/v1/tokenize", {"text": TEXT}, "application/json"))
    assert tokens["input_ids"].tolist() == shown["input_ids"]
    assert tokens["token_starts"][:-1].tolist() == [token["start"] for token in shown["tokens"]]
    counted = inlet.tokenize(TEXT, encoding="o200k_base", count_only=True)
    assert len(counted) == 0 and counted.counts["num_tokens"] > 5
    texts = [TEXT, "a second text", "🦙"]
    for given in [texts, texts[:1]]:
        tokens_of_list = inlet.tokenize(given)
        assert sorted(tokens_of_list) == ["document_starts", "input_ids", "token_ranges"], tokens_of_list
        counts_of_list = inlet.tokenize(given, count_only=True)
        assert counts_of_list["document_starts"].tolist() == tokens_of_list["document_starts"].tolist()
        each = list(tokens_of_list.documents())
        assert len(each) == len(given) == len(list(counts_of_list.documents()))
        for text, document in zip(given, each):
            one = inlet.tokenize(text)
            assert document["input_ids"].tolist() == one["input_ids"].tolist()
            assert document.counts == {"num_tokens": len(one["input_ids"])}, document.counts
            assert document["token_ranges"][:, 0].tolist() == one["token_starts"][:-1].tolist()
            assert document["input_ids"].base is not None
    raises(KeyError, lambda: list(tokens.documents()))
    assert inlet.detokenize(tokens["input_ids"]) == {"text": TEXT, "lossy": False}
    [[nearest]] = inlet.neighbors("default", input_ids=[15496], k=1)["neighbors"]
    row = inlet.input_embeddings(input_ids=[15496], outputs=["token_embeddings"])["token_embeddings"]
    assert inlet.neighbors("default", vector=row[0, 0], k=1)["neighbors"][0][0]["id"] == nearest["id"] == 15496
    texts = ["Hello, world!", "A second text"]
    vectors = inlet.embeddings(texts, model="float32")
    floats = json.loads(raw("/v1/embeddings", {"input": texts, "model": "float32"}, "application/json"))["data"]
    assert np.array_equal(vectors.array, np.array([each["embedding"] for each in floats], np.float32))
    assert vectors.model == "float32" and vectors.num_tokens > 1
    assert not HAS_TORCH or vectors.torch().data_ptr() == vectors.array.ctypes.data
    prompts = inlet.render_completion([TEXT, "a second text"], add_special_tokens=False)
    assert [each["token_ids"] for each in prompts] == [inlet.tokenize(text)["input_ids"].tolist() for text in [TEXT, "a second text"]]
    said = {"messages": [{"role": "user", "content": TEXT}], "chat_template": "{% for m in messages %}{{ m.content }}{% endfor %}"}
    assert inlet.render_chat(**said)["token_ids"] == inlet.render_chat(**said, target="sglang")["input_ids"] == tokens["input_ids"].tolist()
    assert inlet.models()["data"][0]["id"] == inlet.model()["id"] == inlet.model("default")["id"] == "default"
    assert inlet.live() == {"status": "live"} and inlet.ready() == {"status": "ready"}
    assert "inlet_requests" in inlet.metrics()


def check_refusals(inlet):
    for call, status, code, param in [
        (lambda: inlet.input_embeddings(TEXT, context_length=0), 400, "invalid_request", "context_length"),
        (lambda: inlet.input_embeddings("word " * 2000, context_length=1025), 422, "context_too_long", "context_length"),
        (lambda: inlet.model("a/b?c"), 404, "model_not_found", "model"),
        (lambda: inlet.embeddings(TEXT), 422, "unsupported_combination", "model"),
        (lambda: inlet.delete_model("default"), 401, "unauthorized", "authorization"),
    ]:
        try:
            call()
        except Refused as error:
            assert (error.status, error.code) == (status, code), error
            assert error.param == param and error.message and error.request_id, (error, error.param)
        else:
            raise AssertionError(code)


def check_admin():
    with Inlet(URL, ADMIN) as admin:
        assert admin.put_model("drawn", embedding_dim=8, vocab_size=50257, seed=2**63)["embedding_dim"] == 8
        tables = admin.tables("drawn")
        assert admin.put_tables("drawn", tables, if_match=tables.headers["etag"])["model_version"] == "2"
        try:
            admin.tables("drawn", if_none_match=admin.tables("drawn").headers["etag"])
        except Refused as error:
            assert (error.status, error.code) == (304, "not_modified")
        rows = np.arange(50257 * 4, dtype=np.float16).reshape(50257, 4)
        positions = {"type": "rope", "head_dim": 4}
        made = admin.put_model("given", tensors={"wte.weight": rows}, architecture="llama", position_embedding=positions)
        assert made["dtype"] == "float16" and made["position_embedding"] == "rope"
        given = admin.input_embeddings(input_ids=[7], model="given", outputs=["token_embeddings"], dtype="float16")
        assert given["token_embeddings"].tobytes() == rows[7].tobytes() and given.model == "given"
        assert admin.tables("given")["wte.weight"].tobytes() == rows.tobytes()
        if HAS_TORCH:
            import torch

            table = torch.arange(50257 * 4, dtype=torch.bfloat16).reshape(50257, 4)
            admin.put_model("torch", tensors={"wte.weight": table}, architecture="llama", position_embedding="none")
            assert torch.equal(admin.tables("torch").torch("wte.weight"), table)
            admin.put_tables("torch", admin.tables("torch"))
            admin.delete_model("torch")
        assert admin.unload_model("drawn")["state"] == "unloaded"
        assert admin.load_model("drawn")["state"] == "ready"
        for name in ["drawn", "given"]:
            assert admin.delete_model(name) is None


class Stub:
    """A service of prepared answers: each is written as it stands, then the connection ends."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        for answer in self.answers:
            connection, _ = self.listener.accept()
            self.requests.append(connection.recv(65536))
            if answer is None:
                time.sleep(1)
            else:
                connection.sendall(answer)
            connection.close()
        self.listener.close()


def answer(status, body, *headers):
    lines = [f"HTTP/1.1 {status} X", f"content-length: {len(body)}", "content-type: application/json", *headers]
    return "\r\n".join([*lines, "", body]).encode()


BUSY = answer(503, '{"error":{"code":"overloaded","message":"No room","param":null}}', "retry-after: 0")
OK = answer(200, '{"status":"live"}')


def raises(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


def live(url, **options):
    with Inlet(url, **options) as inlet:
        return inlet.live()


def check_retries():
    stub = Stub(BUSY, answer(429, "slow down"), b"", OK)
    assert live(stub.url) == {"status": "live"} and len(stub.requests) == 4
    stub = Stub(BUSY, BUSY)
    assert raises(Refused, lambda: live(stub.url, retries=1)).retry_after == 0.0
    waits_long = answer(503, '{"error":{"code":"overloaded","message":"No room","param":null}}', "retry-after: 31")
    assert raises(Refused, lambda: live(Stub(waits_long).url)).retry_after == 31.0
    failed = Stub(answer(422, '{"error":{"code":"model_failed","message":"A file is wrong","param":null}}'))
    assert raises(Refused, lambda: live(failed.url)).code == "model_failed" and len(failed.requests) == 1
    cut = Stub(OK[:-3], OK)
    assert live(cut.url) == {"status": "live"} and len(cut.requests) == 2, "an answer that broke off"
    changes = Stub(b"", OK)
    with Inlet(changes.url) as admin:
        raises(ConnectionFailed, lambda: admin.put_model("m", embedding_dim=4))
    assert len(changes.requests) == 1, "a change was repeated"
    silent = Stub(None, OK)
    raises(TimedOut, lambda: live(silent.url, timeout=0.1))
    page = raises(Refused, lambda: live(Stub(answer(502, "<html>bad gateway\nmore")).url))
    assert (page.status, page.code, page.message) == (502, None, "<html>bad gateway")
    nobody = socket.create_server(("127.0.0.1", 0))
    port = nobody.getsockname()[1]
    nobody.close()
    raises(ConnectionFailed, lambda: live(f"http://127.0.0.1:{port}", retries=1))
    assert "without /v1" in str(raises(InletError, lambda: Inlet("http://localhost:8000/v1/")))
    prefixed = Stub(OK)
    live(prefixed.url + "/inlet/", key="a-key")
    assert prefixed.requests[0].startswith(b"GET /inlet/health/live ") and b"Bearer a-key" in prefixed.requests[0]


def check_kept_connections():
    ports = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            ports.append(self.client_address[1])
            self.wfile.write(OK)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with Inlet(f"http://127.0.0.1:{server.server_port}") as inlet:
        for _ in range(3):
            inlet.live()
    assert len(set(ports)) == 1, "one connection serves all calls"
    server.shutdown()
    server.server_close()


def check_threads():
    failures = []
    with Inlet(URL) as inlet:
        wanted = inlet.input_embeddings(TEXT)["input_embeddings"].tobytes()

        def run():
            for _ in range(20):
                if inlet.input_embeddings(TEXT)["input_embeddings"].tobytes() != wanted:
                    failures.append(1)

        threads = [threading.Thread(target=run) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failures


def check_readmes(paths):
    # Blocks with SERVICE go on from those before them: test/docs/training.test.ts runs these.
    for path in paths:
        for code in re.findall(r"```python\n(.*?)```", Path(path).read_text(encoding="utf-8"), re.S):
            if "inlet_client" in code and "SERVICE" not in code and (HAS_TORCH or "import torch" not in code) and (HAS_HTTPX or "Async" not in code):
                exec(code.replace("http://localhost:8000", URL), {})


with Inlet(URL) as client:
    check_input_embeddings(client)
    check_batches(client)
    check_words(client)
    check_other_reads(client)
    check_datasets(client)
    check_chats(client)
with Inlet(URL, "not-the-admin-key-of-32-characters") as stranger:
    check_refusals(stranger)
check_admin()
check_retries()
check_kept_connections()
check_threads()
if HAS_HTTPX:
    asyncio.run(check_async())
check_readmes(sys.argv[2:])
print("wheel: as raw HTTP;", "httpx" if HAS_HTTPX else "no httpx,", "ml_dtypes" if HAS_ML_DTYPES else "no ml_dtypes,", "torch" if HAS_TORCH else "no torch")
