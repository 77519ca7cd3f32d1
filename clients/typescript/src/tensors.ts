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
}

/** One embedding of each text. */
export interface Embeddings {
  /** [texts, dimensions] */
  readonly shape: readonly [number, number]
  /** All of them, one after the other. */
  readonly data: Float32Array<ArrayBuffer>
  readonly model: string
  readonly modelVersion: string
  readonly numTokens: number
}
