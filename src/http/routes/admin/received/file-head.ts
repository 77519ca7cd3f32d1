import { InletError } from '../../../../errors.js'
import {
  headerLength,
  LENGTH_BYTES,
  parseHeader,
  SafetensorsError,
  type SafetensorsHeader,
} from '../../../../first-layer/tensors/safetensors/header.js'
import type { Claim } from '../../../../load/claim.js'
import { Pace } from '../../../../turn.js'
import type { FileReader } from './file-reader.js'

/** The most bytes of an upload's header: it is parsed in one turn. That of a model's file has some hundred. */
export const MAX_FILE_HEADER_BYTES = 1 << 16

/** The header of a file, and the bytes before its data. */
export interface FileHead {
  readonly header: SafetensorsHeader
  readonly bytes: number
}

/**
 * Reads the header of an uploaded file.
 *
 * @throws InletError `invalid_request` that names the header's fault
 */
export async function readHead(file: FileReader, claim: Claim): Promise<FileHead> {
  const first = new Uint8Array(LENGTH_BYTES)
  const came = await file.fill(first)
  const length = inFile(() => headerLength(first.subarray(0, came)))
  if (length > MAX_FILE_HEADER_BYTES) {
    throw invalidFile(`The header must be at most ${MAX_FILE_HEADER_BYTES} bytes. Given: ${length}`)
  }
  const queued = claim.take(length)
  if (queued !== undefined) await queued
  const json = new Uint8Array(length)
  const missing = length - (await file.fill(json))
  if (missing > 0) throw invalidFile(`The last ${missing} bytes of the header are missing.`)
  const pace = new Pace(claim)
  if (pace.isOver) await pace.nextTurn() // a header of 64 KiB may take the whole turn
  const header = inFile(() => parseHeader(json))
  claim.give(length)
  return { header, bytes: LENGTH_BYTES + length }
}

/** 400 `invalid_request` about a file. */
export function invalidFile(reason: string): InletError {
  return new InletError('invalid_request', `The body must be a safetensors file. ${reason}`)
}

function inFile<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (error instanceof SafetensorsError) throw invalidFile(error.message)
    throw error
  }
}
