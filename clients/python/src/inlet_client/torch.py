"""A model's first layer as a module of PyTorch: its rows come from the service, their gradients go back there.

>>> layer = FirstLayer("http://localhost:8000", key="…", optimizer={"type": "adamw", "lr": 1e-3})
>>> loss_of(transformer(layer(input_ids))).backward()
>>> layer.step()
"""

# torch's types are known only where torch is installed.
# pyright: reportUnknownMemberType=false, reportUnknownParameterType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUntypedBaseClass=false

from __future__ import annotations

import os
from typing import Any, Callable, Dict, Mapping, Optional

from .client import Inlet
from .errors import TimedOut
from .needed import needed
from .values import new_key

torch: Any = needed("torch", "inlet_client.torch", "torch")

ROWS = "input_embeddings"


class FirstLayer(torch.nn.Module):  # type: ignore[misc]
    """Token rows plus position rows of a model of the service, which learns there.

    Its tables are no parameters: the trainer's own optimizer does not see them. :meth:`step` moves them, under the
    optimizer that the service holds for the model, and answers what moved. Each call to the service has its effect
    once, however often it is sent.

    :param model: its id; its tables are float32
    :param key: the admin key, or a key that may ``learn`` the model
    :param optimizer: ``{"type": "adamw", "lr": 1e-3}``: made, or found to be the one that is there. Default: the one
        that is there
    :raises Refused: ``optimizer_exists`` where another optimizer is there
    :raises ValueError: where there is none
    """

    def __init__(
        self,
        url: str,
        model: str = "default",
        key: Optional[str] = None,
        *,
        optimizer: Optional[Mapping[str, Any]] = None,
        timeout: float = 60.0,
        retries: int = 3,
    ) -> None:
        super().__init__()
        self.model = model
        self.model_version: Optional[str] = None
        """Which step the last rows have seen."""
        self.grad_norms: Dict[str, float] = {}
        """By table, of all that has come since the last step: for ``clip_grad_norm_``."""
        self._service: Dict[str, Any] = {"url": url, "key": key, "timeout": timeout, "retries": retries}
        self._inlet: Optional[Inlet] = None
        self._process = 0
        self._anchor = torch.zeros((), requires_grad=True)  # autograd goes where a leaf asks for it
        if optimizer is not None:
            self._client().put_optimizer(model, optimizer)
        elif self._client().model(model).get("learning") is None:
            rule = "must have an optimizer: give one as `optimizer`"
            raise ValueError(f"`model` {rule}. Given: {model}, without one")

    def extra_repr(self) -> str:
        return f"{self._service['url']!r}, model={self.model!r}"

    def forward(
        self, input_ids: Any, *, position_offset: int = 0, attention_mask: Optional[Any] = None
    ) -> Any:
        """Rows [B, T, C], float32, of ids [B, T]: token rows plus rows of positions ``position_offset`` and on.

        :param attention_mask: [B, T]: a place with 0 brings no gradient
        """
        ids = input_ids.detach().cpu()
        answer = self._client().input_embeddings(
            input_ids=ids.numpy(), model=self.model, outputs=[ROWS], position_offset=position_offset or None
        )
        self.model_version = answer.model_version
        rows = answer.torch(ROWS).to(input_ids.device)
        return self._learned(rows, ids, None, attention_mask, position_offset)

    def attach(
        self,
        input_embeddings: Any,
        input_ids: Any,
        *,
        position_ids: Optional[Any] = None,
        attention_mask: Optional[Any] = None,
    ) -> Any:
        """Rows that have come already, as with a dataset's batch: their gradients go to the service all the same.

        Rows that were asked for before the last step are those of before it.

        :param input_embeddings: [B, T, C]
        :param input_ids: [B, T]
        :param position_ids: [B, T]. Default: 0 and on in each row
        """
        return self._learned(input_embeddings, input_ids.detach().cpu(), position_ids, attention_mask, 0)

    def step(
        self,
        lr: Optional[float] = None,
        *,
        scale: Optional[float] = None,
        weight_decay: Optional[float] = None,
    ) -> Dict[str, Any]:
        """``optimizer.step(); optimizer.zero_grad()`` of the first layer.

        :param lr: of this step, as a schedule has it. Default: the optimizer's
        :param scale: factor of the gradients, as ``clip_grad_norm_`` computes it
        :returns: ``step``, ``rows_updated`` and ``update_norms`` by table, ``model_version``
        """
        given = {"lr": lr, "scale": scale, "weight_decay": weight_decay}
        body = {name: value for name, value in given.items() if value is not None}
        answer: Dict[str, Any] = self._once(self._client().step, **body)
        self.model_version = answer["model_version"]
        self.grad_norms = {}
        return answer

    def checkpoint(self) -> bytes:
        """Tables, states and gradients as a safetensors file: all that a run needs to go on, to the bit."""
        return self._client().checkpoint(self.model)

    def load_checkpoint(self, file: bytes) -> None:
        """The run goes on from the file, in place of what the service has."""
        self._client().put_checkpoint(self.model, file)

    def get_extra_state(self) -> Any:
        """The checkpoint as a tensor of bytes: it is in the ``state_dict`` of a module that has this one."""
        return torch.frombuffer(bytearray(self.checkpoint()), dtype=torch.uint8)

    def set_extra_state(self, state: Any) -> None:
        self.load_checkpoint(state.numpy().tobytes())

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_inlet": None}

    def _learned(
        self, rows: Any, ids: Any, positions: Optional[Any], mask: Optional[Any], offset: int
    ) -> Any:
        if not torch.is_grad_enabled() or not self.training:
            return rows
        tensors = {"input_ids": ids}
        if positions is not None:
            tensors["position_ids"] = positions
        if mask is not None:
            tensors["attention_mask"] = mask
        numbers = {name: value.detach().cpu().to(torch.int32) for name, value in tensors.items()}
        return _Rows.apply(self._anchor, rows, self, numbers, offset)

    def _send(self, gradients: Any, numbers: Mapping[str, Any], offset: int) -> None:
        tensors = {"gradients": gradients.detach().cpu().contiguous(), **numbers}
        given = {"tensors": tensors, "position_offset": offset or None}
        self.grad_norms = self._once(self._client().gradients, **given)["grad_norms"]

    def _once(self, call: Callable[..., Any], **given: Any) -> Dict[str, Any]:
        """A call under one key, however often it is sent: it has its effect once."""
        key = new_key()
        retries: int = self._service["retries"]
        for attempt in range(retries + 1):
            try:
                answer: Dict[str, Any] = call(model=self.model, idempotency_key=key, **given)
                return answer
            except TimedOut:  # of other calls nobody knows whether they may be made twice
                if attempt == retries:
                    raise
        raise AssertionError("every try answers or raises")

    def _client(self) -> Inlet:
        """This process's client: a forked worker has connections of its own."""
        if self._inlet is None or self._process != os.getpid():
            self._inlet, self._process = Inlet(**self._service), os.getpid()
        return self._inlet


class _Rows(torch.autograd.Function):  # type: ignore[misc]
    """The identity, whose backward sends the gradient away."""

    @staticmethod
    def forward(
        context: Any, anchor: Any, rows: Any, layer: FirstLayer, numbers: Mapping[str, Any], offset: int
    ) -> Any:
        context.call = (layer, numbers, offset)
        return rows.view_as(rows)

    @staticmethod
    def backward(context: Any, gradients: Any) -> Any:
        layer, numbers, offset = context.call
        layer._send(gradients, numbers, offset)
        return None, None, None, None, None


__all__ = ["FirstLayer"]
