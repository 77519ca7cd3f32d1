"""The installed wheel where nothing else is: no_numpy.py URL."""

import importlib
import pkgutil
import sys

import inlet_client
from inlet_client import Inlet

for module in pkgutil.iter_modules(inlet_client.__path__):
    if module.name not in ("torch", "loading"):
        importlib.import_module(f"inlet_client.{module.name}")
try:
    import inlet_client.torch
except ImportError as error:
    assert "pip install" in str(error), error
else:
    raise AssertionError("torch is not here")
assert "numpy" not in sys.modules

with Inlet(sys.argv[1]) as inlet:
    assert inlet.live() == {"status": "live"}
    [prompt] = inlet.render_completion("Hello, world!")
    assert prompt["token_ids"] == [15496, 11, 995, 0], prompt
    assert inlet.detokenize(prompt["token_ids"])["text"] == "Hello, world!"
    assert inlet.tokenize("Hello, world!", count_only=True).counts["num_tokens"] == 4
    try:
        inlet.tokenize("Hello, world!")
    except ModuleNotFoundError as error:
        assert error.name == "numpy", error
    else:
        raise AssertionError("NumPy is not here")
print("wheel: imported and called with the standard library alone")
