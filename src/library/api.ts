import type { Counts } from '../first-layer/answer.js'
import type { FloatDtype, IdsDtype, TensorInfo } from '../first-layer/tensors/named-tensor.js'
import type { ModelLearner, OptimizerOptions } from './learning-api.js'

/** How a text becomes ids. */
export interface TokenizeOptions {
  /** Literals that become their special tokens. Default: `<|endoftext|>` for the encodings, all for folders. */
  readonly allowed_special?: 'all' | readonly string[]
  /** Adds the tokens that the model expects around a text, as `[CLS]` and `[SEP]`. Default: false. */
  readonly add_special_tokens?: boolean
}

/** A message of a chat: `{ role: 'user', content: 'Hello' }`, and what else the template reads. */
export interface Message {
  readonly role: string
  readonly [field: string]: unknown
}

/** The fields of a chat in `POST /v1/tokenize`, under the same names: arguments of `apply_chat_template`. */
export interface RenderOptions {
  readonly tools?: readonly object[]
  readonly documents?: readonly object[]
  /** A template, or the name of one of the model's. Default: the model's. */
  readonly chat_template?: string
  /** Variables of the template's own: `{ enable_thinking: false }`. */
  readonly chat_template_kwargs?: Readonly<Record<string, unknown>>
  /** Default: true, unless the last message is continued. */
  readonly add_generation_prompt?: boolean
  /** Whether the last message stays open; a text: its field that does. Default: false. */
  readonly continue_final_message?: boolean | string
}

/** The fields of `POST /v1/input-embeddings`, under the same names, with the same defaults. */
export interface EmbedOptions extends TokenizeOptions {
  /** T, tokens in a window. Absent: each document is one window of its length. */
  readonly context_length?: number
  /** Step between window starts, in tokens. Default: `context_length`. */
  readonly stride?: number
  /** `drop` (default): only windows with T inputs and T targets. `pad`: all tokens, right-padded. */
  readonly tail?: 'drop' | 'pad'
  /** Cuts each document to its first `max_length` tokens; `counts.numTruncatedTokens` are cut off. Default: false. */
  readonly truncation?: boolean
  /** Tokens of a document under `truncation`. Default: as many as the model has positions for. */
  readonly max_length?: number
  /** Id of padded slots. Default: the model's own. */
  readonly pad_token_id?: number
  /** B, windows in a batch. Absent: all windows. */
  readonly batch_size?: number
  /** The batch to make, from 0. Absent: all batches, in loader order. */
  readonly batch_index?: number
  /** Order of PyTorch's `DataLoader(shuffle=True)`; needs `seed`. Default: false. */
  readonly shuffle?: boolean
  /** `torch.manual_seed` before the loader. */
  readonly seed?: number | bigint | string
  /** Which pass over the loader, from 0. */
  readonly epoch?: number
  /** Leaves out a last, short batch; needs `batch_size`. Default: false. */
  readonly drop_last?: boolean
  /** A position scheme's type, or an object with its options (docs/positions.md). Default: the model's own. */
  readonly position_embedding?: string | { readonly type: string; readonly [option: string]: unknown }
  /** Default: the model's own. */
  readonly architecture?: string
  /** Position of a window's first token. Default: 0. */
  readonly position_offset?: number
  /** Names of the tensors to make. Default: ids, their mask where there is padding, and the embeddings. */
  readonly outputs?: readonly string[]
  /**
   * Models of n-grams: the last ids before each window [B, n], from which its n-grams go on, or `document`: those of its
   * document. Default: a window begins a text.
   */
  readonly ngram_context?: 'document' | readonly (readonly number[])[]
  /** Element type of float tensors. Default: `float32`. */
  readonly dtype?: FloatDtype
  /** Element type of ids, masks, positions and indices in files and bytes; PyTorch's losses take `int64`. Default: `int32`. */
  readonly ids_dtype?: IdsDtype
}

/** A text, token ids, or a list of either: each is one document, and no window crosses from one to the next. */
export type Input =
  | string
  | Int32Array
  | readonly number[]
  | readonly string[]
  | readonly (Int32Array | readonly number[])[]

