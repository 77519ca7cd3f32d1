import { createHash } from 'node:crypto'
import { readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { TokenSource } from '../first-layer/datasets/corpus.js'
import { ID_DTYPES } from '../first-layer/datasets/id-dtypes.js'
import { contentId } from '../first-layer/datasets/recipe.js'
import { InletError } from '../first-layer/errors.js'
import { StoredBounds } from '../first-layer/windows/document-bounds.js'
import type { Dataset, TokenFileOptions } from './dataset-api.js'
import { FileReads } from './file-reads.js'
import { OpenDataset } from './open-dataset.js'
import { documentStarts, readFileIds } from './token-file.js'

/**
 * A dataset of documents that are token ids already, in memory.
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
    return new OpenDataset(new StoredBounds(starts), new FileReads(atOnce, aside), path, () => file.close())
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
