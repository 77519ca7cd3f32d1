"""A model's folder for each chat template: a small byte-level tokenizer, in which the template's markers are added tokens.

    python folders.py MODELS TEMPLATES...     MODELS/trl.qwen3/… for TEMPLATES/qwen3.jinja of a folder chat_templates, trl's
"""
import json
import pathlib
import re
import sys

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

MARKER = re.compile(r"<[|｜]?[\w/▁][\w/▁ -]{0,40}[|｜]?>|\[/?[A-Z_]{2,20}\]|<[|｜][^<>\s]{1,40}[|｜]>")
TEXTS = ["The keeper of the lighthouse counts 17 ships at dawn. What is the weather in Zürich? Think, then answer."]


def main(into, *sources):
    for source in map(pathlib.Path, sources):
        family = "trl" if source.name == "chat_templates" else source.name
        for path in sorted(source.glob("*.jinja")):
            template = path.read_text(encoding="utf-8")
            folder = pathlib.Path(into) / f"{family}.{path.stem}"
            folder.mkdir(parents=True)
            write(folder, template)


def write(folder, template):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(
        TEXTS, trainers.BpeTrainer(vocab_size=300, initial_alphabet=alphabet, show_progress=False)
    )
    markers = ["<s>", "</s>", "<unk>", "<pad>", *sorted(set(MARKER.findall(template)) - {"<s>", "</s>", "<unk>", "<pad>"})]
    tokenizer.add_special_tokens([AddedToken(marker, special=True, normalized=False) for marker in markers])
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        **{"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"},
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    (folder / "chat_template.jinja").write_text(template, encoding="utf-8")
    # A type that nobody has: the folder's tokenizer.json is taken as it is.
    config = {"model_type": "templates", "vocab_size": tokenizer.get_vocab_size()}
    (folder / "config.json").write_text(json.dumps(config))


main(*sys.argv[1:])
