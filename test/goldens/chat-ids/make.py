"""Makes the folders here and expected.ndjson: python make.py TEMPLATES, with transformers 5.23.

TEMPLATES is vendor/llama.cpp/models/templates of llama-cpp-python 0.3.36's source: pip download --no-deps --no-binary :all:
Of each model a folder with its own template, and a small tokenizer of its kind with its special tokens; then what
`apply_chat_template(tokenize=True)` gives for the chats of packages/chat-template/test/proofs/cases.py, one JSON object a line.
"""

import json
import shutil
import sys
from pathlib import Path

from transformers import PreTrainedTokenizerFast

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "../../../packages/chat-template/test/proofs"))
from cases import fixed  # noqa: E402

# The template's file, the tokenizer of the same kind, tokens at the ends, and those that the template writes.
MODELS = {
    "qwen": (
        "Qwen-Qwen2.5-7B-Instruct.jinja",  # Apache-2.0
        "qwen2",
        {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"},
        ["<|im_start|>"],
    ),
    "mistral": (
        "mistralai-Mistral-Nemo-Instruct-2407.jinja",  # Apache-2.0
        "o200k",
        {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"},
        ["[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_CALLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]"],
    ),
    "phi": (
        "microsoft-Phi-3.5-mini-instruct.jinja",  # MIT
        "llama3",
        {"bos_token": "<s>", "eos_token": "<|endoftext|>", "unk_token": "<unk>"},
        ["<|system|>", "<|user|>", "<|assistant|>", "<|end|>"],
    ),
}


def main(templates: Path) -> None:
    lines = []
    for name, (file, kind, ends, written) in MODELS.items():
        folder = HERE / name
        shutil.rmtree(folder, ignore_errors=True)
        tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(HERE / f"../tokenizers/{kind}.json"), **ends)
        tokenizer.add_tokens(written, special_tokens=True)
        tokenizer.chat_template = (templates / file).read_text(encoding="utf-8")
        tokenizer.save_pretrained(folder)
        pack(folder / "tokenizer.json")
        lines += [json.dumps(asked(name, tokenizer, chat), ensure_ascii=False) for chat in fixed()]
    (HERE / "expected.ndjson").write_text("\n".join(lines) + "\n", encoding="utf-8")


def asked(name: str, tokenizer: PreTrainedTokenizerFast, chat: dict) -> dict:
    options = {"add_generation_prompt": not chat.get("continue_final_message", False), **chat}
    messages, more = options.pop("messages"), options.pop("chat_template_kwargs", {})
    try:
        ids = tokenizer.apply_chat_template(messages, tokenize=True, return_dict=False, **options, **more)
    except Exception as error:  # which template raises what is the template's
        return {"model": name, "chat": chat, "error": f"{type(error).__name__}: {error}"}
    return {"model": name, "chat": chat, "ids": ids}


def pack(file: Path) -> None:
    content = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
