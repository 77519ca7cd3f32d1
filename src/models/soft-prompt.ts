import type { FloatDtype } from '../first-layer/tensors/named-tensor.js'

/** Rows that were learned elsewhere, to stand before a text's. Can be posted. Never changed: who holds it has all of it. */
export interface SoftPrompt {
  /** Id of the model. */
  readonly model: string
  readonly name: string
  /** n */
  readonly rows: number
  /** C */
  readonly embeddingDim: number
  /** Element type, as they came. */
  readonly dtype: FloatDtype
  /** [n, C], little-endian; all threads share them. */
  readonly numbers: SharedArrayBuffer
  /** SHA-256 of type, shape and numbers, in hex. */
  readonly sha256: string
  /** Unix time in seconds. */
  readonly created: number
}

/** Most prompts of all models: each has an entry in every thread. */
export const MAX_SOFT_PROMPTS = 10_000
/** Most rows of one: more than that is a text. */
export const MAX_SOFT_PROMPT_ROWS = 4096

/** Most bytes of its file: 4,096 rows of 4,096 float32 numbers, and a header. */
export const MAX_SOFT_PROMPT_FILE_BYTES = (64 << 20) + (1 << 16)

/** A soft prompt as the routes describe it. */
export function describeSoftPrompt(prompt: SoftPrompt) {
  const { model, name, rows, embeddingDim, dtype, numbers, sha256, created } = prompt
  return {
    name,
    object: 'prompt',
    model,
    created,
    num_tokens: rows,
    shape: [rows, embeddingDim],
    dtype,
    bytes: numbers.byteLength,
    sha256,
    stored: 'memory',
  }
}
