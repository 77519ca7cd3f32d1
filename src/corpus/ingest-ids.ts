import { ID_DTYPES, type IdDtypeName } from '../first-layer/datasets/id-dtypes.js'
import { InletError } from '../first-layer/errors.js'
import { ANY_ID, type DocumentWriter, idOutOfRange } from './document-writer.js'

export interface IdsUpload {
  readonly dtype: IdDtypeName
  /** A document ends after each of these ids, which belongs to it; undefined: all ids are one document. */
  readonly separatorId?: number | undefined
  /** Ids must be below this; undefined: below 2^31. */
  readonly idLimit?: number | undefined
}

/** Ids read at a time: 64 KiB, of uint16 32. */
const PIECE_IDS = 16_384

/**
 * Headers of files of ids, which would be taken for ids. llm.c's: 256 int32, of which the first two are magic and
 * version (`dev/data/data_common.py`).
 */
const LLM_C = 'a header of llm.c: send what is behind its 1,024 bytes, `tail -c +1025 FILE`'
const HEADERS = [
  {
    name: 'a header of npy: send the array’s bytes alone, as `array.tofile(FILE)` writes them',
    bytes: Buffer.from('\x93NUMPY', 'latin1'),
  },
  { name: LLM_C, bytes: Buffer.from(Int32Array.of(20240520, 1).buffer) },
  { name: LLM_C, bytes: Buffer.from(Int32Array.of(20240801, 7).buffer) },
]
const HEADER_BYTES = 8

/**
 * Documents of little-endian ids without a header. With `separatorId` 0, `1 0 2 0 3` → `1 0`, `2 0`, `3`;
 * behind a separator that ends the body no document begins.
 * @param chunks cut anywhere, even within an id
 * @throws InletError `empty_input`, `token_out_of_range` with the id's place, `invalid_request` where the
 *   body begins with a known header or ends within an id
 */
export async function ingestIds(
  chunks: AsyncIterable<Uint8Array>,
  upload: IdsUpload,
  writer: DocumentWriter,
): Promise<void> {
  const { dtype, separatorId = -1, idLimit = ANY_ID } = upload
  const { bytes: size } = ID_DTYPES[dtype]
  const piece = new Int32Array(PIECE_IDS)
  let place = 0
  let isOpen = false
  /** Takes what is whole. @returns the rest */
  const take = async (bytes: Buffer) => {
    if (place === 0) checkStart(bytes)
    let taken = 0
    while (bytes.length - taken >= size) {
      await writer.pause()
      const ids = piece.subarray(0, Math.floor((bytes.length - taken) / size))
      ID_DTYPES[dtype].read(bytes.subarray(taken, taken + ids.length * size), ids)
      taken += ids.length * size
      const wrong = placeOfWrong(ids, idLimit)
      if (wrong >= 0) {
        const id = dtype === 'uint32' ? ids[wrong] >>> 0 : ids[wrong]
        throw idOutOfRange(place + wrong, id, idLimit)
      }
      place += ids.length
      let start = 0
      for (let at = ids.indexOf(separatorId); at >= 0; at = ids.indexOf(separatorId, start)) {
        await writer.write(ids.subarray(start, at + 1))
        await writer.endDocument()
        start = at + 1
      }
      isOpen = start < ids.length
      if (isOpen) await writer.write(ids.subarray(start))
    }
    return Buffer.from(bytes.subarray(taken))
  }
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk])
    if (place > 0 || rest.length >= HEADER_BYTES) rest = await take(rest)
  }
  rest = await take(rest)
  if (rest.length > 0) {
    const message = `The body must be a multiple of ${size} bytes, the length of \`dtype\` ${dtype}.`
    const given = place * size + rest.length
    throw new InletError('invalid_request', `${message} Given: ${given} bytes`, 'dtype')
  }
  if (place === 0)
    throw new InletError('empty_input', '`input_ids` must not be empty. Given: an empty body', 'input_ids')
  if (isOpen) await writer.endDocument()
}

/** The index of the first of `ids` that is negative or not below `limit`; −1 if all are right. */
function placeOfWrong(ids: Int32Array, limit: number): number {
  for (let i = 0; i < ids.length; i++) if (ids[i] < 0 || ids[i] >= limit) return i
  return -1
}

function checkStart(bytes: Buffer): void {
  const header = HEADERS.find((each) => bytes.subarray(0, each.bytes.length).equals(each.bytes))
  if (header === undefined) return
  const message = `The body must be ids alone, without a header. Given: ${header.name}`
  throw new InletError('invalid_request', message)
}
