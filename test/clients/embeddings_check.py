"""Compares the service's embeddings with those in expected.json, through OpenAI's client.

prepare MODELS: beside each folder whose embeddings are normalized, one whose are not.
check MODELS URL: before normalization the bits must be the same, after it numbers may differ by 1e-6.
"""

import base64
import json
import shutil
import sys
from pathlib import Path

import numpy as np


def prepare(models: Path) -> None:
    for name, expected in json.loads((models / "expected.json").read_text())["models"].items():
        if "mean" not in expected:
            continue
        copy = models / f"{name}.mean"
        shutil.copytree(models / name, copy)
        for file, key in (("config.json", "normalize"), ("modules.json", None)):
            if not (copy / file).exists():
                continue
            value = json.loads((copy / file).read_text())
            value = value[:1] if key is None else {**value, key: False}
            (copy / file).write_text(json.dumps(value))


def decoded(rows: list[str]) -> np.ndarray:
    return np.stack([np.frombuffer(base64.b64decode(row), "<f4") for row in rows])


def check(models: Path, url: str) -> None:
    from openai import BadRequestError, OpenAI, UnprocessableEntityError
    from openai import __version__ as openai_version

    client = OpenAI(base_url=url, api_key="none", max_retries=0)
    golden = json.loads((models / "expected.json").read_text())

    def ask(model: str, inputs: list[str], **options) -> np.ndarray:
        answer = client.embeddings.create(model=model, input=inputs, **options)
        assert answer.object == "list" and answer.model == model and answer.usage.total_tokens > 0
        assert answer.model_version == "1", "a field that OpenAI has not is kept"
        assert [one.index for one in answer.data] == list(range(len(inputs)))
        return np.array([one.embedding for one in answer.data], np.float32)

    for name, expected in golden["models"].items():
        wanted = decoded(expected["embedding"])
        inputs = golden["texts"][: len(wanted)]
        given = ask(name, inputs)  # base64, unless told
        assert np.array_equal(given, ask(name, inputs, encoding_format="float")), name
        if "mean" in expected:
            mean = decoded(expected["mean"])
            assert np.array_equal(ask(f"{name}.mean", inputs).view(np.uint32), mean.view(np.uint32)), name
            far = float(np.abs(given - wanted).max())
            assert far <= 1e-6, (name, far)
            same = float((given == wanted).mean())
            print(f"{name}: {len(inputs)} texts, means the same bits; normalized {same:.4%} the same, at most {far:.1e} off")
        else:
            assert np.array_equal(given.view(np.uint32), wanted.view(np.uint32)), name
            print(f"{name}: {len(inputs)} texts, the same bits")

    short = ask("wide", golden["texts"][:12], dimensions=64)
    assert short.shape == (12, 64)
    for error, options in ((UnprocessableEntityError, {"model": "default"}), (BadRequestError, {"model": "wide", "dimensions": 9999})):
        try:
            client.embeddings.create(input="cat", **options)
            raise AssertionError(options)
        except error as caught:
            assert caught.code and caught.param, caught.body
    print(f"openai {openai_version} from PyPI: floats, base64, dimensions, errors")


if __name__ == "__main__":
    if sys.argv[1] == "prepare":
        prepare(Path(sys.argv[2]))
    else:
        check(Path(sys.argv[2]), sys.argv[3])
