"""`Accept: application/x-pytorch` with torch.load: from bytes, from a path, with mmap, as numbers of every type.

files.py FOLDER
"""

import io
import json
import pathlib
import sys
import urllib.request
import zipfile

import torch

from models import make
from service import Service


def tensor_file(service, body):
    request = urllib.request.Request(service.base + "/v1/input-embeddings", json.dumps(body).encode(),
                                     {"content-type": "application/json", "accept": "application/x-pytorch"})
    return urllib.request.urlopen(request, timeout=60).read()


def main(folder):
    wrong = 0
    make(folder)
    with Service(folder) as service:
        ids = torch.randint(3, 1200, (3, 17)).tolist()
        for dtype, output in [("float32", "inputs_embeds"), ("float16", "input_embeddings"),
                              ("bfloat16", "token_embeddings"), ("float32", "input_ids")]:
            body = {"model": "llama", "input_ids": ids, "context_length": 8, "outputs": [output], "dtype": dtype}
            file = tensor_file(service, body)
            path = pathlib.Path(folder) / "one.pt"
            path.write_bytes(file)
            expected = service.embed(**body)[output]
            loaded = {
                "bytes": torch.load(io.BytesIO(file), weights_only=True),
                "path": torch.load(path, weights_only=True),
                "mmap": torch.load(path, weights_only=True, mmap=True),
            }
            same = [torch.equal(each, expected) and each.dtype == expected.dtype for each in loaded.values()]
            whole = zipfile.ZipFile(path).testzip() is None
            aligned = loaded["mmap"].data_ptr() % 64 == 0
            wrong += not (all(same) and whole and aligned)
            print(f"{str(expected.dtype):15} {output:16} {list(expected.shape)}: "
                  f"{'the same' if all(same) else f'differs: {same}'}, zip {'whole' if whole else 'broken'}, "
                  f"{'aligned' if aligned else 'not aligned'} ({', '.join(loaded)})")
    return wrong


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
