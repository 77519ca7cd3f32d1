import { createHash } from 'node:crypto'
import { readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { ID_DTYPES, type IdDtypeName } from '../first-layer/datasets/id-dtypes.js'
import { contentId } from '../first-layer/datasets/recipe.js'
import type { TokenSource } from '../first-layer/datasets/segments.js'
import { InletError } from '../first-layer/errors.js'
import { CachedReads } from '../first-layer/running/cached-reads.js'
import { StoredBounds } from '../first-layer/windows/documents.js'
import type { Dataset, TokenFileOptions } from './dataset-api.js'
import { OpenDataset } from './open-dataset.js'

/**
 * A dataset of documents that are token ids already, in memory.
 *
 * `datasetFromIds([[15496, 11], [995]]).numTokens` → `3`
 *
 * @throws InletError `invalid_request` for an id that is no integer from 0 to 2^31 − 1
 */
export function datasetFromIds(documents: Iterable<ArrayLike<number>>): Dataset {
  const starts = [0]
  const parts: Int32Array[] = []
  for (const document of documents) {
    parts.push(checkedIds(document, parts.length))
    starts.push(starts.at(-1)! + document.length)
  }
  const ids = new Int32Array(starts.at(-1)!)
  for (const [d, part] of parts.entries()) ids.set(part, starts[d])
  const bounds = Float64Array.from(starts)
  const digest = createHash('sha256')
    .update(new Uint8Array(bounds.buffer))
    .update(new Uint8Array(ids.buffer))
    .digest()
  const source: TokenSource = {
    read(place, out) {
      out.set(ids.subarray(place, place + out.length))
      return undefined
    },
  }
  return new OpenDataset(new StoredBounds(bounds), source, contentId(digest), async () => {})
}

/**
 * A dataset in a file of token ids without a header, as nanoGPT's `train.bin`. Rows are read by position: the file may be
 * larger than memory. The caller closes it.
 *
 * `(await datasetFromFile('train.bin', { dtype: 'uint16' })).numTokens` → `4` for a file of 8 bytes
 *
 * @throws InletError `invalid_request` for a file whose length is no multiple of its element's
 * @throws Error of the file system
 */
export async function datasetFromFile(path: string, options: TokenFileOptions = {}): Promise<Dataset> {
  const { dtype = 'uint16' } = options
  const { bytes } = ID_DTYPES[dtype]
  const file = await open(path)
  try {
    const { size } = await file.stat()
    if (size % bytes !== 0) {
      const message = `The file must hold ids of ${bytes} bytes each. Given: ${size} bytes`
      throw new InletError('invalid_request', message, 'path')
    }
    const rawFor = (out: Int32Array) => Buffer.allocUnsafe(out.length * bytes)
    const take = (raw: Buffer, bytesRead: number, out: Int32Array) => {
      if (bytesRead < raw.length) throw new Error(`${path} has become shorter since it was opened.`)
      readFileIds(dtype, raw, out)
    }
    const aside = async (place: number, out: Int32Array) => {
      const raw = rawFor(out)
      const { bytesRead } = await file.read(raw, 0, raw.length, place * bytes)
      take(raw, bytesRead, out)
    }
    const atOnce = (place: number, out: Int32Array) => {
      if (file.fd < 0) throw Object.assign(new Error(`${path} is closed.`), { code: 'EBADF' })
      const raw = rawFor(out)
      take(raw, readSync(file.fd, raw, 0, raw.length, place * bytes), out)
    }
    const starts = await documentStarts(aside, size / bytes, options.separator_id)
    return new OpenDataset(new StoredBounds(starts), new CachedReads<Int32Array>(atOnce, aside), path, () =>
      file.close(),
    )
  } catch (error) {
    await file.close()
    throw error
  }
}

function checkedIds(document: ArrayLike<number>, d: number): Int32Array {
  const ids = Int32Array.from(document)
  const wrong = ids.findIndex((id, i) => id !== document[i] || id < 0)
  if (wrong < 0) return ids
  const message = `\`documents.${d}.${wrong}\` must be an integer from 0 to 2147483647. Given: ${document[wrong]}`
  throw new InletError('invalid_request', message, `documents.${d}.${wrong}`)
}

/**
 * Reads little-endian ids, as many as `out` has.
 *
 * @throws InletError `token_out_of_range` for an id from 2^31 on, which no tokenizer has, or a negative one
 */
function readFileIds(dtype: IdDtypeName, raw: Buffer, out: Int32Array): void {
  ID_DTYPES[dtype].read(raw, out)
  const place = out.findIndex((id) => id < 0)
  if (place < 0) return
  const bytes = raw.toString('hex', 4 * place, 4 * place + 4)
  const message = `The file’s ids must be from 0 to 2147483647. Given: the bytes ${bytes}`
  throw new InletError('token_out_of_range', message, 'path')
}

/** Ids that are read at a time. */
const PIECE = 1 << 20

/** The starts of documents, at 0 and after each separator, and the number of ids. */
async function documentStarts(
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
