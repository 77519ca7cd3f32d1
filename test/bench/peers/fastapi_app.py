"""What one would write instead: FastAPI + PyTorch + tiktoken. RANKS=folder uvicorn fastapi_app:app

POST /v1/input-embeddings {text, context_length, stride, format}: binary, base64, or json as FastAPI makes it; view is
binary without `tobytes`' copy, orjson writes NumPy's arrays itself. One thread, as one worker of the service has.
"""

import base64
import os

import orjson
import torch
from fastapi import FastAPI, Response
from pydantic import BaseModel
from tiktoken_ranks import encoding

torch.set_num_threads(1)
torch.manual_seed(123)
tokens = torch.nn.Embedding(50257, 256)
positions = torch.nn.Embedding(1024, 256)
enc = encoding("r50k_base", os.environ["RANKS"])  # gpt2's ids
app = FastAPI()


class Request(BaseModel):
    text: str
    context_length: int
    stride: int
    format: str


@app.get("/health")
async def health():
    return {}


@app.post("/v1/input-embeddings")
async def input_embeddings(request: Request):
    length = request.context_length
    with torch.inference_mode():
        ids = torch.tensor(enc.encode_ordinary(request.text))
        windows = ids[:-1].unfold(0, length, request.stride)  # [B, T]
        sums = tokens(windows) + positions(torch.arange(length))  # [B, T, C]
    if request.format == "binary":
        return Response(sums.numpy().tobytes(), media_type="application/octet-stream")
    if request.format == "view":
        return Response(memoryview(sums.numpy()).cast("B"), media_type="application/octet-stream")
    if request.format == "base64":
        text = base64.b64encode(sums.numpy()).decode()
        return {"shape": list(sums.shape), "data": text}
    if request.format == "orjson":
        answer = {"shape": list(sums.shape), "data": sums.numpy()}
        return Response(orjson.dumps(answer, option=orjson.OPT_SERIALIZE_NUMPY), media_type="application/json")
    return {"shape": list(sums.shape), "data": sums.tolist()}
