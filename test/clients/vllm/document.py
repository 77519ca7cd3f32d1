"""The lines of docs/vllm.md as they stand there, for shells and Python, before a stand-in for vLLM: each completion is the
text that the model generates from ids.

document.py FOLDER
"""

import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import torch

import stand_in
from models import make
from service import ROOT, Service

FRANCE, ONCE, ASKED = "The capital of France is", "Once upon a time", "What is the capital of France?"


def blocks(language, service, upstream):
    """The page's blocks of a language, with the test's addresses."""
    page = pathlib.Path(ROOT, "docs", "vllm.md").read_text(encoding="utf-8")
    page = page.replace("http://localhost:8000", service).replace("http://localhost:8001", upstream)
    page = page.replace("localhost:8000", service).replace("localhost:8001", upstream)
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.S | re.M)


def printed(code, names):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "vllm.md", "exec"), names)
    return out.getvalue()


@torch.no_grad()
def main(folder):
    models = make(folder)
    model = models["llama"]
    upstream = stand_in.start({"meta-llama/Llama-3.1-8B-Instruct": model, "llama": model})
    os.environ["UPSTREAM_URL"], os.environ["UPSTREAM_KEY"] = upstream, stand_in.KEY
    with Service(folder) as service:
        def text_of(prompt, special):
            return "".join(f"{token} " for token in stand_in.from_ids(model, service.ids("llama", prompt, special)))

        by_hand, transformers, openai = blocks("python", service.base, upstream)
        names = {"model": model}
        shapes, answer = printed(by_hand, names).splitlines()
        lengths = [len(service.ids("llama", prompt, True)) for prompt in (FRANCE, ONCE)]
        width = model.config.hidden_size
        assert shapes == f"{lengths} {[[length, width] for length in lengths]}", shapes
        assert text_of(FRANCE, True) in answer and text_of(ONCE, True) in answer, answer
        printed(transformers.replace("model.generate(", "generated = model.generate("), names)
        assert "".join(f"{token} " for token in names["generated"][0].tolist()) == text_of(FRANCE, True)
        assert printed(openai, {}) == text_of(ASKED, False)
        print("docs/vllm.md: 3 blocks of Python give the text that ids give")

        if not shutil.which("curl") or not shutil.which("jq"):
            print("docs/vllm.md: its lines for shells need curl and jq: skipped")
            return
        shells = [block for block in blocks("sh", service.base, upstream) if "curl" in block]
        whole, stream = [subprocess.run(["bash", "-euo", "pipefail", "-c", block], check=True, capture_output=True,
                                        text=True).stdout for block in shells]
        assert json.loads(whole)["choices"][0]["text"] == text_of(FRANCE, True), whole
        events = [line[6:] for line in stream.split("\n\n") if line]
        assert events.pop() == "[DONE]"
        assert "".join(json.loads(event)["choices"][0]["text"] for event in events) == text_of(FRANCE, True), stream
        print("docs/vllm.md: 2 blocks for shells do too")


if __name__ == "__main__":
    main(*sys.argv[1:])
