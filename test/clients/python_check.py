"""Checks answers of a running service with NumPy and safetensors, and with torch and transformers where they are.

python_check.py http://127.0.0.1:8000 README.md
"""

import hashlib
import io
import pathlib
import re
import sys
import time

import numpy as np
import requests
import safetensors.numpy

BASE, README = sys.argv[1], pathlib.Path(sys.argv[2])
URL = f"{BASE}/v1/input-embeddings"
NPY = {"accept": "application/x-npy"}
SAFETENSORS = {"accept": "application/vnd.safetensors"}
RAW = {"accept": "application/octet-stream"}
TEXT = README.parent.joinpath("docs/sample.txt").read_text(encoding="utf-8")

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


def check_readme():
    """The README's lines for Python, as they stand there."""
    code = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S).group(1)
    assert "localhost:8000" in code
    names = {}
    exec(code.replace("http://localhost:8000", BASE), names)
    array, tensors = names["array"], names["tensors"]
    assert array.shape == (2, 4, 256) and array.dtype == np.float32
    assert np.array_equal(array, tensors["token_embeddings"])
    print("README: its Python lines give", array.shape, array.dtype)


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
            from_base64 = np.frombuffer(__import__("base64").b64decode(encoded[name]["data"]), array.dtype)
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


def check_torch():
    """token_embeddings are what a Hugging Face model takes as inputs_embeds."""
    try:
        import torch
        import transformers
    except ImportError as missing:
        print(f"torch: skipped, {missing.name} is not installed (WITH_TORCH=1 installs it)")
        return
    torch.manual_seed(123)
    tokens, positions = torch.nn.Embedding(50257, 256), torch.nn.Embedding(1024, 256)
    config = transformers.GPT2Config(n_embd=256, n_layer=1, n_head=4)
    model = transformers.GPT2Model(config).eval()
    model.wte.weight.data, model.wpe.weight.data = tokens.weight.data, positions.weight.data

    call = {"text": TEXT, "context_length": 64, "outputs": ["input_ids", "token_embeddings", "input_embeddings"]}
    tensors = {name: torch.from_numpy(array) for name, array in
               safetensors.numpy.load(post(call, SAFETENSORS).content).items()}
    ids, places = tensors["input_ids"].long(), torch.arange(64)
    with torch.no_grad():
        assert torch.equal(tokens(ids), tensors["token_embeddings"])
        assert torch.equal(tokens(ids) + positions(places), tensors["input_embeddings"])
        by_ids = model(input_ids=ids).last_hidden_state
        assert torch.equal(by_ids, model(inputs_embeds=tensors["token_embeddings"]).last_hidden_state)
        twice = model(inputs_embeds=tensors["input_embeddings"]).last_hidden_state
        assert not torch.allclose(by_ids, twice), "positions counted twice must show"
    print(f"torch {torch.__version__}, transformers {transformers.__version__}: inputs_embeds = token_embeddings")


wait_until_ready()
check_readme()
check_formats()
check_table()
check_torch()
