"""Trains a byte-level BPE tokenizer beside ours: python train_tokenizer.py LIBRARY VOCAB_SIZE PATTERN FILE...

Each line that is not empty is a document, the special token is <|endoftext|>. Prints the SHA-256 of the merges, of
tokenizers alone: the others have other ids.
"""

import hashlib
import sys

library, size, pattern, *files = sys.argv[1:]
size = int(size)


def documents():
    for file in files:
        with open(file, encoding="utf-8", newline="\n") as lines:
            yield from (line.removesuffix("\n") for line in lines if line != "\n")


def tokenizers():
    import json

    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    steps = pre_tokenizers
    made = Tokenizer(models.BPE())
    bytes_of = steps.ByteLevel(add_prefix_space=False, use_regex=False)
    made.pre_tokenizer = steps.Sequence([steps.Split(Regex(pattern), "isolated"), bytes_of])
    alphabet = steps.ByteLevel.alphabet()
    options = {"special_tokens": ["<|endoftext|>"], "initial_alphabet": alphabet, "show_progress": False}
    made.train_from_iterator(documents(), trainers.BpeTrainer(vocab_size=size, **options))
    merges = json.loads(made.to_str())["model"]["merges"]
    lines = "".join(f"{left} {right}\n" for left, right in merges)
    print(hashlib.sha256(lines.encode()).hexdigest())


def rustbpe():
    from rustbpe import Tokenizer

    Tokenizer().train_from_iterator(documents(), size - 1, pattern=pattern)


def gigatoken():
    from gigatoken import TextFileSource, train_bpe

    train_bpe(TextFileSource(files, separator="\n"), size, ["<|endoftext|>"])


globals()[library]()
