"""Calls Inlet, the first layer of a language model over HTTP.

>>> from inlet_client import Inlet
>>> with Inlet("http://localhost:8000") as inlet:
...     rows = inlet.input_embeddings("Hello, world!", outputs=["inputs_embeds"])["inputs_embeds"]
"""

from .client import AsyncInlet, Inlet
from .dataset import Batches, Dataset
from .errors import ConnectionFailed, InletError, Refused, TimedOut
from .tensors import Embeddings, Tensors
from .types import OutputName

__all__ = [
    "AsyncInlet",
    "Batches",
    "ConnectionFailed",
    "Dataset",
    "Embeddings",
    "Inlet",
    "InletError",
    "OutputName",
    "Refused",
    "Tensors",
    "TimedOut",
]
