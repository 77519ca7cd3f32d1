/** A tensor as it came: its shape, and its numbers as they lie in the answer. */
export interface Tensor {
  readonly shape: readonly number[]
  readonly values: Float32Array | Int32Array
}

/** The tensors of an answer by name, and the header's own words. */
export interface Tensors {
  readonly metadata: Readonly<Record<string, string>>
  readonly tensors: Readonly<Record<string, Tensor>>
}

interface Entry {
  readonly dtype: string
  readonly shape: readonly number[]
  readonly data_offsets: readonly [number, number]
}

const VIEWS: Readonly<Record<string, typeof Float32Array | typeof Int32Array>> = {
  F32: Float32Array,
  I32: Int32Array,
}

/**
 * Reads safetensors: eight bytes with the header's length, the header as JSON, the tensors. Nothing is copied where
 * the numbers begin at a multiple of four.
 *
 * @throws RangeError for an element type that the page never asks for
 */
export function readSafetensors(bytes: ArrayBuffer): Tensors {
  const headerBytes = Number(new DataView(bytes).getBigUint64(0, true))
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 8, headerBytes)))
  const { __metadata__: metadata = {}, ...entries } = header as Record<string, Entry> & {
    __metadata__?: Record<string, string>
  }
  const tensors = Object.entries(entries).map(([name, entry]) => [
    name,
    tensorOf(bytes, 8 + headerBytes, entry as Entry),
  ])
  return { metadata, tensors: Object.fromEntries(tensors) }
}

function tensorOf(
  bytes: ArrayBuffer,
  base: number,
  { dtype, shape, data_offsets: [start, end] }: Entry,
): Tensor {
  const View = VIEWS[dtype]
  if (View === undefined) throw new RangeError(`no view of ${dtype}`)
  const begin = base + start
  const values =
    begin % 4 === 0 ? new View(bytes, begin, (end - start) / 4) : new View(bytes.slice(begin, base + end))
  return { shape, values }
}
