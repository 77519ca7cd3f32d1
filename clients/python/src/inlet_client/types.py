# Made from openapi.yaml by clients/generate. Do not edit.
"""What the service is asked and what it answers."""

from typing import Dict, List, Literal, Optional, TypedDict, Union

class _PositionEmbeddingNone(TypedDict):
    type: Literal["none"]


class PositionEmbeddingNone(_PositionEmbeddingNone, total=False):
    rope_type: Literal["longrope", "proportional", "other"]


class PositionEmbeddingLearnedAbsolute(TypedDict):
    type: Literal["learned_absolute"]


class _PositionEmbeddingSinusoidal(TypedDict):
    type: Literal["sinusoidal"]


class PositionEmbeddingSinusoidal(_PositionEmbeddingSinusoidal, total=False):
    base: float
    variant: Literal["vaswani", "tensor2tensor"]
    layout: Literal["interleaved", "concatenated"]
    precision: Literal["float64", "float32"]


class RopeScalingLinear(TypedDict):
    type: Literal["linear"]
    factor: float


class _RopeScalingDynamic(TypedDict):
    type: Literal["dynamic"]
    factor: float
    max_position_embeddings: int


class RopeScalingDynamic(_RopeScalingDynamic, total=False):
    seq_len: int


class _RopeScalingYarn(TypedDict):
    type: Literal["yarn"]
    factor: float
    original_max_position_embeddings: int


class RopeScalingYarn(_RopeScalingYarn, total=False):
    beta_fast: float
    beta_slow: float
    mscale: float
    mscale_all_dim: float
    attention_factor: float
    truncate: bool


class RopeScalingLlama3(TypedDict):
    type: Literal["llama3"]
    factor: float
    low_freq_factor: float
    high_freq_factor: float
    original_max_position_embeddings: int


RopeScaling = Union[RopeScalingLinear, RopeScalingDynamic, RopeScalingYarn, RopeScalingLlama3]


class _PositionEmbeddingRope(TypedDict):
    type: Literal["rope"]


class PositionEmbeddingRope(_PositionEmbeddingRope, total=False):
    head_dim: int
    rotary_dim: int
    rope_theta: float
    layout: Literal["half", "interleaved"]
    precision: Literal["float32", "float64"]
    scaling: RopeScaling


class _PositionEmbeddingAlibi(TypedDict):
    type: Literal["alibi"]


class PositionEmbeddingAlibi(_PositionEmbeddingAlibi, total=False):
    num_heads: int
    form: Literal["causal", "symmetric", "key"]
    key_length: int


Seed = Union[int, str]


class _PositionEmbeddingT5(TypedDict):
    type: Literal["t5"]


class PositionEmbeddingT5(_PositionEmbeddingT5, total=False):
    num_heads: int
    num_buckets: int
    max_distance: int
    bidirectional: bool
    key_length: int
    seed: Seed


class _PositionEmbeddingShaw(TypedDict):
    type: Literal["shaw"]


class PositionEmbeddingShaw(_PositionEmbeddingShaw, total=False):
    max_relative_position: int
    head_dim: int
    key_length: int
    seed: Seed


class _PositionEmbeddingTransformerXl(TypedDict):
    type: Literal["transformer_xl"]


class PositionEmbeddingTransformerXl(_PositionEmbeddingTransformerXl, total=False):
    num_heads: int
    memory_length: int
    clamp_length: int
    seed: Seed


class _PositionEmbeddingDeberta(TypedDict):
    type: Literal["deberta"]


class PositionEmbeddingDeberta(_PositionEmbeddingDeberta, total=False):
    version: Literal[1, 2]
    max_relative_positions: int
    position_buckets: int
    seed: Seed


PositionEmbeddingOptions = Union[PositionEmbeddingNone, PositionEmbeddingLearnedAbsolute, PositionEmbeddingSinusoidal, PositionEmbeddingRope, PositionEmbeddingAlibi, PositionEmbeddingT5, PositionEmbeddingShaw, PositionEmbeddingTransformerXl, PositionEmbeddingDeberta]


PositionEmbedding = Union[Literal["none", "learned_absolute", "sinusoidal", "rope", "alibi", "t5", "shaw", "transformer_xl", "deberta"], PositionEmbeddingOptions]


Architecture = Literal["gpt2", "transformer", "bert", "llama", "gpt_neox", "gemma", "t5", "deberta", "deberta_v2", "transformer_xl", "bloom"]


OutputName = Literal["input_embeddings", "token_embeddings", "inputs_embeds", "input_ids", "target_ids", "attention_mask", "position_ids", "document_ids", "window_starts", "segment_ids", "cu_seq_lens", "loss_mask", "labels", "dataset_index", "position_embeddings", "inv_freq", "cos", "sin", "alibi_slopes", "position_bias", "relative_position_bucket", "relative_position_index", "relative_key_embeddings", "relative_value_embeddings", "relative_position_embeddings", "content_bias", "position_bias_vector", "relative_position", "c2p_index", "p2c_index", "relative_embeddings", "hidden_streams", "per_layer_inputs", "per_layer_projected", "ngram_ids", "ngram_embeddings"]


