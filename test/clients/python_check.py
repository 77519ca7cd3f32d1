"""Checks answers of a running service with NumPy and safetensors, and with torch and transformers where they are.

python_check.py http://127.0.0.1:8000 docs/api.md
"""

import base64
import hashlib
import io
import json
import pathlib
import re
import sys
import time

import numpy as np
import requests
import safetensors.numpy

BASE, PAGE = sys.argv[1], pathlib.Path(sys.argv[2])
URL = f"{BASE}/v1/input-embeddings"
NPY = {"accept": "application/x-npy"}
SAFETENSORS = {"accept": "application/vnd.safetensors"}
RAW = {"accept": "application/octet-stream"}
TEXT = PAGE.parent.joinpath("sample.txt").read_text(encoding="utf-8")

EVERYTHING = ["input_embeddings", "token_embeddings", "position_embeddings", "input_ids", "target_ids",
              "attention_mask", "position_ids", "document_ids", "window_starts"]


def wait_until_ready():
    while requests.get(f"{BASE}/health/ready").status_code != 200:
        time.sleep(0.05)


def post(body, headers):
    answer = requests.post(URL, json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    assert int(answer.headers.get("content-length", len(answer.content))) == len(answer.content)
    return answer


def check_page():
    """The page's lines for Python, as they stand there."""
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S).group(1)
    assert "localhost:8000" in code
    names = {}
    exec(code.replace("http://localhost:8000", BASE), names)
    array, tensors = names["array"], names["tensors"]
    assert array.shape == (2, 4, 256) and array.dtype == np.float32
    assert np.array_equal(array, tensors["token_embeddings"])
    print("docs/api.md: its Python lines give", array.shape, array.dtype)


def check_formats():
    """Every output in every format: the same bits, and files that NumPy itself would have written."""
    checked = 0
    for dtype in ["float32", "float16"]:
        call = {"text": [TEXT, "A second, shorter text."], "context_length": 16, "stride": 9, "tail": "pad",
                "outputs": EVERYTHING, "dtype": dtype}
        tensors = safetensors.numpy.load(post(call, SAFETENSORS).content)
        shown = post(call, {}).json()["outputs"]
        encoded = post({**call, "encoding_format": "base64"}, {}).json()["outputs"]
        assert set(tensors) == set(shown) == set(EVERYTHING)
        for name, tensor in tensors.items():
            single = {**call, "outputs": [name]}
            npy = post(single, NPY).content
            array = np.load(io.BytesIO(npy))
            again = io.BytesIO()
            np.save(again, array)
            assert again.getvalue() == npy, f"{name}: not the file that numpy.save writes"
            raw = post(single, RAW)
            assert raw.headers["x-tensor-shape"] == ",".join(map(str, array.shape))
            from_json = np.array(shown[name]["data"], dtype=np.float64).astype(np.float32).astype(array.dtype)
            from_base64 = np.frombuffer(base64.b64decode(encoded[name]["data"]), array.dtype)
            for other in [tensor, from_json, from_base64.reshape(array.shape),
                          np.frombuffer(raw.content, array.dtype).reshape(array.shape)]:
                assert other.dtype == array.dtype and other.shape == array.shape, name
                assert other.tobytes() == array.tobytes(), name
                checked += 1
        sums = tensors["token_embeddings"].astype(np.float32) + tensors["position_embeddings"].astype(np.float32)
        if dtype == "float32":
            assert np.array_equal(sums, tensors["input_embeddings"])
    print(f"formats: {checked} arrays equal to the bit, files equal to numpy.save's (numpy {np.__version__})")


def check_table():
    ids = list(range(50257))
    call = {"input_ids": ids, "position_embedding": "none", "outputs": ["token_embeddings"]}
    table = np.load(io.BytesIO(post(call, NPY).content))[0]
    digest = hashlib.sha256(table.tobytes()).hexdigest()
    assert digest == "378aa211755db4f07941bd76254d12d62ced7f1d7b3ddfaf830882c496113155", digest
    print("table: torch's Embedding(50257, 256) under seed 123, by its sha256")


def service_model():
    return requests.get(f"{BASE}/v1/models/default").json()