/** A tensor whose elements are made when they are asked for. */
export interface Tensor extends TensorInfo {
  /**
   * All elements, row-major: `Int32Array` for `int32` and `int64`, `Float32Array` for `float32`, the bits in a
   * `Uint16Array` for `float16` and `bfloat16`. Made at the first look, and kept.
   */
  readonly data: Float32Array | Int32Array | Uint16Array
  /**
   * The elements' bytes, little-endian, about a megabyte at a time: for tensors larger than memory. A block is valid
   * only until the next one is asked for.
   */
  blocks(): Iterable<Uint8Array>
  /** The tensor as NumPy's own file. @throws RangeError for bfloat16, which NumPy does not have */
  npy(): Uint8Array
  /** The tensor as a file for `torch.load(file, weights_only=True)`. */
  torch(): Uint8Array
}

/** Input embeddings and the tensors that go with them. */
export interface Embeddings {
  /** Totals before batching: tokens, windows, batches, and what was dropped. */
  readonly counts: Counts
  /** A position scheme's facts about its tensors, such as `layout` of `rope`. */
  readonly metadata: Readonly<Record<string, string>>
  readonly tensors: readonly Tensor[]
  /**
   * The elements of a float32 tensor. Default: `input_embeddings` [B, T, C].
   *
   * @throws RangeError where no such tensor was asked for, or it has another type
   */
  floats(name?: string): Float32Array
  /** A tensor by its name. @throws RangeError where no such tensor was asked for */
  tensor(name: string): Tensor
  /** All tensors in one safetensors file. */
  safetensors(): Uint8Array
}

/** A model in the calling thread, and its memory: tables and scratch space. */
export interface FirstLayerModel {
  /** V: ids below it have a row. */
  readonly vocabSize: number
  /** C: elements of a row. */
  readonly embeddingDim: number
  /** Bytes of all tables. */
  readonly tableBytes: number
  /**
   * The token ids of a text: `Hello, world!` in `gpt2` → 15496, 11, 995, 0.
   *
   * @throws InletError `invalid_request` for a special token that the tokenizer does not have, `tokenizer_unavailable`
   *   for a model without a tokenizer
   */
  tokenize(text: string, options?: TokenizeOptions): Promise<Int32Array>
  /**
   * The text of a chat by the model's template, as transformers' `apply_chat_template(…, tokenize=False)` makes it; its
   * ids: `tokenize(text, { allowed_special: 'all' })`.
   *
   * @throws InletError `template_unavailable`, `template_unsupported`, `template_failed`, `invalid_request`, `empty_input`
   */
  render(messages: readonly Message[], options?: RenderOptions): string
  /**
   * The input embeddings of a text or of ids: `input_embeddings` [B, T, C] and the tensors beside it. Their elements
   * are made when they are read.
   *
   * @throws InletError `invalid_request`, `no_windows`, `batch_out_of_range`, `context_too_long`, `token_out_of_range`,
   *   `unsupported_combination`
   */
  embed(input: Input, options?: EmbedOptions): Promise<Embeddings>
  /**
   * One batch after the other, as PyTorch's `DataLoader` gives them; `options.batch_size` is needed. The input is
   * tokenized once.
   *
   * @throws InletError as {@link embed}
   */
  batches(input: Input, options: Omit<EmbedOptions, 'batch_index'>): AsyncGenerator<Embeddings, void, void>
  /**
   * Puts the model's tables under an optimizer: they learn from gradients as `torch.optim` moves them.
   *
   * @throws InletError `invalid_request`, `unsupported_combination` for tables of 16 bits
   * @throws RangeError where tables and states exceed 4 GiB
   */
  learn(optimizer: OptimizerOptions): ModelLearner
  /**
   * Resumes learning from a checkpoint of a model of these sizes: its tables become the model's.
   *
   * @throws InletError `invalid_request` that names the tensor or the field
   * @throws SafetensorsError for bytes that are no such file
   */
  resume(checkpoint: Uint8Array): ModelLearner
  /** Lets the model's memory go. Nothing of the model, no tensor either, can be read after that. */
  dispose(): void
}
