"""Runs the page's lines for Python and PyTorch as they are printed: their arrays are the service's, bit for bit.

snippets_check.py FOLDER, as snippets_print.mjs has written it
"""

import contextlib
import io
import json
import os
import pathlib
import sys

import numpy as np

FOLDER = pathlib.Path(sys.argv[1]).resolve()

try:
    import torch
except ImportError:
    torch = None
    print("PyTorch: skipped, torch is not installed (WITH_TORCH=1 installs it)")

# Where PyTorch alone cannot make the tensor in a few lines, the page says why.
REFUSED = {"BERT adds more"}


def made(case, code):
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(code, "snippet.py", "exec"), names)
    return names["array"] if case["way"] == "Python" else names[case["output"]].detach().numpy()


checked = {"Python": 0, "PyTorch": 0}
for index, case in enumerate(json.loads(FOLDER.joinpath("cases.json").read_text())):
    place = FOLDER / str(index)
    if case["why"] is not None:
        assert case["way"] == "PyTorch", case
        assert case["name"] in REFUSED or case["output"] == "input_ids", case
        continue
    assert case["way"] == "Python" or (case["name"] not in REFUSED and case["output"] != "input_ids"), case
    if case["way"] == "PyTorch" and torch is None:
        continue
    os.chdir(place)
    array, expected = made(case, place.joinpath("snippet.py").read_text(encoding="utf-8")), np.load("expected.npy")
    assert array.dtype == expected.dtype and array.shape == expected.shape, (case, array.shape, expected.shape)
    assert array.tobytes() == expected.tobytes(), (case, np.abs(array - expected).max())
    checked[case["way"]] += 1
assert checked["Python"] > 40 and (torch is None or checked["PyTorch"] > 25), checked
print(f"snippets: {checked['Python']} of Python and {checked['PyTorch']} of PyTorch give the service's arrays, to the bit")
