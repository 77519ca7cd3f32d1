"""The blocks of Python of docs/vllm.md that need no model server, as they stand there: transformers generates from rows
the text that it generates from ids.

document.py FOLDER
"""

import os
import pathlib
import re
import sys

import torch
from safetensors.torch import save_file

from models import make
from service import ROOT, Service


def blocks(service):
    """The page's blocks of Python, with the test's address."""
    page = pathlib.Path(ROOT, "docs", "vllm.md").read_text(encoding="utf-8")
    page = page.replace("http://localhost:8000", service)
    return re.findall(r"^```python\n(.*?)^```$", page, re.S | re.M)


@torch.no_grad()
def main(folder):
    model = make(folder)["llama"]
    os.chdir(folder)
    with Service(folder) as service:
        by_hand, transformers, learned, *_ = blocks(service.base)
        names = {"model": model}
        own = by_hand.split("completion = ")[0]  # the lines behind it are for vLLM
        exec(compile(own, "vllm.md", "exec"), names)
        prompts = ("The capital of France is", "Once upon a time")
        ids = [service.ids("llama", prompt, True) for prompt in prompts]
        assert [tuple(rows.shape) for rows in names["tensors"]] == [(len(each), model.config.hidden_size) for each in ids]
        exec(compile(transformers.replace("model.generate(", "generated = model.generate("), "vllm.md", "exec"), names)
        expected = model.generate(torch.tensor([ids[0]]), max_new_tokens=8)[0, len(ids[0]):]
        assert torch.equal(names["generated"][0], expected)
        save_file({"prompt_embeddings": torch.ones(2, model.config.hidden_size)}, "adapter_model.safetensors")
        exec(compile(learned, "vllm.md", "exec"), names)
        assert torch.equal(names["rows"][:2], torch.ones(2, model.config.hidden_size, dtype=names["tensors"][0].dtype))
        print("docs/vllm.md: its Python generates from rows what ids generate")


if __name__ == "__main__":
    main(*sys.argv[1:])
