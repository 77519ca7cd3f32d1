import { basename, extname } from 'node:path'
import { UPLOAD_TYPES, type UploadType } from '../service/corpus/upload-fields.js'
import { UsageError } from './exit.js'

const [TEXT, NDJSON, IDS] = UPLOAD_TYPES

/** Media types by the endings of files. */
const TYPES: Readonly<Record<string, UploadType>> = {
  '.txt': TEXT,
  '.text': TEXT,
  '.ndjson': NDJSON,
  '.jsonl': NDJSON,
  '.bin': IDS,
}

/** Values of `Content-Encoding` by the endings of packed files. */
const CODINGS: Readonly<Record<string, string>> = { '.gz': 'gzip', '.br': 'br' }

/** How a file is sent. */
export interface UploadFile {
  readonly path: string
  readonly type: UploadType
  readonly coding: string | undefined
  /** The file's name without its folder; absent of stdin. */
  readonly name: string | undefined
}

/**
 * How a file is sent, by its ending: `corpus.jsonl.gz` is newline-delimited JSON, packed with gzip.
 *
 * @param type the value of `--type`: an ending or a media type, in place of the file's ending
 * @throws UsageError where neither says the type
 */
export function uploadFile(path: string, type?: string): UploadFile {
  const packing = extname(path).toLowerCase()
  const coding = CODINGS[packing]
  const ending = extname(coding === undefined ? path : path.slice(0, -packing.length)).toLowerCase()
  const known = type === undefined ? TYPES[ending] : typeNamed(type)
  if (known === undefined) {
    throw new UsageError(
      `--type is needed: ${path} ends with none of ${Object.keys(TYPES).join(', ')} (or these and ${Object.keys(CODINGS).join(', ')}).`,
    )
  }
  return { path, type: known, coding, name: path === '-' ? undefined : basename(path) }
}

function typeNamed(given: string): UploadType {
  const type = TYPES[`.${given}`] ?? UPLOAD_TYPES.find((each) => each === given)
  if (type !== undefined) return type
  throw new UsageError(
    `--type must be one of txt, ndjson, bin, or ${UPLOAD_TYPES.join(', ')}. Given: ${given}`,
  )
}
