"""Static models, and what the libraries that define them answer: python make.py FOLDER [TEXTS [WIDTH WIDE]].

Needs model2vec 0.10.0 and sentence-transformers 6.2.0. Each folder is a model;
expected.json says for each the embeddings of the texts before and after normalization, float32 in base64. FOLDER is
emptied of these models first.
"""

import base64
import json
import random
import shutil
import sys
from pathlib import Path

import numpy as np
import torch
from model2vec import StaticModel
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import StaticEmbedding
from sentence_transformers.base.modules import Normalize
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

WORDS = (
    "the a cat kitten house sat on mat and dog ran over hill under tree while rain fell upon roofs of quiet town "
    "numbers 1 2 37 1984 naïve café Straße Größe 東京 привет мир token tokens embedding embeddings un believable -- ?!"
).split()
RARE = "🤖 ☃ ѫ 龘 ﷽ zyzzyva qwertz [UNK] [CLS] a\u0301 \u200b".split(" ")


def texts(count: int) -> list[str]:
    rng = random.Random(5)
    made = [" ", "🤖", "🤖 ☃ 🤖", "[UNK]", "cat", "Cat\tKITTEN\n house", "a" * 300, "cat " * 400, "🤖" * 200 + " cat"]
    while len(made) < count:
        words = rng.choices(WORDS, k=rng.randint(1, 24)) + rng.choices(RARE, k=rng.choice([0, 0, 1, 3]))
        rng.shuffle(words)
        made.append(rng.choice([" ", " ", "  ", ""]).join(words))
    return made[:count]


CORPUS = [" ".join(WORDS)] * 30 + texts(60)[9:]


def trained(tokenizer: Tokenizer, trainer: trainers.Trainer) -> Tokenizer:
    tokenizer.train_from_iterator([line.replace("🤖", "").replace("龘", "") for line in CORPUS], trainer)
    return tokenizer


def word_piece() -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]"]
    return trained(tokenizer, trainers.WordPieceTrainer(vocab_size=150, special_tokens=special, show_progress=False))


def byte_pair() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    return trained(tokenizer, trainers.BpeTrainer(vocab_size=300, initial_alphabet=alphabet, show_progress=False))


def words() -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return trained(tokenizer, trainers.WordLevelTrainer(vocab_size=80, special_tokens=["[UNK]"], show_progress=False))


def unigram() -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=120, unk_token="<unk>", special_tokens=["<pad>", "<unk>"], show_progress=False)
    return trained(tokenizer, trainer)


