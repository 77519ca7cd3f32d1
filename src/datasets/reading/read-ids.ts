import { ID_DTYPES } from '../../first-layer/datasets/id-dtypes.js'
import type { CorpusCard } from '../dataset-card.js'

/** Reads ids out of a tokens file. @param readBytes fills its memory with the file's bytes from a position on */
export async function readIds(
  { dtype }: Pick<CorpusCard, 'dtype'>,
  place: number,
  out: Int32Array,
  readBytes: (position: number, bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const width = ID_DTYPES[dtype].bytes
  const raw = new Uint8Array(out.buffer, out.byteOffset + (4 - width) * out.length, width * out.length)
  await readBytes(place * width, raw)
  if (dtype === 'uint16') widenInPlace(out)
}

/** 16-bit ids in the second half of an array's memory → ids from its beginning on. */
function widenInPlace(out: Int32Array): void {
  const { length } = out
  const narrow = new Uint16Array(out.buffer, out.byteOffset + 2 * length, length)
  for (let i = 0; i < length; i++) out[i] = narrow[i]! // what is written has been read: 4·(i + 1) ≤ 2·length + 2·(i + 1)
}
