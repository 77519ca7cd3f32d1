"""Writes soft-prompts/: adapters as PEFT saves them, and the rows that PEFT's generate gives to the model before its first block.

Run, with torch, transformers and peft: python soft_prompts.py

The models are the folders of models/. Rows are random; one of each folder's has the file of PEFT in float16 or bfloat16.
"""
import base64
import json
import pathlib
import tempfile

import peft
import torch
import transformers
from safetensors.torch import load_file, save_file

transformers.logging.set_verbosity_error()
HERE = pathlib.Path(__file__).parent
OUT = HERE / "soft-prompts"
IDS = [5, 7, 11, 13]
CASES = [("gpt2", 3, torch.float32), ("llama", 5, torch.float32), ("llama-bf16", 4, torch.float32),
         ("llama-bf16", 3, torch.float16), ("gemma", 2, torch.float32), ("gemma-bf16", 4, torch.float32),
         ("gemma-bf16", 2, torch.bfloat16), ("gemma2-bf16", 3, torch.float32), ("gemma3_text-f16", 3, torch.float32)]


class Reached(Exception):
    pass


def given_rows(model):
    """What generate's first call of the base model gets as inputs_embeds."""
    def stop(_module, _args, kwargs):
        raise Reached(kwargs["inputs_embeds"])
    handle = model.get_base_model().register_forward_pre_hook(stop, with_kwargs=True)
    try:
        model.generate(input_ids=torch.tensor([IDS]), attention_mask=torch.ones(1, len(IDS), dtype=torch.int64),
                       max_new_tokens=1, do_sample=False, pad_token_id=0)
    except Reached as reached:
        return reached.args[0].detach()
    finally:
        handle.remove()
    raise RuntimeError("generate called no model")


def written(rows):
    return base64.b64encode(rows.contiguous().view(torch.uint8).numpy().tobytes()).decode()


def case(number, folder, rows, dtype):
    base = transformers.AutoModelForCausalLM.from_pretrained(HERE / "models" / folder)
    torch.manual_seed(number)
    config = peft.PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=rows)
    model = peft.get_peft_model(base, config)
    with tempfile.TemporaryDirectory() as saved:
        model.save_pretrained(saved)
        path = pathlib.Path(saved) / "adapter_model.safetensors"
        if dtype != torch.float32:  # as a trainer in that type saves it
            tensors = {name: tensor.to(dtype) for name, tensor in load_file(path).items()}
            save_file(tensors, path, metadata={"format": "pt"})
        base = transformers.AutoModelForCausalLM.from_pretrained(HERE / "models" / folder)
        loaded = peft.PeftModel.from_pretrained(base, saved)
        file = f"{folder}-{rows}.safetensors"
        (OUT / file).write_bytes(path.read_bytes())
        given = given_rows(loaded)
    return {"model": folder, "file": file, "rows": rows, "input_ids": IDS, "dtype": str(given.dtype).removeprefix("torch."),
            "shape": list(given.shape[1:]), "inputs_embeds": written(given[0])}


OUT.mkdir(exist_ok=True)
cases = [case(number, *each) for number, each in enumerate(CASES)]
versions = {module.__name__: module.__version__ for module in (torch, transformers, peft)}
(OUT / "expected.json").write_text(json.dumps({"made_with": versions, "cases": cases}, indent=1) + "\n")
for each in cases:
    print(each["model"], each["dtype"], each["shape"])
