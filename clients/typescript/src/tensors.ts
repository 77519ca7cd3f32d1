import type { TensorData } from './values.js'
import { widened } from './widen.js'

/** A tensor of an answer. */
export class Tensor implements TensorData {
  readonly dtype: TensorData['dtype']
  readonly shape: readonly number[]
  /** Float32Array, Int32Array, or Uint16Array: the bits of 16-bit floats. */
  readonly data: TensorData['data']

  constructor({ dtype, shape, data }: TensorData) {
    this.dtype = dtype
    this.shape = shape
    this.data = data
  }

  /** The numbers as float32, which hold every float16 and bfloat16 exactly. Of float32 the same memory. */
  toFloat32(): Float32Array<ArrayBuffer> {
    return widened(this)
  }
}

/** Tensors by name, as the service counts and names them. */
export class Tensors extends Map<string, Tensor> {
  /** The answer's metadata, all in strings: the counts, and the position scheme's numbers. */
  readonly metadata: Readonly<Record<string, string>>
  readonly headers: Headers

  constructor(
    tensors: Iterable<readonly [string, Tensor]>,
    metadata: Readonly<Record<string, string>>,
    headers: Headers,
  ) {
    super(tensors)
    this.metadata = metadata
    this.headers = headers
  }

  get model(): string | undefined {
    return this.metadata.model
  }

  /** Which set of the model's tables the rows are of. */
  get modelVersion(): string | undefined {
    return this.metadata.model_version ?? this.headers.get('x-model-version') ?? undefined
  }

  /** Sizes of the request before batching: `num_tokens`, `num_windows` and so on. */
  get counts(): Readonly<Record<string, number>> {
    const counts = Object.entries(this.metadata).filter(([name]) => name.startsWith('num_'))
    return Object.fromEntries(counts.map(([name, text]) => [name, Number(text)]))
  }

  /**
   * The loader's batches, of an answer to `batch_size` without `batch_index`: views of its tensors. Tensors that all
   * windows share, as those of a position scheme, are in each batch as they are.
   */
  *batches(batchSize: number): Generator<Tensors, void, void> {
    const { num_windows: all, num_dropped_windows: dropped = 0 } = this.counts
    for (let from = 0; from < all - dropped; from += batchSize) {
      const tensors = [...this].map(
        ([name, tensor]) =>
          [name, OF_WINDOWS.includes(name) ? rowsOf(tensor, from, from + batchSize) : tensor] as const,
      )
      yield new Tensors(tensors, this.metadata, this.headers)
    }
  }

  /**
   * The batches of a dataset's answer to `num_batches`: views of its tensors.
   *
   * @param batchSize of one rank
   */
  *parts(count: number, batchSize: number, contextLength: number): Generator<Tensors, void, void> {
    const slots = batchSize * contextLength
    for (let part = 0; part < count; part++) {
      const tensors = [...this].map(([name, tensor]) => {
        if (name === 'cu_seq_lens') return [name, endsOf(tensor, part * slots, (part + 1) * slots)] as const
        const isOfRows = OF_WINDOWS.includes(name) || OF_ROWS.includes(name)
        return [name, isOfRows ? rowsOf(tensor, part * batchSize, (part + 1) * batchSize) : tensor] as const
      })
      yield new Tensors(tensors, this.metadata, this.headers)
    }
  }

  /**
   * The texts of an answer of `tokenize` to a list, in their order: views of its tensors.
   *
   * @throws TypeError where the answer has no `document_starts`, as that to a single text
   */
  *documents(): Generator<Tensors, void, void> {
    const starts = this.get('document_starts')?.data
    if (starts === undefined)
      throw new TypeError('The answer has no `document_starts`: it is not one to a list')
    const { num_characters: _, ...shared } = this.metadata
    for (let d = 0; d + 1 < starts.length; d++) {
      const [start, end] = [Number(starts[d]), Number(starts[d + 1])]
      const tensors = [...this]
        .filter(([name]) => OF_TOKENS.includes(name))
        .map(([name, tensor]) => [name, rowsOf(tensor, start, end)] as const)
      yield new Tensors(tensors, { ...shared, num_tokens: String(end - start) }, this.headers)
    }
  }
}

/** The tensors whose first axis counts windows. */
const OF_WINDOWS: readonly string[] = [
  'input_embeddings',
  'token_embeddings',
  'inputs_embeds',
  'input_ids',
  'target_ids',
  'attention_mask',
  'position_ids',
  'document_ids',
  'window_starts',
]

/** Those of a dataset's batch besides. */
const OF_ROWS: readonly string[] = ['segment_ids', 'dataset_index', 'loss_mask', 'labels']

/** The tensors of `tokenize` whose first axis counts tokens. */
const OF_TOKENS: readonly string[] = ['input_ids', 'token_ranges']

/** The ends of segments from slot `from` to slot `to`, counted from the first. */
function endsOf({ dtype, data }: Tensor, from: number, to: number): Tensor {
  const ends = Int32Array.from(data as Int32Array, Number).filter((end) => end >= from && end <= to)
  return new Tensor({ dtype, shape: [ends.length], data: ends.map((end) => end - from) })
}

/** Of a tensor the rows `from … to − 1` of its first axis, over the same memory. */
function rowsOf({ dtype, shape, data }: Tensor, from: number, to: number): Tensor {
  const [rows, ...rest] = shape
  const each = rest.reduce((product, axis) => product * axis, 1)
  const end = Math.min(to, rows)
  if (from > end) from = end
  return new Tensor({ dtype, shape: [end - from, ...rest], data: data.subarray(from * each, end * each) })
}

/** One embedding of each text. */
export interface Embeddings {
  /** [texts, dimensions]; of packed types [texts, dimensions / 8] */
  readonly shape: readonly [number, number]
  /** All of them, one after the other: float32, unless `output_dtype` asks for bytes. */
  readonly data: Float32Array<ArrayBuffer> | Int8Array<ArrayBuffer> | Uint8Array<ArrayBuffer>
  readonly model: string
  readonly modelVersion: string
  readonly numTokens: number
}
