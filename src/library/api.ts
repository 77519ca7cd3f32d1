import type { Counts } from '../first-layer/answer.js'
import type { TensorInfo } from '../first-layer/tensors/named-tensor.js'
import type { ModelLearner, OptimizerOptions } from './learning-api.js'
import type { EmbedOptions, TokenizeOptions } from './options.js'

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
