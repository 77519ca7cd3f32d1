import type { FileMetaData } from 'hyparquet'
import { parquetMetadata } from 'hyparquet/src/metadata.js'
import type { InputFile } from '../input-file.js'

/** `PAR1`, which begins and ends a file; `PARE` ends one that is encrypted. */
const MAGIC = 'PAR1'
/** The length of what stands before it, and the magic. */
const TAIL_BYTES = 8
/** Most bytes of what describes a file: it is held as a whole. */
const MAX_FOOTER_BYTES = 1 << 26

/** Reads what describes a Parquet file, which stands at its end. @throws Error for a file that is none */
export async function readFooter(file: InputFile, size: number): Promise<FileMetaData> {
  const tail = await file.read(Math.max(0, size - TAIL_BYTES), Math.min(TAIL_BYTES, size))
  const magic = tail.toString('latin1', tail.length - MAGIC.length)
  if (size < MAGIC.length + TAIL_BYTES || magic !== MAGIC)
    throw new Error(`The file must be Parquet, which ends with ${MAGIC}. Given: ${JSON.stringify(magic)}`)
  const length = tail.readUInt32LE()
  const most = Math.min(MAX_FOOTER_BYTES, size - MAGIC.length - TAIL_BYTES)
  if (length > most)
    throw new Error(`The file’s metadata must have at most ${most} bytes, of ${size}. Given: ${length}`)
  const footer = await file.read(size - TAIL_BYTES - length, length + TAIL_BYTES)
  return parsed(() => parquetMetadata(footer, { geoparquet: false }))
}

/** Names the format in the library's errors. */
export function parsed<Result>(parse: () => Result): Result {
  try {
    return parse()
  } catch (error) {
    throw new Error(`The content must be Parquet: ${(error as Error).message}`, { cause: error })
  }
}
