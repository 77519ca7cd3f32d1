"""What a model learns by, whose fields depend on its type, and checkpoints, which are files."""

from __future__ import annotations

from typing import Any, Mapping, Optional

from .dataset_files import AsyncDatasetFiles, DatasetFiles
from .forms import FILE_BYTES, JSON, segment
from .types import Optimizer


class LearningFiles(DatasetFiles):
    """Optimizers and checkpoints."""

    def put_optimizer(
        self, model: str, optimizer: Mapping[str, Any], *, timeout: Optional[float] = None
    ) -> Optimizer:
        """Let a model learn. The same optimizer again is the one that is there.

        :param model: Id of the model.
        :param optimizer: ``{"type": "adamw", "lr": 1e-3}``: the options, defaults and meaning of ``torch.optim``’s;
            ``tables`` and ``rows`` choose what moves.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        path = f"/v1/models/{segment(model)}/optimizer"
        answer: Optimizer = self._ask(JSON, "PUT", path, body=dict(optimizer), timeout=timeout)
        return answer

    def checkpoint(self, model: str, *, timeout: Optional[float] = None) -> bytes:
        """Tables, states and gradients as a safetensors file, which :meth:`put_checkpoint` takes.

        :param model: Id of the model.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        path = f"/v1/models/{segment(model)}/checkpoint"
        return self._ask(FILE_BYTES, "GET", path, timeout=timeout)


class AsyncLearningFiles(AsyncDatasetFiles):
    """The same, awaited."""

    async def put_optimizer(
        self, model: str, optimizer: Mapping[str, Any], *, timeout: Optional[float] = None
    ) -> Optimizer:
        """As :meth:`LearningFiles.put_optimizer`."""
        path = f"/v1/models/{segment(model)}/optimizer"
        answer: Optimizer = await self._ask(JSON, "PUT", path, body=dict(optimizer), timeout=timeout)
        return answer

    async def checkpoint(self, model: str, *, timeout: Optional[float] = None) -> bytes:
        """As :meth:`LearningFiles.checkpoint`."""
        path = f"/v1/models/{segment(model)}/checkpoint"
        return await self._ask(FILE_BYTES, "GET", path, timeout=timeout)
