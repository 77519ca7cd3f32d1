# Made from openapi.yaml by clients/generate. Do not edit.
"""One method for each operation of the service."""

from typing import Dict, Iterator, Literal, Optional, Sequence, Union

from .asking import AsyncAsking
from .forms import JSON, TENSORS, TEXT, VECTORS, segment
from .tensors import Embeddings, Tensors
from .types import (
    Architecture,
    Dataset,
    DatasetBatchDocuments,
    DatasetDocument,
    DatasetList,
    DatasetPlan,
    DetokenizeAnswer,
    GradientsAnswer,
    Health,
    Model,
    ModelList,
    NeighborsAnswer,
    Optimizer,
    PositionEmbedding,
    PromptEmbedsAnswer,
    RenderedPrompt,
    RenderedPrompts,
    SavedCheckpoint,
    StepAnswer,
    TablesExchanged,
    TokenId,
)
from .values import Ids, Numbers, TensorFile, new_key


class AsyncOperations(AsyncAsking):
    async def input_embeddings(
        self,
        text: Optional[Union[bytes, Union[str, Sequence[str]]]] = None,
        *,
        input_ids: Optional[Ids] = None,
        token_type_ids: Optional[Ids] = None,
        model: Optional[str] = None,
        context_length: Optional[int] = None,
        stride: Optional[int] = None,
        tail: Optional[Literal["drop", "pad"]] = None,
        truncation: Optional[bool] = None,
        max_length: Optional[int] = None,
        pad_token_id: Optional[int] = None,
        batch_size: Optional[int] = None,
        batch_index: Optional[int] = None,
        shuffle: Optional[bool] = None,
        seed: Optional[Union[int, str]] = None,
        epoch: Optional[int] = None,
        drop_last: Optional[bool] = None,
        position_embedding: Optional[PositionEmbedding] = None,
        architecture: Optional[Architecture] = None,
        position_offset: Optional[int] = None,
        outputs: Optional[Sequence[str]] = None,
        dtype: Optional[Literal["float32", "float16", "bfloat16"]] = None,
        ids_dtype: Optional[Literal["int32", "int64"]] = None,
        allowed_special: Optional[Union[Literal["all"], Sequence[str]]] = None,
        add_special_tokens: Optional[bool] = None,
        ngram_context: Optional[Union[Literal["document"], Sequence[object]]] = None,
        timeout: Optional[float] = None,
    ) -> Tensors:
        """Text or ids in, input embeddings out. A text as bytes is sent as it is, and may then be
        larger

        :param text: Raw text. Each string is one document; a window never crosses documents.
        :param input_ids: Token ids, used exactly as given: one document, or an array of them.
        :param token_type_ids: Beside `input_ids`, in their form: rows of the token-type table.
        :param model: Id of the model. Default: the service’s default model.
        :param context_length: T, tokens in a window. Absent: each document is one window of its own
            length.
        :param stride: Step between window starts, in tokens (not the overlap). Default:
            `context_length`.
        :param tail: `drop` (default): only windows with T inputs and T targets. `pad`: all tokens,
            right-padded.
        :param truncation: Cut each document to its first `max_length` tokens;
            `num_truncated_tokens` counts what is cut off. Special tokens that `add_special_tokens`
            puts at the end stay. Default: nothing is ever cut. Default: `false`.
        :param max_length: Tokens of a document under `truncation`. Default: as many as the model
            has positions for. Windows have `context_length`.
        :param pad_token_id: Id of padded slots. Default: the encoding’s end-of-text.
        :param batch_size: Windows in a batch of the loader. Absent: all windows.
        :param batch_index: The batch to answer with, from 0. Absent: all batches, in loader order.
        :param shuffle: Order of PyTorch’s DataLoader(shuffle=True); needs `seed`. Default: `false`.
        :param seed: `torch.manual_seed` before the loader, −2^63 … 2^64 − 1.
        :param epoch: Which pass over the loader, from 0. Default: `0`.
        :param drop_last: Leave out a last, short batch; needs `batch_size`. Default: `false`.
        :param position_embedding: Position scheme. Default: the model’s own.
        :param architecture: What is done to the token rows. A model that was read from a checkpoint
            takes its own `model_type` only.
        :param position_offset: Position of a window’s first token. Default: `0`.
        :param outputs: Names of the tensors to answer with.
        :param dtype: Element type of float outputs. Default: `float32`.
        :param ids_dtype: Element type of ids, masks, positions and indices. PyTorch’s losses take
            int64. Default: `int32`.
        :param allowed_special: Special tokens whose literal becomes their id: a list, or "all".
            Default: `<|endoftext|>`; all for folders.
        :param add_special_tokens: Add the tokens that the model expects around a text, as `[CLS]`
            and `[SEP]`. The encodings have none. Default: `false`.
        :param ngram_context: Models of n-grams: the last ids before each window, from which its
            n-grams go on, or `document`: those of its document. Default: a window begins a text.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        return await self._ask(
            TENSORS,
            "POST",
            "/v1/input-embeddings",
            body={
                "text": text,
                "input_ids": input_ids,
                "token_type_ids": token_type_ids,
                "model": model,
                "context_length": context_length,
                "stride": stride,
                "tail": tail,
                "truncation": truncation,
                "max_length": max_length,
                "pad_token_id": pad_token_id,
                "batch_size": batch_size,
                "batch_index": batch_index,
                "shuffle": shuffle,
                "seed": seed,
                "epoch": epoch,
                "drop_last": drop_last,
                "position_embedding": position_embedding,
                "architecture": architecture,
                "position_offset": position_offset,
                "outputs": outputs,
                "dtype": dtype,
                "ids_dtype": ids_dtype,
                "allowed_special": allowed_special,
                "add_special_tokens": add_special_tokens,
                "ngram_context": ngram_context,
            },
            raw="text",
            timeout=timeout,
        )

    async def batches(
        self,
        text: Optional[Union[bytes, Union[str, Sequence[str]]]] = None,
        *,
        input_ids: Optional[Ids] = None,
        token_type_ids: Optional[Ids] = None,
        model: Optional[str] = None,
        context_length: Optional[int] = None,
        stride: Optional[int] = None,
        tail: Optional[Literal["drop", "pad"]] = None,
        truncation: Optional[bool] = None,
        max_length: Optional[int] = None,
        pad_token_id: Optional[int] = None,
        batch_size: int,
        shuffle: Optional[bool] = None,
        seed: Optional[Union[int, str]] = None,
        epoch: Optional[int] = None,
        drop_last: Optional[bool] = None,
        position_embedding: Optional[PositionEmbedding] = None,
        architecture: Optional[Architecture] = None,
        position_offset: Optional[int] = None,
        outputs: Optional[Sequence[str]] = None,
        dtype: Optional[Literal["float32", "float16", "bfloat16"]] = None,
        ids_dtype: Optional[Literal["int32", "int64"]] = None,
        allowed_special: Optional[Union[Literal["all"], Sequence[str]]] = None,
        add_special_tokens: Optional[bool] = None,
        ngram_context: Optional[Union[Literal["document"], Sequence[object]]] = None,
        timeout: Optional[float] = None,
    ) -> Iterator[Tensors]:
        """The batches of an epoch, as PyTorch’s DataLoader gives them. One call: the tensors of the
        whole epoch lie in memory

        :param text: Raw text. Each string is one document; a window never crosses documents.
        :param input_ids: Token ids, used exactly as given: one document, or an array of them.
        :param token_type_ids: Beside `input_ids`, in their form: rows of the token-type table.
        :param model: Id of the model. Default: the service’s default model.
        :param context_length: T, tokens in a window. Absent: each document is one window of its own
            length.
        :param stride: Step between window starts, in tokens (not the overlap). Default:
            `context_length`.
        :param tail: `drop` (default): only windows with T inputs and T targets. `pad`: all tokens,
            right-padded.
        :param truncation: Cut each document to its first `max_length` tokens;
            `num_truncated_tokens` counts what is cut off. Special tokens that `add_special_tokens`
            puts at the end stay. Default: nothing is ever cut. Default: `false`.
        :param max_length: Tokens of a document under `truncation`. Default: as many as the model
            has positions for. Windows have `context_length`.
        :param pad_token_id: Id of padded slots. Default: the encoding’s end-of-text.
        :param batch_size: Windows in a batch of the loader. Absent: all windows.
        :param shuffle: Order of PyTorch’s DataLoader(shuffle=True); needs `seed`. Default: `false`.
        :param seed: `torch.manual_seed` before the loader, −2^63 … 2^64 − 1.
        :param epoch: Which pass over the loader, from 0. Default: `0`.
        :param drop_last: Leave out a last, short batch; needs `batch_size`. Default: `false`.
        :param position_embedding: Position scheme. Default: the model’s own.
        :param architecture: What is done to the token rows. A model that was read from a checkpoint
            takes its own `model_type` only.
        :param position_offset: Position of a window’s first token. Default: `0`.
        :param outputs: Names of the tensors to answer with.
        :param dtype: Element type of float outputs. Default: `float32`.
        :param ids_dtype: Element type of ids, masks, positions and indices. PyTorch’s losses take
            int64. Default: `int32`.
        :param allowed_special: Special tokens whose literal becomes their id: a list, or "all".
            Default: `<|endoftext|>`; all for folders.
        :param add_special_tokens: Add the tokens that the model expects around a text, as `[CLS]`
            and `[SEP]`. The encodings have none. Default: `false`.
        :param ngram_context: Models of n-grams: the last ids before each window, from which its
            n-grams go on, or `document`: those of its document. Default: a window begins a text.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        return (await self._ask(
            TENSORS,
            "POST",
            "/v1/input-embeddings",
            body={
                "text": text,
                "input_ids": input_ids,
                "token_type_ids": token_type_ids,
                "model": model,
                "context_length": context_length,
                "stride": stride,
                "tail": tail,
                "truncation": truncation,
                "max_length": max_length,
                "pad_token_id": pad_token_id,
                "batch_size": batch_size,
                "shuffle": shuffle,
                "seed": seed,
                "epoch": epoch,
                "drop_last": drop_last,
                "position_embedding": position_embedding,
                "architecture": architecture,
                "position_offset": position_offset,
                "outputs": outputs,
                "dtype": dtype,
                "ids_dtype": ids_dtype,
                "allowed_special": allowed_special,
                "add_special_tokens": add_special_tokens,
                "ngram_context": ngram_context,
            },
            raw="text",
            timeout=timeout,
        )).batches(batch_size)

    async def position_embeddings(
        self,
        context_length: int,
        *,
        model: str = "default",
        position_embedding: Optional[PositionEmbedding] = None,
        position_offset: Optional[int] = None,
        outputs: Optional[Sequence[str]] = None,
        dtype: Optional[Literal["float32", "float16", "bfloat16"]] = None,
        ids_dtype: Optional[Literal["int32", "int64"]] = None,
        timeout: Optional[float] = None,
    ) -> Tensors:
        """The tensors of a position scheme alone

        :param model: Id of the model.
        :param position_embedding: Position scheme. Default: the model’s own.
        :param context_length: T: how many positions.
        :param position_offset: Position of a window’s first token. Default: `0`.
        :param outputs: Names of the tensors to answer with.
        :param dtype: Element type of float outputs. Default: `float32`.
        :param ids_dtype: Element type of ids, masks, positions and indices. PyTorch’s losses take
            int64. Default: `int32`.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        return await self._ask(
            TENSORS,
            "GET",
            f"/v1/models/{segment(model)}/position-embeddings",
            query={
                "position_embedding": position_embedding,
                "context_length": context_length,
                "position_offset": position_offset,
                "outputs": outputs,
                "dtype": dtype,
                "ids_dtype": ids_dtype,
            },
            timeout=timeout,
        )

    async def embeddings(
        self,
        input: Union[str, Sequence[str], Sequence[TokenId], Sequence[Sequence[TokenId]]],
        *,
        model: Optional[str] = None,
        dimensions: Optional[int] = None,
        output_dtype: Optional[Literal["float", "int8", "uint8", "binary", "ubinary"]] = None,
        ranges: Optional[Sequence[Sequence[float]]] = None,
        user: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Embeddings:
        """An embedding of each text, by a static model

        :param input: A text, texts, the ids of a text, or those of several: an embedding for each.
        :param model: Id of a static model. Default: the service’s default model.
        :param dimensions: How many of an embedding’s first numbers are wanted; they are normalized
            again where the model normalizes. Default: all.
        :param output_dtype: Type of the numbers: float32; steps within ranges (`int8`, `uint8`); a
            bit each, eight in a byte (`binary` as int8, `ubinary` as uint8). Default: `float`.
        :param ranges: For `int8` and `uint8`: the least and the greatest value of each dimension in
            a sample of embeddings. Default: those of the model’s calibration.safetensors.
        :param user: Who asks. It changes nothing.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        return await self._ask(
            VECTORS,
            "POST",
            "/v1/embeddings",
            body={
                "input": input,
                "model": model,
                "dimensions": dimensions,
                "output_dtype": output_dtype,
                "ranges": ranges,
                "user": user,
            },
            timeout=timeout,
        )

    async def prompt_embeds(
        self,
        model: Optional[str] = None,
        *,
        text: Optional[Union[str, Sequence[str]]] = None,
        input_ids: Optional[Ids] = None,
        messages: Optional[Sequence[Dict[str, object]]] = None,
        tools: Optional[Sequence[Dict[str, object]]] = None,
        documents: Optional[Sequence[Dict[str, object]]] = None,
        chat_template: Optional[str] = None,
        chat_template_kwargs: Optional[Dict[str, object]] = None,
        add_generation_prompt: Optional[bool] = None,
        continue_final_message: Optional[Union[bool, str, None]] = None,
        target: Optional[Literal["vllm", "transformers", "sglang"]] = None,
        dtype: Optional[Literal["float32", "float16", "bfloat16"]] = None,
        allowed_special: Optional[Union[Literal["all"], Sequence[str]]] = None,
        add_special_tokens: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> PromptEmbedsAnswer:
        """The rows of prompts, as model servers take them

        :param model: Id of the model. Default: the service’s default model.
        :param text: Raw text. Each string is one document; a window never crosses documents.
        :param input_ids: Token ids, used exactly as given: one document, or an array of them.
        :param messages: Messages of a chat, in place of texts: the model’s template makes a text of
            them, as transformers does. `content` is a text, or parts of type `text`.
        :param tools: Tools of the chat, for the template.
        :param documents: Documents of the chat, for the template.
        :param chat_template: A template, or the name of one of the model’s. Default: the model’s.
        :param chat_template_kwargs: Variables of the template’s own: `{"enable_thinking": false}`.
        :param add_generation_prompt: Whether the text ends with the beginning of an answer.
            Default: unless the last message is continued.
        :param continue_final_message: Whether the last message stays open; a text: the message’s
            field that does. Default: false.
        :param target: Who takes the rows: some models’ rows are multiplied before they are handed
            over, or after. Default: `vllm`.
        :param dtype: Element type of the rows. Default: the model’s own.
        :param allowed_special: Special tokens whose literal becomes their id: a list, or "all".
            Default: `<|endoftext|>`; all for folders.
        :param add_special_tokens: Add the tokens that the model expects around a text, as `[CLS]`
            and `[SEP]`. The encodings have none. Default: `true`.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        answer: PromptEmbedsAnswer = await self._ask(
            JSON,
            "POST",
            "/v1/prompt-embeds",
            body={
                "model": model,
                "text": text,
                "input_ids": input_ids,
                "messages": messages,
                "tools": tools,
                "documents": documents,
                "chat_template": chat_template,
                "chat_template_kwargs": chat_template_kwargs,
                "add_generation_prompt": add_generation_prompt,
                "continue_final_message": continue_final_message,
                "target": target,
                "dtype": dtype,
                "allowed_special": allowed_special,
                "add_special_tokens": add_special_tokens,
            },
            timeout=timeout,
        )
        return answer

    async def neighbors(
        self,
        model: str = "default",
        *,
        input_ids: Optional[Ids] = None,
        text: Optional[Union[str, Sequence[str]]] = None,
        vector: Optional[Numbers] = None,
        allowed_special: Optional[Union[Literal["all"], Sequence[str]]] = None,
        k: Optional[int] = None,
        metric: Optional[Literal["cosine", "dot", "euclidean"]] = None,
        table: Optional[Literal["token", "position"]] = None,
        timeout: Optional[float] = None,
    ) -> NeighborsAnswer:
        """The rows nearest to given ones. Of rows by `input_ids`, of the mean of a `text`, or of a
        `vector`

        :param model: Id of the model.
        :param input_ids: Rows of the table: one query, the mean of its rows, or several.
        :param text: Raw text. Each string is one document; a window never crosses documents.
        :param vector: Rows that are given as numbers, each as wide as the table.
        :param allowed_special: Special tokens whose literal becomes their id: a list, or "all".
            Default: `<|endoftext|>`; all for folders.
        :param k: How many neighbours of each query. Default: `10`.
        :param metric: How near two rows are. A row of zeros has the cosine 0; `euclidean` is a
            distance. Default: `cosine`.
        :param table: The rows that are searched; those of `position` have positions as ids.
            Default: `token`.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        answer: NeighborsAnswer = await self._ask(
            JSON,
            "POST",
            f"/v1/models/{segment(model)}/neighbors",
            body={
                "input_ids": input_ids,
                "text": text,
                "vector": vector,
                "allowed_special": allowed_special,
                "k": k,
                "metric": metric,
                "table": table,
            },
            timeout=timeout,
        )
        return answer

    async def tokenize(
        self,
        text: Optional[Union[str, Sequence[str]]] = None,
        *,
        messages: Optional[Sequence[Dict[str, object]]] = None,
        tools: Optional[Sequence[Dict[str, object]]] = None,
        documents: Optional[Sequence[Dict[str, object]]] = None,
        chat_template: Optional[str] = None,
        chat_template_kwargs: Optional[Dict[str, object]] = None,
        add_generation_prompt: Optional[bool] = None,
        continue_final_message: Optional[Union[bool, str, None]] = None,
        mask: Optional[Literal["sampled", "tags"]] = None,
        model: Optional[str] = None,
        encoding: Optional[str] = None,
        allowed_special: Optional[Union[Literal["all"], Sequence[str]]] = None,
        add_special_tokens: Optional[bool] = None,
        count_only: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> Tensors:
        """Text to token ids, as tiktoken. Gives `input_ids` [n] and `token_starts` [n + 1], or
        `token_ranges` [n, 2], in bytes of the text; for a list of d texts `token_ranges` and
        `document_starts` [d + 1]; with `count_only` the counts alone, and `document_starts`

        :param text: A text, or texts, each tokenized by itself. An escaped lone surrogate is
            refused.
        :param messages: Messages of a chat, in place of texts: the model’s template makes a text of
            them, as transformers does. `content` is a text, or parts of type `text`.
        :param tools: Tools of the chat, for the template.
        :param documents: Documents of the chat, for the template.
        :param chat_template: A template, or the name of one of the model’s. Default: the model’s.
        :param chat_template_kwargs: Variables of the template’s own: `{"enable_thinking": false}`.
        :param add_generation_prompt: Whether the text ends with the beginning of an answer.
            Default: unless the last message is continued.
        :param continue_final_message: Whether the last message stays open; a text: the message’s
            field that does. Default: false.
        :param mask: Adds `loss_mask`, for each id whether it is trained: `sampled`, those that the
            model itself would have sampled; `tags`, those in the template’s `{% generation %}`
            blocks.
        :param model: Id of the model whose tokenizer is used. Default: `default`.
        :param encoding: Name of an encoding, instead of `model`.
        :param allowed_special: Special tokens whose literal becomes their id: a list, or "all".
            Default: `<|endoftext|>`; all for folders.
        :param add_special_tokens: Add the tokens that the model expects around a text, as `[CLS]`
            and `[SEP]`. The encodings have none. Default: `false`.
        :param count_only: Answer with `num_tokens` and `num_characters` alone, and for a list
            `documents`: JSON in any case. Default: `false`.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        return await self._ask(
            TENSORS,
            "POST",
            "/v1/tokenize",
            body={
                "text": text,
                "messages": messages,
                "tools": tools,
                "documents": documents,
                "chat_template": chat_template,
                "chat_template_kwargs": chat_template_kwargs,
                "add_generation_prompt": add_generation_prompt,
                "continue_final_message": continue_final_message,
                "mask": mask,
                "model": model,
                "encoding": encoding,
                "allowed_special": allowed_special,
                "add_special_tokens": add_special_tokens,
                "count_only": count_only,
            },
            timeout=timeout,
        )

    async def detokenize(
        self,
        input_ids: Ids,
        *,
        model: Optional[str] = None,
        encoding: Optional[str] = None,
        skip_special_tokens: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> DetokenizeAnswer:
        """Token ids to text

        :param input_ids: Token ids, used exactly as given: one document, or an array of them.
        :param model: Id of the model whose tokenizer is used. Default: `default`.
        :param encoding: Name of an encoding, instead of `model`.
        :param skip_special_tokens: Leave out special tokens, as `decode(skip_special_tokens=True)`.
            Default: `false`.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        answer: DetokenizeAnswer = await self._ask(
            JSON,
            "POST",
            "/v1/detokenize",
            body={
                "input_ids": input_ids,
                "model": model,
                "encoding": encoding,
                "skip_special_tokens": skip_special_tokens,
            },
            timeout=timeout,
        )
        return answer

    async def render_completion(
        self,
        prompt: Union[str, Sequence[str], Sequence[TokenId], Sequence[Sequence[TokenId]]],
        *,
        model: Optional[str] = None,
        target: Optional[Literal["vllm", "sglang"]] = None,
        allowed_special: Optional[Union[Literal["all"], Sequence[str]]] = None,
        add_special_tokens: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> RenderedPrompts:
        """The token ids of a completion’s prompts, for those who route before an engine does

        :param model: Id of the model. Default: the service’s default model.
        :param target: Whose answer: the ids are `token_ids` for vLLM and those who speak it,
            `input_ids` for SGLang. Default: `vllm`.
        :param allowed_special: Special tokens whose literal becomes their id: a list, or "all".
            Default: `<|endoftext|>`; all for folders.
        :param prompt: A text, texts, the ids of a text, or those of several.
        :param add_special_tokens: Add the tokens that the model expects around a text, as `[CLS]`
            and `[SEP]`. The encodings have none. Default: `true`.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        answer: RenderedPrompts = await self._ask(
            JSON,
            "POST",
            "/v1/completions/render",
            body={
                "model": model,
                "target": target,
                "allowed_special": allowed_special,
                "prompt": prompt,
                "add_special_tokens": add_special_tokens,
            },
            timeout=timeout,
        )
        return answer

    async def render_chat(
        self,
        messages: Sequence[Dict[str, object]],
        *,
        model: Optional[str] = None,
        target: Optional[Literal["vllm", "sglang"]] = None,
        allowed_special: Optional[Union[Literal["all"], Sequence[str]]] = None,
        tools: Optional[Sequence[Dict[str, object]]] = None,
        documents: Optional[Sequence[Dict[str, object]]] = None,
        chat_template: Optional[str] = None,
        chat_template_kwargs: Optional[Dict[str, object]] = None,
        add_generation_prompt: Optional[bool] = None,
        continue_final_message: Optional[Union[bool, str, None]] = None,
        reasoning_effort: Optional[Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]] = None,
        return_assistant_tokens_mask: Optional[bool] = None,
        add_special_tokens: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> RenderedPrompt:
        """The token ids of a chat by the model’s template

        :param model: Id of the model. Default: the service’s default model.
        :param target: Whose answer: the ids are `token_ids` for vLLM and those who speak it,
            `input_ids` for SGLang. Default: `vllm`.
        :param allowed_special: Special tokens whose literal becomes their id: a list, or "all".
            Default: `<|endoftext|>`; all for folders.
        :param messages: Messages of a chat, in place of texts: the model’s template makes a text of
            them, as transformers does. `content` is a text, or parts of type `text`.
        :param tools: Tools of the chat, for the template.
        :param documents: Documents of the chat, for the template.
        :param chat_template: A template, or the name of one of the model’s. Default: the model’s.
        :param chat_template_kwargs: Variables of the template’s own: `{"enable_thinking": false}`.
        :param add_generation_prompt: Whether the text ends with the beginning of an answer.
            Default: unless the last message is continued.
        :param continue_final_message: Whether the last message stays open; a text: the message’s
            field that does. Default: false.
        :param reasoning_effort: As vLLM hands it to the template: the variable of this name, and
            `enable_thinking`, false for `none`, unless `chat_template_kwargs` has that.
        :param return_assistant_tokens_mask: Adds `assistant_tokens_mask`: 1 for each id in the
            template’s `{% generation %}` blocks, or where it has none for each that the model
            itself would have sampled.
        :param add_special_tokens: Add the tokens that the model expects around a text, as `[CLS]`
            and `[SEP]`. The encodings have none. Default: `false`.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        answer: RenderedPrompt = await self._ask(
            JSON,
            "POST",
            "/v1/chat/completions/render",
            body={
                "model": model,
                "target": target,
                "allowed_special": allowed_special,
                "messages": messages,
                "tools": tools,
                "documents": documents,
                "chat_template": chat_template,
                "chat_template_kwargs": chat_template_kwargs,
                "add_generation_prompt": add_generation_prompt,
                "continue_final_message": continue_final_message,
                "reasoning_effort": reasoning_effort,
                "return_assistant_tokens_mask": return_assistant_tokens_mask,
                "add_special_tokens": add_special_tokens,
            },
            timeout=timeout,
        )
        return answer

    async def datasets(
        self,
        limit: Optional[int] = None,
        *,
        after: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> DatasetList:
        """The datasets

        :param limit: Most datasets of the answer. Default: `100`.
        :param after: Only those that come after this id: the last one of the answer before.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        answer: DatasetList = await self._ask(
            JSON,
            "GET",
            "/v1/datasets",
            query={
                "limit": limit,
                "after": after,
            },
            timeout=timeout,
        )
        return answer

    async def dataset(
        self,
        dataset: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dataset:
        """One dataset

        :param dataset: Id of the dataset.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        answer: Dataset = await self._ask(
            JSON,
            "GET",
            f"/v1/datasets/{segment(dataset)}",
            timeout=timeout,
        )
        return answer

    async def delete_dataset(
        self,
        dataset: str,
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Delete a dataset

        :param dataset: Id of the dataset.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        await self._ask(
            JSON,
            "DELETE",
            f"/v1/datasets/{segment(dataset)}",
            repeat=False,
            timeout=timeout,
        )

    async def dataset_document(
        self,
        dataset: str,
        document: int,
        *,
        timeout: Optional[float] = None,
    ) -> DatasetDocument:
        """One document

        :param dataset: Id of the dataset.
        :param document: Number of the document, from 0.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        answer: DatasetDocument = await self._ask(
            JSON,
            "GET",
            f"/v1/datasets/{segment(dataset)}/documents/{segment(document)}",
            timeout=timeout,
        )
        return answer

    async def dataset_plan(
        self,
        dataset: str,
        context_length: int,
        batch_size: int,
        *,
        stride: Optional[int] = None,
        tail: Optional[Literal["drop", "pad"]] = None,
        pad_token_id: Optional[int] = None,
        packing: Optional[Literal["none", "concat", "best_fit"]] = None,
        long_documents: Optional[Literal["split", "truncate", "drop"]] = None,
        drop_last: Optional[bool] = None,
        shuffle: Optional[Union[bool, Literal["false", "true", "index"]]] = None,
        sharding: Optional[Literal["global_batch", "distributed_sampler"]] = None,
        rank: Optional[int] = None,
        world_size: Optional[int] = None,
        epoch: Optional[int] = None,
        seed: Optional[Union[int, str]] = None,
        num_batches: Optional[int] = None,
        recipe_id: Optional[str] = None,
        model: Optional[str] = None,
        position_embedding: Optional[PositionEmbedding] = None,
        architecture: Optional[Architecture] = None,
        position_offset: Optional[int] = None,
        outputs: Optional[Sequence[str]] = None,
        dtype: Optional[Literal["float32", "float16", "bfloat16"]] = None,
        ids_dtype: Optional[Literal["int32", "int64"]] = None,
        timeout: Optional[float] = None,
    ) -> DatasetPlan:
        """What a recipe will give

        :param dataset: Id of the dataset.
        :param context_length: T, tokens in a window.
        :param stride: Step between window starts, in tokens (not the overlap). Default:
            `context_length`.
        :param tail: `drop` (default): only windows with T inputs and T targets. `pad`: all tokens,
            right-padded.
        :param pad_token_id: Id of padded slots. Default: the encoding’s end-of-text.
        :param packing: `none`: windows of each document. `concat`: documents one after the other,
            windows cut across them. `best_fit`: whole pieces of T, the rests packed best fit,
            right-padded. Default: `none`.
        :param long_documents: Under `best_fit`: documents longer than T give all their pieces,
            their first T tokens alone, or none. Default: `split`.
        :param batch_size: Windows in a batch: of all ranks; under `distributed_sampler` of each.
        :param drop_last: Leave out a last, short batch; under `distributed_sampler` it is the
            sampler’s `drop_last` too. Default: `false`.
        :param shuffle: `true`: order of PyTorch’s DataLoader(shuffle=True). `index`: a keyed
            bijection, for any number of windows. Both need `seed`. Default: `false`.
        :param sharding: `global_batch`: each rank gets its part of every batch.
            `distributed_sampler`: PyTorch’s law. Default: `global_batch`.
        :param rank: Which of the ranks asks, from 0. Default: `0`.
        :param world_size: Number of ranks. Default: `1`.
        :param epoch: Which pass over the dataset, from 0. Default: `0`.
        :param seed: Of `shuffle`, −2^63 … 2^64 − 1.
        :param num_batches: Batches in one answer, side by side. Default: `1`.
        :param recipe_id: A guard: 409 where this is not the id of the recipe that the other fields
            make.
        :param model: Id of the model. Default: the service’s default model.
        :param position_embedding: Position scheme. Default: the model’s own.
        :param architecture: What is done to the token rows. A model that was read from a checkpoint
            takes its own `model_type` only.
        :param position_offset: Position of a window’s first token. Default: `0`.
        :param outputs: Names of the tensors to answer with.
        :param dtype: Element type of float outputs. Default: `float32`.
        :param ids_dtype: Element type of ids, masks, positions and indices. PyTorch’s losses take
            int64. Default: `int32`.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        answer: DatasetPlan = await self._ask(
            JSON,
            "GET",
            f"/v1/datasets/{segment(dataset)}/batches",
            query={
                "context_length": context_length,
                "stride": stride,
                "tail": tail,
                "pad_token_id": pad_token_id,
                "packing": packing,
                "long_documents": long_documents,
                "batch_size": batch_size,
                "drop_last": drop_last,
                "shuffle": shuffle,
                "sharding": sharding,
                "rank": rank,
                "world_size": world_size,
                "epoch": epoch,
                "seed": seed,
                "num_batches": num_batches,
                "recipe_id": recipe_id,
                "model": model,
                "position_embedding": position_embedding,
                "architecture": architecture,
                "position_offset": position_offset,
                "outputs": outputs,
                "dtype": dtype,
                "ids_dtype": ids_dtype,
            },
            timeout=timeout,
        )
        return answer

    async def dataset_batch(
        self,
        dataset: str,
        batch: int,
        context_length: int,
        batch_size: int,
        *,
        if_none_match: Optional[str] = None,
        stride: Optional[int] = None,
        tail: Optional[Literal["drop", "pad"]] = None,
        pad_token_id: Optional[int] = None,
        packing: Optional[Literal["none", "concat", "best_fit"]] = None,
        long_documents: Optional[Literal["split", "truncate", "drop"]] = None,
        drop_last: Optional[bool] = None,
        shuffle: Optional[Union[bool, Literal["false", "true", "index"]]] = None,
        sharding: Optional[Literal["global_batch", "distributed_sampler"]] = None,
        rank: Optional[int] = None,
        world_size: Optional[int] = None,
        epoch: Optional[int] = None,
        seed: Optional[Union[int, str]] = None,
        num_batches: Optional[int] = None,
        recipe_id: Optional[str] = None,
        model: Optional[str] = None,
        position_embedding: Optional[PositionEmbedding] = None,
        architecture: Optional[Architecture] = None,
        position_offset: Optional[int] = None,
        outputs: Optional[Sequence[str]] = None,
        dtype: Optional[Literal["float32", "float16", "bfloat16"]] = None,
        ids_dtype: Optional[Literal["int32", "int64"]] = None,
        timeout: Optional[float] = None,
    ) -> Tensors:
        """A batch of a dataset

        :param dataset: Id of the dataset.
        :param batch: The batch, from 0.
        :param if_none_match: ETags of what the caller has: then 304.
        :param context_length: T, tokens in a window.
        :param stride: Step between window starts, in tokens (not the overlap). Default:
            `context_length`.
        :param tail: `drop` (default): only windows with T inputs and T targets. `pad`: all tokens,
            right-padded.
        :param pad_token_id: Id of padded slots. Default: the encoding’s end-of-text.
        :param packing: `none`: windows of each document. `concat`: documents one after the other,
            windows cut across them. `best_fit`: whole pieces of T, the rests packed best fit,
            right-padded. Default: `none`.
        :param long_documents: Under `best_fit`: documents longer than T give all their pieces,
            their first T tokens alone, or none. Default: `split`.
        :param batch_size: Windows in a batch: of all ranks; under `distributed_sampler` of each.
        :param drop_last: Leave out a last, short batch; under `distributed_sampler` it is the
            sampler’s `drop_last` too. Default: `false`.
        :param shuffle: `true`: order of PyTorch’s DataLoader(shuffle=True). `index`: a keyed
            bijection, for any number of windows. Both need `seed`. Default: `false`.
        :param sharding: `global_batch`: each rank gets its part of every batch.
            `distributed_sampler`: PyTorch’s law. Default: `global_batch`.
        :param rank: Which of the ranks asks, from 0. Default: `0`.
        :param world_size: Number of ranks. Default: `1`.
        :param epoch: Which pass over the dataset, from 0. Default: `0`.
        :param seed: Of `shuffle`, −2^63 … 2^64 − 1.
        :param num_batches: Batches in one answer, side by side. Default: `1`.
        :param recipe_id: A guard: 409 where this is not the id of the recipe that the other fields
            make.
        :param model: Id of the model. Default: the service’s default model.
        :param position_embedding: Position scheme. Default: the model’s own.
        :param architecture: What is done to the token rows. A model that was read from a checkpoint
            takes its own `model_type` only.
        :param position_offset: Position of a window’s first token. Default: `0`.
        :param outputs: Names of the tensors to answer with.
        :param dtype: Element type of float outputs. Default: `float32`.
        :param ids_dtype: Element type of ids, masks, positions and indices. PyTorch’s losses take
            int64. Default: `int32`.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        return await self._ask(
            TENSORS,
            "GET",
            f"/v1/datasets/{segment(dataset)}/batches/{segment(batch)}",
            query={
                "context_length": context_length,
                "stride": stride,
                "tail": tail,
                "pad_token_id": pad_token_id,
                "packing": packing,
                "long_documents": long_documents,
                "batch_size": batch_size,
                "drop_last": drop_last,
                "shuffle": shuffle,
                "sharding": sharding,
                "rank": rank,
                "world_size": world_size,
                "epoch": epoch,
                "seed": seed,
                "num_batches": num_batches,
                "recipe_id": recipe_id,
                "model": model,
                "position_embedding": position_embedding,
                "architecture": architecture,
                "position_offset": position_offset,
                "outputs": outputs,
                "dtype": dtype,
                "ids_dtype": ids_dtype,
            },
            headers={
                "If-None-Match": if_none_match,
            },
            timeout=timeout,
        )

    async def dataset_batch_documents(
        self,
        dataset: str,
        batch: int,
        context_length: int,
        batch_size: int,
        *,
        stride: Optional[int] = None,
        tail: Optional[Literal["drop", "pad"]] = None,
        pad_token_id: Optional[int] = None,
        packing: Optional[Literal["none", "concat", "best_fit"]] = None,
        long_documents: Optional[Literal["split", "truncate", "drop"]] = None,
        drop_last: Optional[bool] = None,
        shuffle: Optional[Union[bool, Literal["false", "true", "index"]]] = None,
        sharding: Optional[Literal["global_batch", "distributed_sampler"]] = None,
        rank: Optional[int] = None,
        world_size: Optional[int] = None,
        epoch: Optional[int] = None,
        seed: Optional[Union[int, str]] = None,
        num_batches: Optional[int] = None,
        recipe_id: Optional[str] = None,
        text: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> DatasetBatchDocuments:
        """What stands in a batch. With `text` their texts too, trained or not

        :param dataset: Id of the dataset.
        :param batch: The batch, from 0.
        :param context_length: T, tokens in a window.
        :param stride: Step between window starts, in tokens (not the overlap). Default:
            `context_length`.
        :param tail: `drop` (default): only windows with T inputs and T targets. `pad`: all tokens,
            right-padded.
        :param pad_token_id: Id of padded slots. Default: the encoding’s end-of-text.
        :param packing: `none`: windows of each document. `concat`: documents one after the other,
            windows cut across them. `best_fit`: whole pieces of T, the rests packed best fit,
            right-padded. Default: `none`.
        :param long_documents: Under `best_fit`: documents longer than T give all their pieces,
            their first T tokens alone, or none. Default: `split`.
        :param batch_size: Windows in a batch: of all ranks; under `distributed_sampler` of each.
        :param drop_last: Leave out a last, short batch; under `distributed_sampler` it is the
            sampler’s `drop_last` too. Default: `false`.
        :param shuffle: `true`: order of PyTorch’s DataLoader(shuffle=True). `index`: a keyed
            bijection, for any number of windows. Both need `seed`. Default: `false`.
        :param sharding: `global_batch`: each rank gets its part of every batch.
            `distributed_sampler`: PyTorch’s law. Default: `global_batch`.
        :param rank: Which of the ranks asks, from 0. Default: `0`.
        :param world_size: Number of ranks. Default: `1`.
        :param epoch: Which pass over the dataset, from 0. Default: `0`.
        :param seed: Of `shuffle`, −2^63 … 2^64 − 1.
        :param num_batches: Batches in one answer, side by side. Default: `1`.
        :param recipe_id: A guard: 409 where this is not the id of the recipe that the other fields
            make.
        :param text: The documents’ texts too, in runs of tokens that are trained or not. Default:
            `false`.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        answer: DatasetBatchDocuments = await self._ask(
            JSON,
            "GET",
            f"/v1/datasets/{segment(dataset)}/batches/{segment(batch)}/documents",
            query={
                "context_length": context_length,
                "stride": stride,
                "tail": tail,
                "pad_token_id": pad_token_id,
                "packing": packing,
                "long_documents": long_documents,
                "batch_size": batch_size,
                "drop_last": drop_last,
                "shuffle": shuffle,
                "sharding": sharding,
                "rank": rank,
                "world_size": world_size,
                "epoch": epoch,
                "seed": seed,
                "num_batches": num_batches,
                "recipe_id": recipe_id,
                "text": text,
            },
            timeout=timeout,
        )
        return answer

    async def models(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> ModelList:
        """The models

        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        answer: ModelList = await self._ask(
            JSON,
            "GET",
            "/v1/models",
            timeout=timeout,
        )
        return answer

    async def model(
        self,
        model: str = "default",
        *,
        timeout: Optional[float] = None,
    ) -> Model:
        """One model

        :param model: Id of the model.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        answer: Model = await self._ask(
            JSON,
            "GET",
            f"/v1/models/{segment(model)}",
            timeout=timeout,
        )
        return answer

    async def put_model(
        self,
        model: str,
        *,
        encoding: Optional[Literal["gpt2", "r50k_base", "p50k_base", "cl100k_base", "o200k_base"]] = None,
        vocab_size: Optional[int] = None,
        embedding_dim: Optional[int] = None,
        max_position_embeddings: Optional[int] = None,
        type_vocab_size: Optional[int] = None,
        seed: Optional[Union[int, str]] = None,
        init_std: Optional[float] = None,
        architecture: Optional[Architecture] = None,
        position_embedding: Optional[PositionEmbedding] = None,
        tensors: Optional[TensorFile] = None,
        timeout: Optional[float] = None,
    ) -> Model:
        """Make a model. From `embedding_dim` and a seed, or from tables: of the fields, files take
        `encoding`, `architecture` and `position_embedding`

        :param model: Id of the model.
        :param encoding: Tokenizer. Default: `gpt2`.
        :param vocab_size: Rows of the token table, V. Default: the encoding’s highest id + 1. Ids
            beyond it are refused.
        :param embedding_dim: Width of a row, C, in elements.
        :param max_position_embeddings: Rows of the learned position table, P. Default: `1024`.
        :param type_vocab_size: Rows of the token-type table (BERT’s). Default: `2`.
        :param seed: `torch.manual_seed` before the tables are drawn, −2^63 … 2^64 − 1. Default:
            `123`.
        :param init_std: Standard deviation of the tables; 1 is `nn.Embedding`’s own. Default: `1`.
        :param architecture: What is done to the token rows, and the position scheme where none is
            given. Default: `gpt2`.
        :param position_embedding: Position scheme. Default: the architecture’s.
        :param tensors: Arrays by name, or a safetensors file.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        answer: Model = await self._ask(
            JSON,
            "PUT",
            f"/v1/models/{segment(model)}",
            body={
                "encoding": encoding,
                "vocab_size": vocab_size,
                "embedding_dim": embedding_dim,
                "max_position_embeddings": max_position_embeddings,
                "type_vocab_size": type_vocab_size,
                "seed": seed,
                "init_std": init_std,
                "architecture": architecture,
                "position_embedding": position_embedding,
            },
            tensors=tensors,
            repeat=False,
            timeout=timeout,
        )
        return answer

    async def delete_model(
        self,
        model: str,
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Delete a model

        :param model: Id of the model.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        await self._ask(
            JSON,
            "DELETE",
            f"/v1/models/{segment(model)}",
            repeat=False,
            timeout=timeout,
        )

    async def tables(
        self,
        model: str = "default",
        *,
        if_none_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Tensors:
        """Read a model’s tables. The answer’s header `etag` says which; a caller who has them is
        refused with 304

        :param model: Id of the model.
        :param if_none_match: ETags of what the caller has: then 304.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        return await self._ask(
            TENSORS,
            "GET",
            f"/v1/models/{segment(model)}/tables",
            headers={
                "If-None-Match": if_none_match,
            },
            timeout=timeout,
        )

    async def put_tables(
        self,
        model: str,
        tensors: TensorFile,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> TablesExchanged:
        """Exchange a model’s tables

        :param model: Id of the model.
        :param if_match: ETags of the tables that may be exchanged, or `*`: others are left as they
            are, with 412.
        :param tensors: Arrays by name, or a safetensors file.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        answer: TablesExchanged = await self._ask(
            JSON,
            "PUT",
            f"/v1/models/{segment(model)}/tables",
            headers={
                "If-Match": if_match,
            },
            tensors=tensors,
            repeat=False,
            timeout=timeout,
        )
        return answer

    async def load_model(
        self,
        model: str,
        *,
        timeout: Optional[float] = None,
    ) -> Model:
        """Load a model

        :param model: Id of the model.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        answer: Model = await self._ask(
            JSON,
            "POST",
            f"/v1/models/{segment(model)}/load",
            repeat=False,
            timeout=timeout,
        )
        return answer

    async def unload_model(
        self,
        model: str,
        *,
        timeout: Optional[float] = None,
    ) -> Model:
        """Unload a model

        :param model: Id of the model.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        answer: Model = await self._ask(
            JSON,
            "POST",
            f"/v1/models/{segment(model)}/unload",
            repeat=False,
            timeout=timeout,
        )
        return answer

    async def optimizer(
        self,
        model: str = "default",
        *,
        timeout: Optional[float] = None,
    ) -> Optimizer:
        """Describe an optimizer

        :param model: Id of the model.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        answer: Optimizer = await self._ask(
            JSON,
            "GET",
            f"/v1/models/{segment(model)}/optimizer",
            timeout=timeout,
        )
        return answer

    async def delete_optimizer(
        self,
        model: str,
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """End learning

        :param model: Id of the model.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        await self._ask(
            JSON,
            "DELETE",
            f"/v1/models/{segment(model)}/optimizer",
            repeat=False,
            timeout=timeout,
        )

    async def gradients(
        self,
        model: str,
        tensors: TensorFile,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        position_offset: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> GradientsAnswer:
        """Add gradients

        :param model: Id of the model.
        :param idempotency_key: A name for this call. Under the same name, the same content has its
            effect once until the next step and gets the first answer again.
        :param if_match: `"MODEL_VERSION"`: on tables of another version the call is refused with
            412.
        :param position_offset: Position of the first column of `gradients`, where `position_ids`
            are not sent. Default: 0.
        :param tensors: Arrays by name, or a safetensors file.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        answer: GradientsAnswer = await self._ask(
            JSON,
            "POST",
            f"/v1/models/{segment(model)}/gradients",
            query={
                "position_offset": position_offset,
            },
            headers={
                "Idempotency-Key": idempotency_key or new_key(),
                "If-Match": if_match,
            },
            tensors=tensors,
            timeout=timeout,
        )
        return answer

    async def step(
        self,
        model: str,
        *,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        lr: Optional[float] = None,
        scale: Optional[float] = None,
        weight_decay: Optional[float] = None,
        timeout: Optional[float] = None,
    ) -> StepAnswer:
        """Make a step

        :param model: Id of the model.
        :param idempotency_key: A name for this call. Under the same name, the same content has its
            effect once until the next step and gets the first answer again.
        :param if_match: `"MODEL_VERSION"`: on tables of another version the call is refused with
            412.
        :param lr: Learning rate of this step.
        :param scale: Factor of the gradients, before all else: `clip_grad_norm_`’s. Default: 1.
        :param weight_decay: Weight decay of this step.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        answer: StepAnswer = await self._ask(
            JSON,
            "POST",
            f"/v1/models/{segment(model)}/steps",
            headers={
                "Idempotency-Key": idempotency_key or new_key(),
                "If-Match": if_match,
            },
            body={
                "lr": lr,
                "scale": scale,
                "weight_decay": weight_decay,
            },
            timeout=timeout,
        )
        return answer

    async def put_checkpoint(
        self,
        model: str,
        tensors: TensorFile,
        *,
        timeout: Optional[float] = None,
    ) -> Optimizer:
        """Go on from a checkpoint

        :param model: Id of the model.
        :param tensors: Arrays by name, or a safetensors file.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        answer: Optimizer = await self._ask(
            JSON,
            "PUT",
            f"/v1/models/{segment(model)}/checkpoint",
            tensors=tensors,
            repeat=False,
            timeout=timeout,
        )
        return answer

    async def save_checkpoint(
        self,
        model: str,
        *,
        timeout: Optional[float] = None,
    ) -> SavedCheckpoint:
        """Write a checkpoint to the disk

        :param model: Id of the model.
        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        answer: SavedCheckpoint = await self._ask(
            JSON,
            "POST",
            f"/v1/models/{segment(model)}/checkpoint",
            repeat=False,
            timeout=timeout,
        )
        return answer

    async def live(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Health:
        """The process answers

        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        answer: Health = await self._ask(
            JSON,
            "GET",
            "/health/live",
            timeout=timeout,
        )
        return answer

    async def ready(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Health:
        """The tables are there, and the service does not stop

        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        answer: Health = await self._ask(
            JSON,
            "GET",
            "/health/ready",
            timeout=timeout,
        )
        return answer

    async def metrics(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> str:
        """Metrics for Prometheus

        :param timeout: Seconds that the service may be silent. Default: the client’s.
        """
        return await self._ask(
            TEXT,
            "GET",
            "/metrics",
            timeout=timeout,
        )
