import type { TokenSource } from '../first-layer/datasets/corpus.js'
import { InletError } from '../first-layer/errors.js'

interface FileDtype {
  readonly bytes: number
  /** Reads little-endian ids, as many as `out` has. */
  read(raw: Buffer, out: Int32Array): void
}

/** Element types of files of ids without a header. */
export const FILE_DTYPES: Readonly<Record<'uint16' | 'uint32' | 'int32', FileDtype>> = {
  uint16: {
    bytes: 2,
    read(raw, out) {
      for (let i = 0; i < out.length; i++) out[i] = raw[2 * i]! | (raw[2 * i + 1]! << 8)
    },
  },
  uint32: { bytes: 4, read: readWords },
  int32: { bytes: 4, read: readWords },
}

/** @throws InletError `token_out_of_range` for an id from 2^31 on, which no tokenizer has, or a negative one */
function readWords(raw: Buffer, out: Int32Array): void {
  for (let i = 0; i < out.length; i++) {
    out[i] = raw.readInt32LE(4 * i)
    if (out[i]! >= 0) continue
    const message = `The file’s ids must be from 0 to 2147483647. Given: the bytes ${raw.toString('hex', 4 * i, 4 * i + 4)}`
    throw new InletError('token_out_of_range', message, 'path')
  }
}

/** Ids that are read at a time. */
const PIECE = 1 << 20

/** Where documents start: at 0, and behind each separator; and the number of ids. */
export async function documentStarts(
  source: TokenSource,
  total: number,
  separator: number | undefined,
): Promise<Float64Array> {
  const starts = [0]
  if (separator !== undefined) {
    const piece = new Int32Array(PIECE)
    for (let place = 0; place < total; place += PIECE) {
      const ids = piece.subarray(0, Math.min(PIECE, total - place))
      await source.read(place, ids)
      for (let at = ids.indexOf(separator); at >= 0; at = ids.indexOf(separator, at + 1))
        starts.push(place + at + 1)
    }
  }
  if (starts.at(-1) !== total || total === 0) starts.push(total)
  return Float64Array.from(starts)
}