TokenId = int


class _PromptEmbedsAnswer(TypedDict):
    model: str
    model_version: str
    num_tokens: List[int]
    shape: List[List[int]]


class PromptEmbedsAnswer(_PromptEmbedsAnswer, total=False):
    prompt_embeds: List[str]
    per_layer_inputs: List[str]
    ple_input_ids: List[List[int]]
    input_embeds: List[List[List[float]]]


class Neighbor(TypedDict):
    id: int
    text: Optional[str]
    score: float


class NeighborsAnswer(TypedDict):
    model: str
    model_version: str
    neighbors: List[List[Neighbor]]


class DetokenizedDocument(TypedDict):
    text: str
    lossy: bool


class DetokenizeAnswer(TypedDict, total=False):
    text: str
    lossy: bool
    documents: List[DetokenizedDocument]


class _RenderedPrompt(TypedDict):
    request_id: str
    model: str
    features: object


class RenderedPrompt(_RenderedPrompt, total=False):
    token_ids: List[int]
    input_ids: List[int]
    assistant_tokens_mask: List[int]


RenderedPrompts = List[RenderedPrompt]


class RefusedChat(TypedDict):
    line: int
    turn: Optional[int]
    reason: Literal["not_rendered", "opens_next_turn", "rewrites_history"]


class ChatCounts(TypedDict):
    num_chats: int
    num_whole: int
    num_by_turn: int
    num_refused: int
    refused: List[RefusedChat]
    num_target_tokens: int
    num_prefilled: int
    num_without_stop: int
    num_straddling: int
    num_untrained: int


class DatasetMember(TypedDict):
    dataset: str
    weight: float


class DatasetStage(TypedDict):
    from_window: int
    weights: List[float]


class _Dataset(TypedDict):
    id: str
    object: Literal["dataset"]
    name: Optional[str]
    encoding: Optional[str]
    created: int
    stored: Literal["disk", "memory"]


class Dataset(_Dataset, total=False):
    allowed_special: object
    document_start: Optional[int]
    document_start_literal: Optional[str]
    document_end: Optional[int]
    document_end_literal: Optional[str]
    num_documents: int
    num_tokens: int
    num_characters: Optional[int]
    dtype: Literal["uint16", "uint32"]
    size_bytes: int
    max_token_id: Optional[int]
    sha256: str
    mask: Literal["sampled", "tags", "all"]
    turns: Literal["auto", "whole", "each", "last"]
    trailing: Literal["mask", "train"]
    chats: ChatCounts
    mixture: List[DatasetMember]
    stages: List[DatasetStage]


class DatasetList(TypedDict):
    object: Literal["list"]
    data: List[Dataset]
    has_more: bool


class _DatasetDocument(TypedDict):
    document: int
    start: int
    num_tokens: int
    input_ids: List[int]
    text: Optional[str]


class DatasetDocument(_DatasetDocument, total=False):
    loss_mask: List[int]
    lossy: bool


class DatasetRecipe(TypedDict):
    context_length: int
    stride: int
    tail: Literal["drop", "pad"]
    pad_token_id: Optional[int]
    packing: Literal["none", "concat", "best_fit"]
    long_documents: Literal["split", "truncate", "drop"]
    batch_size: int
    drop_last: bool
    shuffle: object
    sharding: Literal["global_batch", "distributed_sampler"]
    rank: int
    world_size: int
    epoch: int
    seed: object
    num_batches: int


class DatasetShare(TypedDict):
    dataset: str
    num_windows: int
    windows_per_block: List[int]
    first_epoch_ends_at: Optional[int]


class _DatasetPlan(TypedDict):
    dataset: str
    recipe: DatasetRecipe
    recipe_id: str
    num_windows: int
    fill: float
    num_padding: int
    num_dropped_tokens: int
    num_split_documents: int
    longest_document: int


class DatasetPlan(_DatasetPlan, total=False):
    num_batches: int
    num_dropped_windows: int
    num_target_tokens: int
    num_untrained_pieces: int
    num_dropped_documents: int
    shares: List[DatasetShare]
    note: str


class SeenText(TypedDict):
    text: str
    trained: bool


class _SeenDocument(TypedDict):
    row: int
    document: int
    start: int
    end: int
    first_token: int
    num_tokens: int
    num_target_tokens: int


class SeenDocument(_SeenDocument, total=False):
    dataset: str
    line: int
    texts: List[SeenText]


class _DatasetBatchDocuments(TypedDict):
    dataset: str
    recipe_id: str
    epoch: int
    batch_index: int
    documents: List[SeenDocument]


class DatasetBatchDocuments(_DatasetBatchDocuments, total=False):
    num_batches: int


class _ModelTokenizer(TypedDict):
    type: Literal["tiktoken", "byte_pair", "wordpiece", "foreign", "none"]
    available: bool


class ModelTokenizer(_ModelTokenizer, total=False):
    reason: str


class ModelPerLayer(TypedDict):
    layers: int
    width: int
    rows: int


