import { getBackend } from '@tensorflow/tfjs-core'
import { type Blocks, PAUSE } from '../steps.js'
import { elementCount, ITEM_BYTES } from '../tensors/named-tensor.js'
import type { RowSource } from './row-tensor.js'
import { StepLength } from './step-length.js'
import { MAX_BLOCK_ROWS, type Workspace } from './workspace.js'

/** Rows of the first step: narrow rows may come from anywhere in memory. */
const FIRST_ROWS = 1 << 10

/** Where rows lie and where their text goes, both in the memory of one workspace. */
export interface TextPlaces {
  readonly workspace: Workspace
  /** Pointer of the rows' table. */
  readonly table: number
  /** A block of the workspace. */
  readonly text: Uint8Array
}

/**
 * Whether {@link rowTexts} can write these rows: they go out as they are stored, the backend in use is the one whose
 * tables lie in a model's memory, and a block has room for a row's text.
 */
export function haveTexts(source: RowSource, { blockBytes }: Workspace): boolean {
  const { steps, positions, dtype, table } = source
  const isStored = steps === undefined && positions === undefined && dtype === table.dtype
  return isStored && getBackend() === 'cpu' && rowsOfText(source, blockBytes) > 0
}

/**
 * The rows' bytes as base64, made from where they lie: the text of whole groups of three, a block at a time, which is
 * good until the next one is asked for. Ids are asked for once, in order, each time right before their rows are read.
 *
 * @param held up to 2 bytes that come before the rows
 * @returns up to 2 bytes behind the last group
 */
export function* rowTexts(
  source: RowSource,
  { workspace, table, text }: TextPlaces,
  held: Uint8Array,
): Blocks<Uint8Array> {
  const { ids, kernels } = workspace
  const rowBytes = rowBytesOf(source)
  const totalRows = (elementCount(source.shape) * ITEM_BYTES[source.dtype]) / rowBytes
  const textRows = Math.min(rowsOfText(source, text.byteLength), totalRows)
  const length = new StepLength(FIRST_ROWS, textRows)
  let rest = packed(held)
  for (let first = 0; first < totalRows; ) {
    const end = Math.min(first + textRows, totalRows)
    let written = 0
    while (first < end) {
      yield PAUSE
      const count = length.begin(end - first)
      source.fillIds(ids.subarray(0, count), first)
      const groups = Math.floor(((rest >>> 16) + count * rowBytes) / 3)
      const out = text.byteOffset + written
      rest = kernels.base64Rows(out, table, ids.byteOffset, count, rowBytes, rest)
      length.end()
      written += 4 * groups
      first += count
    }
    yield text.subarray(0, written)
  }
  return unpacked(rest)
}

function rowBytesOf({ shape, dtype }: RowSource): number {
  return shape[shape.length - 1] * ITEM_BYTES[dtype]
}

/** Rows whose text a block holds, whatever is held before them: up to 2 bytes more never make one more group. */
function rowsOfText(source: RowSource, blockBytes: number): number {
  return Math.min(MAX_BLOCK_ROWS, Math.floor((3 * Math.floor(blockBytes / 4)) / rowBytesOf(source)))
}

/** As the kernel has them: [0xaa, 0xbb] → 0x2_aabb. */
function packed(bytes: Uint8Array): number {
  return bytes.reduce((all, byte) => (all << 8) | byte, 0) | (bytes.length << 16)
}

function unpacked(bytes: number): Uint8Array {
  return Uint8Array.of(bytes >>> 8, bytes).subarray(2 - (bytes >>> 16))
}
