"""Embeddings in small types as sentence-transformers 6.2.0 makes them: python quantized.py STATIC_FOLDER > quantized.json.

`rows` float32 [64, 64] and `ranges` float32 [2, 64] of a larger sample give `int8`, `uint8`, `binary`, `ubinary`. `model` is
the folder `st-float16` of STATIC_FOLDER: `texts` through `encode`, with all 13 dimensions and cut to 8. Arrays are little-endian, in base64.
"""

import base64
import json
import sys
from pathlib import Path

import numpy as np
from sentence_transformers import SentenceTransformer
from sentence_transformers.util.quantization import quantize_embeddings

PRECISIONS = ("int8", "uint8", "binary", "ubinary")


def coded(array: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(array)).decode()


def quantized(rows: np.ndarray, ranges: np.ndarray) -> dict:
    return {precision: coded(quantize_embeddings(rows, precision, ranges=ranges)) for precision in PRECISIONS}


def numbers() -> dict:
    rng = np.random.default_rng(7)
    sample = (rng.standard_normal((2000, 64)) * rng.uniform(0.01, 30, 64)).astype(np.float32)
    ranges = np.vstack((sample[:500].min(axis=0), sample[:500].max(axis=0)))
    ranges[1, 63] = ranges[0, 63]  # a range without width
    rows = sample[480:540]  # some numbers are outside the ranges
    zeros = np.zeros((2, 64), np.float32)
    zeros[1] = -zeros[1]
    rows = np.vstack((rows, ranges, zeros))  # the ends of the ranges, and both zeros
    return {"rows": coded(rows), "ranges": coded(ranges), **quantized(rows, ranges)}


def of_model(folder: Path) -> dict:
    texts = json.loads((folder / "expected.json").read_text())["texts"][:40]
    return {"texts": texts, **{str(cut): cut_to(folder, texts, cut) for cut in (8, 13)}}


def cut_to(folder: Path, texts: list[str], dimensions: int) -> dict:
    model = SentenceTransformer(str(folder / "st-float16"), device="cpu", truncate_dim=dimensions)
    rows = model.encode(texts).astype(np.float32)
    ranges = np.vstack((rows.min(axis=0), rows.max(axis=0)))
    return {"ranges": ranges.tolist(), **quantized(rows, ranges)}


if __name__ == "__main__":
    print(json.dumps({"numbers": numbers(), "model": of_model(Path(sys.argv[1]))}, ensure_ascii=False, indent=0))