def rows(tokenizer: Tokenizer, dim: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((tokenizer.get_vocab_size(), dim)).astype(np.float32)


def coded(embeddings: np.ndarray) -> list[str]:
    return [base64.b64encode(row.astype("<f4").tobytes()).decode() for row in embeddings]


def model2vec(path: Path, inputs: list[str], model: StaticModel) -> dict:
    model.save_pretrained(path)
    (path / "README.md").unlink(missing_ok=True)
    loaded = StaticModel.from_pretrained(path)
    return {
        "mean": coded(loaded.encode(inputs, normalize=False)),
        "embedding": coded(loaded.encode(inputs)),
    }


def sentence_transformers(path: Path, inputs: list[str], tokenizer: Tokenizer, weights: torch.Tensor, **options) -> dict:
    modules = [StaticEmbedding(tokenizer, embedding_weights=weights)]
    if options.get("normalize"):
        modules.append(Normalize())
    prompt = options.get("prompt")
    prompts = {"prompts": {"query": prompt}, "default_prompt_name": "query"} if prompt else {}
    SentenceTransformer(modules=modules, device="cpu", **prompts).save(str(path))
    (path / "README.md").unlink(missing_ok=True)
    if options.get("subfolder"):
        moved = path / "0_StaticEmbedding"
        moved.mkdir()
        for name in ("model.safetensors", "tokenizer.json"):
            (path / name).rename(moved / name)
        listed = json.loads((path / "modules.json").read_text())
        listed[0]["path"] = moved.name
        (path / "modules.json").write_text(json.dumps(listed))
    whole = SentenceTransformer(str(path), device="cpu")
    mean = SentenceTransformer(modules=[whole[0]], device="cpu", **prompts)
    encode = lambda model: model.encode(inputs, convert_to_numpy=False, convert_to_tensor=True).float().numpy()
    return {"mean": coded(encode(mean)), "embedding": coded(encode(whole))}


def make(folder: Path, count: int, dim: int = 13, wide: int = 300) -> None:
    inputs = texts(count)
    piece, pair = word_piece(), byte_pair()
    cut = word_piece()
    cut.enable_truncation(6)
    last = byte_pair()
    last.enable_truncation(5, direction="left")
    level, pieces = words(), unigram()
    size = piece.get_vocab_size()
    rng = np.random.default_rng(1)
    mapping = rng.integers(0, 40, size)
    few = rows(piece, dim, 2)[:40]
    halves = lambda tokenizer, width, seed: rows(tokenizer, width, seed).astype(np.float16)
    weights = rng.uniform(0.01, 1.5, size)
    integers = rng.integers(-127, 128, (pair.get_vocab_size(), dim)).astype(np.int8)
    made = {
        "float32": lambda path: model2vec(path, inputs, StaticModel(rows(piece, dim, 1), piece)),
        "float16": lambda path: model2vec(path, inputs, StaticModel(halves(piece, dim, 2), piece, {"model_type": "model2vec"}, normalize=True)),
        "int8": lambda path: model2vec(path, inputs, StaticModel(integers, pair, normalize=True)),
        "wide": lambda path: model2vec(path, inputs[:12], StaticModel(rows(pair, wide, 3), pair, normalize=True, max_length=40)),
        "short": lambda path: model2vec(path, inputs, StaticModel(halves(piece, dim, 4), piece, max_length=4)),
        "unbounded": lambda path: model2vec(path, inputs, StaticModel(halves(pair, dim, 5), pair, max_length=None)),
        "mapped": lambda path: model2vec(
            path, inputs, StaticModel(few, piece, normalize=True, token_mapping=mapping, weights=weights)
        ),
        "mapped-float16": lambda path: model2vec(
            path, inputs, StaticModel(few.astype(np.float16), piece, token_mapping=mapping, weights=weights)
        ),
        "mapped-int8": lambda path: model2vec(
            path, inputs, StaticModel((20 * few).astype(np.int8), piece, token_mapping=mapping, normalize=True)
        ),
        "weighted-float32": lambda path: model2vec(
            path, inputs, StaticModel(halves(piece, dim, 6), piece, weights=weights.astype(np.float32))
        ),
        "weighted-float16": lambda path: model2vec(
            path, inputs, StaticModel(halves(piece, dim, 7), piece, weights=weights.astype(np.float16), normalize=True)
        ),
        "words": lambda path: model2vec(path, inputs, StaticModel(rows(level, dim, 12), level, normalize=True)),
        "unigram": lambda path: model2vec(path, inputs, StaticModel(halves(pieces, dim, 13), pieces)),
        "st-last": lambda path: sentence_transformers(path, inputs, last, torch.from_numpy(rows(last, dim, 14))),
        "st": lambda path: sentence_transformers(path, inputs, piece, torch.from_numpy(rows(piece, dim, 8)), normalize=True),
        "st-subfolder": lambda path: sentence_transformers(
            path, inputs, cut, torch.from_numpy(rows(piece, dim, 9)), subfolder=True, prompt="query: "
        ),
        "st-float16": lambda path: sentence_transformers(path, inputs, pair, torch.from_numpy(halves(pair, dim, 10))),
        "st-float16-normalized": lambda path: sentence_transformers(
            path, inputs, pair, torch.from_numpy(halves(pair, dim, 10)), normalize=True
        ),
        "st-bfloat16": lambda path: sentence_transformers(
            path, inputs, pair, torch.from_numpy(rows(pair, dim, 11)).bfloat16(), normalize=True
        ),
    }
    expected = {}
    for name, write in made.items():
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir(parents=True)
        expected[name] = write(folder / name)
        if expected[name]["mean"] == expected[name]["embedding"]:
            del expected[name]["mean"]
    (folder / "expected.json").write_text(json.dumps({"texts": inputs, "models": expected}, ensure_ascii=False, indent=0))


if __name__ == "__main__":
    make(Path(sys.argv[1]), *(map(int, sys.argv[2:]) if len(sys.argv) > 2 else [250]))