class ModelNgrams(TypedDict):
    layer: int
    heads: int
    width: int
    rows: int
    sizes: List[int]
    offsets: List[int]
    multipliers: List[Union[int, str]]
    context: int


class ModelMemory(TypedDict, total=False):
    per_layer: ModelPerLayer
    ngrams: List[ModelNgrams]


class ModelPooling(TypedDict):
    type: Literal["mean"]
    flavour: Literal["model2vec", "sentence_transformers"]
    normalize: bool
    dimensions: int
    max_length: Optional[int]
    drops_unknown: bool
    accept_ids: bool


class ModelTablesSeed(TypedDict):
    source: Literal["seed"]
    seed: Union[int, str]
    init_std: float


class ModelTablesFile(TypedDict):
    name: str
    bytes: int


class ModelTablesFolder(TypedDict):
    source: Literal["folder"]
    files: List[ModelTablesFile]


class ModelTablesUpload(TypedDict):
    source: Literal["upload"]
    sha256: Optional[str]


class ModelTablesLearned(TypedDict):
    source: Literal["learned"]


ModelTables = Union[ModelTablesSeed, ModelTablesFolder, ModelTablesUpload, ModelTablesLearned]


class ModelError(TypedDict):
    code: Literal["invalid_json", "invalid_request", "invalid_unicode", "empty_input", "invalid_encoding", "unauthorized", "admin_disabled", "forbidden", "not_found", "model_not_found", "dataset_not_found", "optimizer_not_found", "method_not_allowed", "not_acceptable", "request_timeout", "model_exists", "nothing_pending", "model_in_use", "optimizer_exists", "recipe_mismatch", "precondition_failed", "body_too_large", "response_too_large", "unsupported_media_type", "range_not_satisfiable", "context_too_long", "no_windows", "batch_out_of_range", "token_out_of_range", "unsupported_combination", "tokenizer_unavailable", "tables_unavailable", "template_unavailable", "template_unsupported", "template_failed", "chat_refused", "model_failed", "shape_mismatch", "not_finite", "encoding_mismatch", "idempotency_key_reused", "headers_too_large", "internal", "not_implemented", "loading", "overloaded", "model_loading", "not_live", "stopping", "dataset_indexing", "deadline_exceeded", "insufficient_storage", "insufficient_memory"]
    message: str


class _LearningOptimizer(TypedDict):
    type: str
    tables: List[Literal["wte.weight", "wpe.weight"]]


class LearningOptimizer(_LearningOptimizer, total=False):
    rows: List[int]


class LearningCheckpoint(TypedDict):
    step: int
    model_version: str


class ModelLearning(TypedDict):
    optimizer: LearningOptimizer
    step: int
    pending: int
    state_bytes: int
    checkpoint: Optional[LearningCheckpoint]


class ModelLimits(TypedDict):
    max_body_bytes: int
    max_json_body_bytes: int
    max_json_response_bytes: int
    max_response_bytes: int
    max_documents: int


class _Model(TypedDict):
    id: str
    object: Literal["model"]
    created: int
    owned_by: str
    state: Literal["ready", "loading", "unloaded", "failed"]
    model_version: Optional[str]
    model_type: str
    encoding: Optional[str]
    tokenizer: ModelTokenizer
    special_tokens: Dict[str, int]
    pad_token_id: Optional[int]
    vocab_size: int
    embedding_dim: Optional[int]
    hidden_size: Optional[int]
    max_position_embeddings: Optional[int]
    architecture: str
    position_embedding: str
    dtype: Optional[Literal["float32", "float16", "bfloat16"]]
    table_bytes: int
    disk_table_bytes: int
    hidden_streams: int
    memory: Optional[ModelMemory]
    pooling: Optional[ModelPooling]
    tables: Optional[ModelTables]
    learning: Optional[ModelLearning]
    error: Optional[ModelError]
    backend: str
    backend_version: str
    backend_reason: str
    limits: ModelLimits


class Model(_Model, total=False):
    tokenizer_sha256: Optional[str]
    revision: Optional[str]
    tables_unavailable: ModelError


class ModelList(TypedDict):
    object: Literal["list"]
    data: List[Model]


class TablesExchanged(TypedDict):
    model: str
    model_version: str


class _Optimizer(TypedDict):
    model: str
    model_version: str
    type: str
    tables: List[Literal["wte.weight", "wpe.weight"]]
    step: int
    pending: int
    state_bytes: int


class Optimizer(_Optimizer, total=False):
    rows: List[int]


RowsByTable = TypedDict("RowsByTable", {"wte.weight": int, "wpe.weight": int}, total=False)


NormsByTable = TypedDict("NormsByTable", {"wte.weight": float, "wpe.weight": float}, total=False)


class GradientsAnswer(TypedDict):
    model: str
    model_version: str
    rows: RowsByTable
    grad_norms: NormsByTable
    pending: int


class StepAnswer(TypedDict):
    model: str
    model_version: str
    step: int
    rows_updated: RowsByTable
    update_norms: NormsByTable


class SavedCheckpoint(TypedDict):
    model: str
    step: int
    model_version: str


class Health(TypedDict):
    status: Literal["live", "ready"]
