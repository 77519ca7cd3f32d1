"""Trains with `inlet train-tokenizer`, tokenizers and rustbpe, and compares merges, vocabularies and ids.

    python compare.py [--random 1000] [--quick]      exit code 1 where anything differs
"""
import argparse
import glob
import json
import pathlib
import random
import subprocess
import tempfile

import rustbpe
import tiktoken
from tiktoken.load import load_tiktoken_bpe
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

ROOT = pathlib.Path(__file__).resolve().parents[3]
GOLDEN = json.loads((ROOT / "test/goldens/trained-tokenizers.json").read_text())
PATTERNS = GOLDEN["patterns"]
ALPHABET = pre_tokenizers.ByteLevel.alphabet()


def of_tokenizers(texts, options):
    """The reference: BpeTrainer over the pieces of the pattern, in the byte alphabet."""
    tokenizer = Tokenizer(models.BPE())
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    pattern = options.get("pattern", "gpt4")
    cut = [] if pattern == "none" else [pre_tokenizers.Split(Regex(PATTERNS[pattern]), "isolated")]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*cut, byte_level])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=options["vocab_size"],
        special_tokens=options.get("special_tokens", ["<|endoftext|>"]),
        min_frequency=options.get("min_frequency", 0),
        max_token_length=options.get("max_token_length"),
        initial_alphabet=ALPHABET,
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def of_rustbpe(texts, options):
    """The merges as pairs of bytes, in their order."""
    trained = rustbpe.Tokenizer()
    trained.train_from_iterator(iter(texts), options["vocab_size"], pattern=PATTERNS[options["pattern"]])
    return [bytes(token) for token, _ in trained.get_mergeable_ranks()][256:]


def of_inlet(folder, texts, options):
    """Trains in a folder of this name; returns tokenizer.json's path."""
    lines = folder / "texts.jsonl"
    lines.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    out = folder / "out"
    flags = []
    for name, value in options.items():
        if value is not None:
            flags += ["--" + name.replace("_", "-"), ",".join(value) if isinstance(value, list) else str(value)]
    command = ["node", "dist/cli/main.js", "train-tokenizer", str(lines), *flags, "--format", "tiktoken", "-q", "-o", str(out)]
    subprocess.run(command, check=True, cwd=ROOT)
    return out


def merges_of(saved):
    return [merge if isinstance(merge, list) else merge.split(" ") for merge in saved["model"]["merges"]]


def bytes_of(merge):
    characters = {character: byte for byte, character in CHARACTERS.items()}
    return bytes(characters[character] for character in "".join(merge))


CHARACTERS = {}
extra = 256
for byte in range(256):
    if 33 <= byte < 127 or 161 <= byte < 173 or 174 <= byte:
        CHARACTERS[byte] = chr(byte)
    else:
        CHARACTERS[byte] = chr(extra)
        extra += 1


def compare(texts, options, held_out=()):
    """What differs; None if nothing does."""
    with tempfile.TemporaryDirectory() as name:
        out = of_inlet(pathlib.Path(name), texts, options)
        own = json.loads((out / "tokenizer.json").read_text())
        if options.get("like") == "rustbpe":
            expected = of_rustbpe(texts, options)
            found = [bytes_of(merge) for merge in merges_of(own)]
            return None if found == expected else f"merges: {len(found)} and {len(expected)}"
        reference = of_tokenizers(texts, options)
        saved = json.loads(reference.to_str())
        if merges_of(own) != merges_of(saved):
            return f"merges: {len(merges_of(own))} and {len(merges_of(saved))}"
        loaded = Tokenizer.from_file(str(out / "tokenizer.json"))
        if loaded.get_vocab() != reference.get_vocab():
            return "vocabularies"
        for text in held_out:
            if loaded.encode(text).ids != reference.encode(text).ids:
                return f"ids of {text[:60]!r}"
        if held_out and options.get("pattern", "gpt4") != "none":
            special = {token["content"]: token["id"] for token in own["added_tokens"]}
            ranks = load_tiktoken_bpe(str(out / "tokenizer.tiktoken"))
            pattern = PATTERNS[options.get("pattern", "gpt4")]
            encoding = tiktoken.Encoding("own", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)
            for text in held_out:
                if encoding.encode(text, allowed_special="all") != reference.encode(text).ids:
                    return f"tiktoken's ids of {text[:60]!r}"
    return None


def corpora():
    """Eight texts: the project's own prose, code in four languages, data, and what lies beside it."""
    names = {
        "docs": "docs/*.md",
        "typescript": "src/first-layer/**/*.ts",
        "python": "clients/python/src/**/*.py",
        "tests": "test/first-layer/**/*.test.ts",
        "json": "test/goldens/*.json",
        "yaml": "openapi.yaml",
    }
    for name, pattern in names.items():
        paths = sorted(glob.glob(str(ROOT / pattern), recursive=True))
        yield name, [pathlib.Path(path).read_text()[:300_000] for path in paths][:60]
    letters = random.Random(1)
    yield "dna", ["".join(letters.choice("ACGT") for _ in range(3000)) for _ in range(30)]
    yield "scripts", [" ".join(letters.choice(GOLDEN["letters"]["scripts"]) * letters.randint(1, 3) for _ in range(4000))]


def random_case(draw):
    letters = GOLDEN["letters"][draw.choice(sorted(GOLDEN["letters"]))]
    word = lambda: "".join(draw.choice(letters) for _ in range(draw.randint(1, 6)))
    texts = [" ".join(word() for _ in range(draw.randint(0, 60))) for _ in range(draw.randint(1, 20))]
    options = {"vocab_size": draw.choice([257, 300, 400, 600]), "pattern": draw.choice(["gpt2", "gpt4", "gpt4o", "qwen2", "none"])}
    if draw.random() < 0.3:
        options["min_frequency"] = draw.randint(0, 8)
    if draw.random() < 0.3:
        options["max_token_length"] = draw.randint(1, 8)
    if draw.random() < 0.3:
        options["special_tokens"] = draw.choice([["<s>", "</s>"], ["a"], ["<|endoftext|>", "<|pad|>"]])
        options["vocab_size"] = max(options["vocab_size"], 258)
    return texts, options


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--random", type=int, default=1000)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    differ = tried = 0
    sizes = [1000] if given.quick else [512, 1000, 4000, 16000]
    for name, texts in corpora():
        held_out = [text[at : at + 400] for text in texts[:20] for at in range(0, min(len(text), 20_000), 400)][:1250]
        for size in sizes:
            for pattern in PATTERNS:
                for like in ("huggingface", "rustbpe"):
                    options = {"vocab_size": size, "pattern": pattern}
                    if like == "rustbpe":
                        options |= {"like": like, "special_tokens": []}
                    found = compare(texts, options, held_out if like == "huggingface" else ())
                    tried += 1
                    if found:
                        differ += 1
                        print(f"{name} {options}: {found}", flush=True)
    draw = random.Random(7)
    for number in range(given.random):
        texts, options = random_case(draw)
        found = compare(texts, options)
        tried += 1
        if found:
            differ += 1
            print(f"random {number} {options}: {found}", flush=True)
    print(f"{tried} trained, {differ} differ")
    raise SystemExit(1 if differ else 0)


main()
