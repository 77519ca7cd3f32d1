import { ID_DTYPES, type IdDtypeName } from '../first-layer/datasets/id-dtypes.js'
import { InletError } from '../first-layer/errors.js'

/**
 * Reads little-endian ids, as many as `out` has.
 *
 * @throws InletError `token_out_of_range` for an id from 2^31 on, which no tokenizer has, or a negative one
 */
export function readFileIds(dtype: IdDtypeName, raw: Buffer, out: Int32Array): void {
  ID_DTYPES[dtype].read(raw, out)
  const place = out.findIndex((id) => id < 0)
  if (place < 0) return
  const bytes = raw.toString('hex', 4 * place, 4 * place + 4)
  const message = `The file’s ids must be from 0 to 2147483647. Given: the bytes ${bytes}`
  throw new InletError('token_out_of_range', message, 'path')
}

/** Ids that are read at a time. */
const PIECE = 1 << 20

/** Where documents start: at 0, and behind each separator; and the number of ids. */
export async function documentStarts(
  read: (place: number, out: Int32Array) => Promise<void>,
  total: number,
  separator: number | undefined,
): Promise<Float64Array> {
  const starts = [0]
  if (separator !== undefined) {
    const piece = new Int32Array(PIECE)
    for (let place = 0; place < total; place += PIECE) {
      const ids = piece.subarray(0, Math.min(PIECE, total - place))
      await read(place, ids)
      for (let at = ids.indexOf(separator); at >= 0; at = ids.indexOf(separator, at + 1))
        starts.push(place + at + 1)
    }
  }
  if (starts.at(-1) !== total || total === 0) starts.push(total)
  return Float64Array.from(starts)
}
