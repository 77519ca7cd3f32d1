"""Boundaries B and C of random folders of every family: the service beside transformers.

compare.py FOLDER [FAMILY …]
"""

import collections
import os
import random
import shutil
import sys
import traceback

import torch
import transformers

import boundary
from families import MANY, NORMALISED, PROJECTED, SINES, SMALL, WITHOUT_TYPES
from folders import make
from service import Service

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()
torch.set_num_threads(1)
FEW = int(os.environ.get("FEW", 5))
INTS = {2: torch.int16, 4: torch.int32}


def same_bits(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and torch.equal(a.contiguous().view(INTS[a.element_size()]),
                                                                     b.contiguous().view(INTS[b.element_size()]))


def distance(a, b):
    """The largest difference, in units of the largest number."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return f"{tuple(a.shape)} {a.dtype} for {tuple(b.shape)} {b.dtype}"
    a, b = a.double(), b.double()
    return ((a - b).abs().max() / b.abs().max().clamp_min(1e-30)).item()


def documents(r, config, vocabulary, longest):
    """Documents of different lengths where there is something to pad with."""
    pad = getattr(config, "pad_token_id", None)
    if pad is None:
        eos = config.eos_token_id
        pad = eos[0] if isinstance(eos, list) else eos
    length = r.randint(2, longest)
    if pad is None or not 0 <= pad < vocabulary:
        lengths = [length] * 2
    else:
        lengths = [length, r.randint(1, length), r.randint(1, length)]
    docs = [[r.randrange(vocabulary) for _ in range(each)] for each in lengths]
    if pad is not None and 0 <= pad < vocabulary and r.random() < 0.5:
        docs[0][r.randrange(length)] = pad  # the pad's id as a token like others
    return docs, pad


def rectangle(rows, fill):
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[fill] * (longest - len(row))] for row in rows])


def compare(service, path, name, r):
    family = name.rsplit("-", 1)[0]
    model = boundary.load(path)
    config = model.config.get_text_config() if family in ("gemma3", "llama4") else model.config
    table = model.get_input_embeddings().weight
    shown = service.model(name)
    if shown["state"] == "failed":
        return f"refused: {shown['error']['message']}"
    longest = min(16, shown["max_position_embeddings"] or 16)
    docs, pad = documents(r, config, table.shape[0], longest)
    ids = rectangle(docs, pad if pad is not None else 0)
    mask = rectangle([[1] * len(doc) for doc in docs], 0)
    inputs = {"input_ids": ids, "attention_mask": mask}
    body = {"model": name, "input_ids": docs, "dtype": str(table.dtype).removeprefix("torch."),
            "outputs": ["inputs_embeds", "input_embeddings", "attention_mask", "input_ids"]}
    types = getattr(config, "type_vocab_size", 0)
    length = r.randint(2, longest)
    if r.random() < 0.3 and pad is not None and 0 <= pad < table.shape[0]:  # windows of a longer document
        docs = [[r.randrange(table.shape[0]) for _ in range(r.randint(1, 3 * longest))] for _ in range(2)]
        body |= {"input_ids": docs, "context_length": length, "stride": r.randint(1, length), "tail": "pad"}
        body["outputs"] = body["outputs"] + ["window_starts", "document_ids"]
    elif family in NORMALISED - WITHOUT_TYPES and types and r.random() < 0.8:
        kinds = [[r.randrange(types) for _ in doc] for doc in docs]
        inputs["token_type_ids"], body["token_type_ids"] = rectangle(kinds, 0), kinds
    answer = service.embed(**body)
    if "context_length" in body:
        ids, mask = answer["input_ids"].long(), answer["attention_mask"].long()
        if not torch.equal(ids[mask == 0], torch.full_like(ids[mask == 0], pad)):
            return f"pads of windows: {pad}"
        for row, start, document in zip(ids, answer["window_starts"], answer["document_ids"]):
            if row[0].item() != docs[document][start]:
                return "windows do not begin where they say"
        inputs = {"input_ids": ids, "attention_mask": mask}
    elif not torch.equal(answer["input_ids"].long(), ids) or not torch.equal(answer["attention_mask"].long(), mask):
        return f"ids or mask differ: pad {pad}"
    b = boundary.inputs_embeds(model, ids)
    if not same_bits(answer["inputs_embeds"], b):
        return f"B: {distance(answer['inputs_embeds'], b)}"
    c = boundary.block_input(model, **inputs)
    found = answer["input_embeddings"]
    if same_bits(found, c):
        return None
    away = distance(found, c)
    wide = c.dtype == torch.float32
    allowed = (1e-6 if wide else 0) if family in SINES else 1e-5 if family in PROJECTED else 2e-6 if family in NORMALISED else 0
    if not wide and family in NORMALISED | PROJECTED:
        allowed = {torch.float16: 2.0**-10, torch.bfloat16: 2.0**-7}[c.dtype]  # one last place
    if isinstance(away, str) or away > allowed:
        return f"C: {away}"
    return ("close", away, str(c.dtype))


def main(folder, *families):
    shutil.rmtree(folder, ignore_errors=True)
    made = {}
    for family in families or SMALL:
        for number in range(4 * FEW if family in MANY else FEW):
            try:
                path, chosen = make(family, number, folder)
                made[path.name] = (path, chosen)
            except Exception as error:
                print(f"{family}-{number}: could not be made: {type(error).__name__} {str(error)[:300]}", flush=True)
                if "-v" in os.environ.get("OPTS", ""):
                    traceback.print_exc()
    results, wrong = collections.defaultdict(collections.Counter), 0
    most = collections.defaultdict(float)
    with Service(folder) as service:
        for name, (path, chosen) in made.items():
            family = name.rsplit("-", 1)[0]
            try:
                result = compare(service, path, name, random.Random(name))
            except Exception as error:
                result = f"{type(error).__name__} {str(error)[:400]}"
                if "-v" in os.environ.get("OPTS", ""):
                    traceback.print_exc()
            if isinstance(result, str):
                wrong += 1
                results[family]["wrong"] += 1
                print(f"{name}: {result} {chosen}", flush=True)
            elif result is None:
                results[family]["same bits"] += 1
            else:
                results[family]["close"] += 1
                key = family, result[2]
                most[key] = max(most[key], result[1])
    for family, counts in results.items():
        away = {key[1].removeprefix("torch."): f"{value:.1e}" for key, value in most.items() if key[0] == family}
        print(f"{family:12} {dict(counts)} {away or ''}")
    print(f"{len(made)} folders, {wrong} wrong")
    return wrong


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
