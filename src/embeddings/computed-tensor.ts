import { elementCount, type FloatDtype, type NamedTensor } from '../named-tensor.js'
import type { Workspace } from './workspace.js'

/** Elements made at once: computing one can cost a sine, and a turn of the event loop should stay short. */
const SLICE_ELEMENTS = 1 << 16

/** How a tensor's elements are made: `fill(out, start)` writes the row-major elements from `start` on. */
export interface ComputedSource {
  readonly name: string
  readonly dtype: 'int32' | 'float32'
  readonly shape: readonly number[]
  fill(out: Float32Array | Int32Array, start: number): void
  /** Long work before the first `fill`, in short turns. */
  prepare?(): Promise<void>
}

/** Elements that are computed, as a tensor that flows; floats are narrowed to `dtype`. */
export function computedTensor(source: ComputedSource, dtype: FloatDtype, workspace: Workspace): NamedTensor {
  const { name, shape } = source
  return {
    name,
    dtype: source.dtype === 'float32' ? dtype : 'int32',
    shape,
    blocks: () => computedBlocks(source, dtype, workspace),
  }
}

/** Stands here and not in the tensor: a generator function that is made anew costs more than a small tensor. */
async function* computedBlocks(
  source: ComputedSource,
  dtype: FloatDtype,
  workspace: Workspace,
): AsyncGenerator<Uint8Array, void, void> {
  await source.prepare?.()
  const total = elementCount(source.shape)
  const isFloat = source.dtype === 'float32'
  const { bytes, release } = workspace.lease(Math.min(total, SLICE_ELEMENTS) * 4)
  const Elements = isFloat ? Float32Array : Int32Array
  try {
    for (let start = 0; start < total; start += SLICE_ELEMENTS) {
      const count = Math.min(SLICE_ELEMENTS, total - start)
      if (isFloat && dtype !== 'float32') {
        source.fill(workspace.rows.subarray(0, count), start)
        yield workspace.narrowRows(count, dtype, bytes)
      } else {
        source.fill(new Elements(bytes.buffer as ArrayBuffer, bytes.byteOffset, count), start)
        yield bytes.subarray(0, count * 4)
      }
    }
  } finally {
    release()
  }
}
