"""torch_pickles.json: what torch.save pickles for tensors, without the marks that nothing refers to. Needs torch."""

import json
import pathlib
import pickletools
import tempfile
import zipfile

import torch

SHAPES = [[1], [300], [2, 3], [1, 2, 3], [2, 3, 4, 5], [70000, 1]]


def golden(tensor):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "archive.pt"
        with torch.serialization.skip_data():  # the elements are left out: a hole in the file
            torch.save(tensor, path)
        pickle = pickletools.optimize(zipfile.ZipFile(path).read("archive/data.pkl"))
    return {"dtype": str(tensor.dtype).removeprefix("torch."), "shape": list(tensor.shape), "pickle": pickle.hex()}


goldens = [golden(torch.zeros(shape, dtype=getattr(torch, dtype)))
           for dtype in ["float32", "float16", "bfloat16", "int32"] for shape in SHAPES]
goldens.append(golden(torch.empty(3 * 2**20, 1024, dtype=torch.bfloat16)))  # 2^31 elements and more; never touched
made = {"made_with": f"torch {torch.__version__}", "pickles": goldens}
pathlib.Path(__file__).with_name("torch_pickles.json").write_text(json.dumps(made, indent=1) + "\n")
