import { DONE, instantiateTokenizeKernel, MORE, type TokenizeKernel } from '../../kernels/tokenize-kernel.js'
import type { MergeOrder } from '../vocabulary.js'
import type { PatternTable } from './pattern-table.js'

/** Tokens that are worked on between two pauses, some tenths of a millisecond. */
const STEPS = 256

/** The data of a kernel's tables. */
export interface KernelData {
  readonly pattern: PatternTable
  /** The tokens that merging can give, in the order of the merges. */
  readonly merged: MergeOrder
  /** Tokens that no merge gives, each for pieces equal to it; undefined: there are none. */
  readonly whole?: MergeOrder | undefined
  /** The id of each token of `merged`, then of each of `whole`; absent where tokens are ids. */
  readonly ids?: Int32Array
}

/**
 * A kernel with its tables, whose building takes tens of milliseconds.
 *
 * @param pause called between two slices of the work
 */
export async function tokenizeKernel(
  { pattern, merged, whole, ids }: KernelData,
  pause?: () => Promise<void> | undefined,
): Promise<TokenizeKernel> {
  const kernel = instantiateTokenizeKernel()
  const copy = ({ buffer, byteOffset, byteLength }: Uint8Array | Int32Array | Uint32Array, to: number) =>
    new Uint8Array(kernel.memory.buffer, to).set(new Uint8Array(buffer, byteOffset, byteLength))
  const placed = (data: Uint8Array | Int32Array | Uint32Array) => {
    const at = kernel.reserve(data.byteLength)
    copy(data, at)
    return at
  }
  const count = merged.offsets.length - 1
  kernel.placeTokens(count, merged.bytes.length)
  copy(merged.bytes, kernel.tokenBytes.value)
  copy(merged.offsets, kernel.tokenStarts.value)
  copy(pattern.classes, kernel.reserveClasses(pattern.classes.length, pattern.numClasses))
  const transitions = placed(pattern.transitions)
  const names = ids === undefined ? 0 : placed(ids)
  const seeds = crypto.getRandomValues(new BigUint64Array(2))
  kernel.beginTables(names, seeds[0], seeds[1], whole ? whole.offsets.length - 1 : 0)
  for (let result = MORE; result !== DONE; result = kernel.buildSome(STEPS)) {
    if (result !== MORE) throw new Error(`token ${result} is not the merge of two tokens before it`)
    await pause?.()
  }
  if (whole !== undefined) {
    const { bytes, offsets } = whole
    const at = placed(bytes)
    for (let i = 0; i + 1 < offsets.length; i++) {
      if (i % STEPS === 0) await pause?.()
      kernel.addWhole(count + i, at + offsets[i], offsets[i + 1] - offsets[i])
    }
  }
  kernel.setUp(transitions)
  return kernel
}
