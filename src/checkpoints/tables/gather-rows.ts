import type { CheckpointTensor } from '../checkpoint.js'
import { type ReadableFile, readFully } from '../checkpoint-files.js'
import { folderError, told } from '../folder-error.js'

/** Reads one integer, little-endian. */
const READERS: Readonly<Record<string, (view: DataView, i: number) => number>> = {
  I64: (view, i) => Number(view.getBigInt64(8 * i, true)),
  U64: (view, i) => Number(view.getBigUint64(8 * i, true)),
  I32: (view, i) => view.getInt32(4 * i, true),
  U32: (view, i) => view.getUint32(4 * i, true),
  I16: (view, i) => view.getInt16(2 * i, true),
  U16: (view, i) => view.getUint16(2 * i, true),
  U8: (view, i) => view.getUint8(i),
}

/** The dtypes of row numbers. */
export const INTEGERS: readonly string[] = Object.keys(READERS)

/**
 * Writes row `mapping[i]` of `distinct` as row i of `out`, for all i: Model2Vec's `mapping`.
 *
 * @throws InletError `model_failed` for a row out of range
 */
export async function gatherRows(
  file: ReadableFile,
  mapping: CheckpointTensor,
  distinct: Uint8Array,
  out: Uint8Array,
  rowBytes: number,
): Promise<void> {
  const bytes = new Uint8Array(mapping.end - mapping.start)
  await fillFromFile(file, bytes, mapping.at, mapping)
  const view = new DataView(bytes.buffer)
  const read = READERS[mapping.dtype] as (typeof READERS)[string]
  const rows = distinct.length / rowBytes
  for (let i = 0; i < out.length / rowBytes; i++) {
    const row = read(view, i)
    if (!(row >= 0 && row < rows)) {
      const rule = `must be rows below ${rows}`
      throw folderError(mapping.file, `${told(mapping.name)} ${rule}. Given, at ${i}: ${row}`)
    }
    out.set(distinct.subarray(row * rowBytes, (row + 1) * rowBytes), i * rowBytes)
  }
}

/** Fills `target` with a tensor's bytes. @throws InletError `model_failed` if the file ends before */
export async function fillFromFile(
  file: ReadableFile,
  target: Uint8Array,
  at: number,
  { file: fileName, name }: { readonly file: string; readonly name: string },
): Promise<void> {
  if ((await readFully(file, target, at)) === target.length) return
  throw folderError(fileName, `ends within ${told(name)}`)
}