def drawn_tables(torch):
    """The tables as PyTorch draws them, for whatever sizes and seed the service was started with."""
    model = service_model()
    sizes = [(model["vocab_size"], model["embedding_dim"]), (model["max_position_embeddings"], model["embedding_dim"])]
    torch.manual_seed(int(model["tables"]["seed"]))
    std = model["tables"]["init_std"]
    if std == 1:
        return [torch.nn.Embedding(*size).weight.data for size in sizes]
    return [torch.empty(*size).normal_(0, std) for size in sizes]


def check_torch_tables(torch):
    tokens, positions = drawn_tables(torch)
    count = min(len(tokens), len(positions))
    ids = torch.randperm(len(tokens))[:count].tolist()
    call = {"input_ids": ids, "outputs": ["token_embeddings", "position_embeddings", "input_embeddings"]}
    for dtype in [torch.float32, torch.float16, torch.bfloat16]:
        name = str(dtype).split(".")[1]
        content = post({**call, "dtype": name}, SAFETENSORS).content
        tensors = load_torch(torch, content, dtype)
        expected = [tokens[ids], positions[:count], tokens[ids] + positions[:count]]
        for key, tensor in zip(call["outputs"], expected):
            assert torch.equal(tensors[key].reshape(tensor.shape), tensor.to(dtype)), (name, key)
    print("torch: tables and sums in three dtypes, model", service_model()["tables"])


def load_torch(torch, content, dtype):
    """A safetensors file by its description: the library for torch wants a newer one than some systems have."""
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8:8 + size])
    return {name: torch.frombuffer(bytearray(content[8 + size:][slice(*entry["data_offsets"])]), dtype=dtype)
            for name, entry in header.items() if name != "__metadata__"}


def check_torch_loader(torch):
    """Orders of DataLoader, for seeds and sizes that no golden has."""
    orders = 0
    for seed in [0, 1, 42, 2**31, 2**32 + 5, 2**63 + 11, -7]:
        for count, batch_size, drop_last in [(1, 1, False), (17, 4, False), (100, 7, True), (3001, 8, False)]:
            torch.manual_seed(seed)
            loader = torch.utils.data.DataLoader(range(count), batch_size, shuffle=True, drop_last=drop_last)
            for epoch in range(3):
                order = torch.cat(list(loader)).tolist()
                call = {"input_ids": [1] * (count + 1), "context_length": 1, "shuffle": True, "seed": str(seed),
                        "epoch": epoch, "batch_size": batch_size, "drop_last": drop_last, "outputs": ["window_starts"]}
                assert post(call, {}).json()["outputs"]["window_starts"]["data"] == order, (seed, count, epoch)
                orders += 1
    print(f"torch: {orders} orders of DataLoader")


def check_transformers(torch, transformers):
    """token_embeddings are what a Hugging Face model takes as inputs_embeds."""
    tokens, positions = drawn_tables(torch)
    width = tokens.shape[1]
    config = transformers.GPT2Config(vocab_size=len(tokens), n_positions=len(positions), n_embd=width, n_layer=1, n_head=4)
    model = transformers.GPT2Model(config).eval()
    model.wte.weight.data, model.wpe.weight.data = tokens, positions
    call = {"text": TEXT, "context_length": 64, "outputs": ["input_ids", "token_embeddings", "input_embeddings"]}
    tensors = {name: torch.from_numpy(array) for name, array in
               safetensors.numpy.load(post(call, SAFETENSORS).content).items()}
    with torch.no_grad():
        by_ids = model(input_ids=tensors["input_ids"].long()).last_hidden_state
        assert torch.equal(by_ids, model(inputs_embeds=tensors["token_embeddings"]).last_hidden_state)
        twice = model(inputs_embeds=tensors["input_embeddings"]).last_hidden_state
        assert not torch.allclose(by_ids, twice), "positions counted twice must show"
    print(f"transformers {transformers.__version__}: inputs_embeds = token_embeddings")


def check_torch():
    try:
        import torch
        import transformers
    except ImportError as missing:
        print(f"torch: skipped, {missing.name} is not installed (WITH_TORCH=1 installs it)")
        return
    print("torch", torch.__version__)
    check_torch_tables(torch)
    check_torch_loader(torch)
    check_transformers(torch, transformers)


wait_until_ready()
if service_model()["embedding_dim"] == 256 and service_model()["tables"]["seed"] == 123:
    check_page()
    check_table()
check_formats()
check_torch()
