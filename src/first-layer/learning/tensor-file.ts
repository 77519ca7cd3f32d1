import { InletError, quoted, shownShape } from '../errors.js'
import { inBlocks } from '../tensors/blocks.js'
import type { NamedTensor } from '../tensors/named-tensor.js'
import {
  headerLength,
  LENGTH_BYTES,
  parseHeader,
  SafetensorsError,
  type SafetensorsHeader,
  type StoredTensor,
} from '../tensors/safetensors/header.js'

/** Most bytes of a header, which is parsed in one turn: the optimizer's `rows` are in that of a checkpoint. */
const MAX_HEADER_BYTES = 1 << 20

/** A safetensors file's header, and its tensors' bytes. */
export interface TensorFile {
  readonly header: SafetensorsHeader
  /** Reads the data from `start` on: the bytes of a tensor from its own `start`. */
  read(start: number, out: Uint8Array): void
}

/** A file in memory. @throws SafetensorsError */
export function openTensors(file: Uint8Array): TensorFile {
  const start = LENGTH_BYTES + headerLength(file)
  return {
    header: parseHeader(file.slice(LENGTH_BYTES, start), file.length - start),
    read: (from, out) => out.set(file.subarray(start + from, start + from + out.length)),
  }
}

/** A file that a caller has sent. @throws InletError `invalid_request` for one that is not safetensors */
export function receivedTensors(file: Uint8Array): TensorFile {
  try {
    const length = headerLength(file.slice(0, LENGTH_BYTES))
    if (length <= MAX_HEADER_BYTES) return openTensors(file)
    throw new SafetensorsError(`The header must be at most ${MAX_HEADER_BYTES} bytes. Given: ${length}`)
  } catch (error) {
    if (!(error instanceof SafetensorsError)) throw error
    throw new InletError('invalid_request', `The body must be a safetensors file. ${error.message}`)
  }
}

/** The tensors of a file, each asked for by name. */
export class TensorReader {
  readonly #asked = new Set<string>()

  constructor(private readonly file: TensorFile) {}

  get metadata(): SafetensorsHeader['metadata'] {
    return this.file.header.metadata
  }

  find(name: string): StoredTensor | undefined {
    this.#asked.add(name)
    return this.file.header.tensors.find((tensor) => tensor.name === name)
  }

  /**
   * A tensor that must be there.
   *
   * @param shape a name stands for an axis of any size: `['B', 'T', 'C']`
   * @throws InletError `invalid_request` that names it
   */
  needed(name: string, dtypes: readonly string[], shape: readonly (number | string)[]): StoredTensor {
    const tensor = this.find(name)
    const isRight =
      tensor !== undefined &&
      dtypes.includes(tensor.dtype) &&
      tensor.shape.length === shape.length &&
      shape.every((size, axis) => typeof size === 'string' || size === tensor.shape[axis])
    if (isRight) return tensor
    const given = tensor === undefined ? 'nothing' : `${tensor.dtype} ${shownShape(tensor.shape)}`
    throw invalid(name, `must be ${dtypes.join(', ')} [${shape.join(', ')}]. Given: ${given}`)
  }

  /** Reads a tensor's bytes, as many as `out` takes. @param at offset within it */
  readInto<Out extends Float32Array | Int32Array | Uint8Array>(tensor: StoredTensor, out: Out, at = 0): Out {
    const { buffer, byteOffset, byteLength } = out
    this.file.read(tensor.start + at, new Uint8Array(buffer, byteOffset, byteLength))
    return out
  }

  /** Refuses tensors that nobody has asked for, which would be lost silently. @throws InletError `invalid_request` */
  checkAllAsked(beside: string): void {
    const other = this.file.header.tensors.find(({ name }) => !this.#asked.has(name))
    if (other === undefined) return
    throw invalid(other.name, `must not be there beside ${beside}. Given: ${shownShape(other.shape)}`)
  }
}

export function invalid(field: string, rule: string): InletError {
  return new InletError('invalid_request', `${quoted(field)} ${rule}`, field)
}

/** A tensor in memory. */
export function tensorOver(
  { name, shape, dtype }: Pick<NamedTensor, 'name' | 'shape' | 'dtype'>,
  { buffer, byteOffset, byteLength }: ArrayBufferView,
): NamedTensor {
  return { name, shape, dtype, blocks: () => inBlocks(new Uint8Array(buffer, byteOffset, byteLength)) }
}
