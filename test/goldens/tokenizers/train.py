"""Makes the tokenizer.json files of this folder from the project's own texts: `python train.py`, with tokenizers 0.23.2."""

import json
import random
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

HERE = Path(__file__).parent
ROOT = HERE.parents[2]

MANY_LANGUAGES = """Всё смешалось в доме Облонских. 我能吞下玻璃而不伤身体。 私はガラスを食べられます。 나는 유리를 먹을 수 있어요.
أنا قادر على أكل الزجاج. Je peux manger du verre, ça ne me fait pas mal. Tôi có thể ăn thủy tinh mà không hại gì. """

TEXTS = [path.read_text() for path in sorted((ROOT / "docs").glob("*.*")) if path.suffix in (".md", ".txt")]
TEXTS += [path.read_text() for path in sorted((ROOT / "src").glob("*.ts"))] + [MANY_LANGUAGES] * 40

CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
TAIL = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
LLAMA3 = CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|" + TAIL
QWEN2 = CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|" + TAIL
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
WORD = r"[^\r\n\p{L}\p{N}]?"
O200K = (
    f"{WORD}{UPPER}*{LOWER}+{CONTRACTIONS}?|{WORD}{UPPER}+{LOWER}*{CONTRACTIONS}?"
    + r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def split(pattern):
    cut = pre_tokenizers.Split(Regex(pattern), "isolated")
    return pre_tokenizers.Sequence([cut, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def train(pre_tokenizer, special, normalizer=None, vocab_size=1200):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.ByteLevel()
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, special_tokens=special, initial_alphabet=sorted(alphabet), show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    return tokenizer


def save(name, tokenizer, change=lambda file: None):
    file = json.loads(tokenizer.to_str())
    change(file)
    text = json.dumps(file, ensure_ascii=False, separators=(",", ":"))
    Tokenizer.from_str(text)
    (HERE / f"{name}.json").write_text(text + "\n")


def whole_pieces(file):
    """Tokens that no merge gives, ids in no order, and merges in the older form."""
    model = file["model"]
    for token in ["Ġjeho", "Ġunreachable", "zqxj", "Ġundenkbarerweise"]:
        model["vocab"].setdefault(token, len(model["vocab"]))
    ids = list(range(len(model["vocab"])))
    random.Random(1).shuffle(ids)
    model["vocab"] = dict(zip(model["vocab"], ids))
    model["ignore_merges"] = True
    model["merges"] = [" ".join(merge) for merge in model["merges"]]
    for number, token in enumerate(file["added_tokens"]):
        token["id"] = len(ids) + number if token["content"] not in model["vocab"] else model["vocab"][token["content"]]


def early_merges(file):
    """Every way to cut a token in two is listed, as in files made from tiktoken's ranks."""
    model = file["model"]
    vocab = model["vocab"]
    merges = []
    for left, right in model["merges"]:
        token = left + right
        ways = [[token[:i], token[i:]] for i in range(1, len(token)) if token[:i] in vocab and token[i:] in vocab]
        merges += sorted(ways, key=lambda way: (vocab[way[0]], vocab[way[1]]))
    model["merges"] = merges


def main():
    byte_level = lambda **options: pre_tokenizers.ByteLevel(**{"add_prefix_space": False, **options})
    gpt2 = train(byte_level(), ["<|endoftext|>"])
    gpt2.post_processor = processors.ByteLevel(trim_offsets=False)
    save("gpt2", gpt2)

    roberta = train(byte_level(add_prefix_space=True), ["<s>", "<pad>", "</s>", "<unk>"])
    roberta.add_special_tokens([AddedToken("<mask>", lstrip=True), AddedToken("<cut>", lstrip=True, rstrip=True)])
    roberta.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=False)
    save("roberta", roberta)

    llama3 = train(split(LLAMA3), ["<|begin|>", "<|end|>", "<|end"])
    llama3.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=False),
            processors.TemplateProcessing(single="<|begin|> $A", special_tokens=[("<|begin|>", 0)]),
        ]
    )
    save("llama3", llama3, early_merges)

    qwen2 = train(split(QWEN2), ["<|endoftext|>"], normalizers.NFC())
    qwen2.add_tokens([AddedToken("<tool>", normalized=False, special=False)])
    save("qwen2", qwen2)

    starcoder = train(pre_tokenizers.Sequence([pre_tokenizers.Digits(True), byte_level()]), ["<|endoftext|>"])
    save("starcoder", starcoder)

    neox = train(byte_level(), ["<|endoftext|>", "<|padding|>"], normalizers.NFC())
    neox.add_tokens([AddedToken(" " * length, normalized=True) for length in range(8, 1, -1)])
    save("gpt_neox", neox)

    save("o200k", train(split(O200K), ["<|endoftext|>"]), whole_pieces)


main()
