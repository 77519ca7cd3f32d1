"""Packages that only some calls need."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def needed(module: str, by: str, install: str) -> Any:
    """The module.

    :raises ImportError: says what to install, where it is not there
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ImportError(f"{by} needs {module}: pip install {install}") from error
