import type { FastifyRequest } from 'fastify'
import { type Claim, isTurnOver, nextTurn } from '../../../first-layer/running/drive.js'
import {
  headerLength,
  LENGTH_BYTES,
  parseHeader,
  SafetensorsError,
  type SafetensorsHeader,
} from '../../../first-layer/tensors/safetensors/header.js'
import { InletError } from '../../answer/error-table.js'
import type { FileReader } from './file-reader.js'
import { contentCoding } from './read-body.js'

/** The most bytes of an upload's header: it is parsed in one turn. That of a model's file has some hundred. */
export const MAX_FILE_HEADER_BYTES = 1 << 16

/** The header of a file, and the bytes before its data. */
export interface FileHead {
  readonly header: SafetensorsHeader
  readonly bytes: number
  /** These bytes as they came. */
  readonly raw: Uint8Array
}

/**
 * Reads the header of an uploaded file.
 *
 * @param most bytes of its JSON
 * @throws InletError `invalid_request` that names the header's fault
 */
export async function readHead(
  file: FileReader,
  claim: Claim,
  most = MAX_FILE_HEADER_BYTES,
): Promise<FileHead> {
  const first = new Uint8Array(LENGTH_BYTES)
  const came = await file.fill(first)
  const length = inFile(() => headerLength(first.subarray(0, came)))
  if (length > most) {
    throw invalidFile(`The header must be at most ${most} bytes. Given: ${length}`)
  }
  const queued = claim.take(length)
  if (queued !== undefined) await queued
  const json = new Uint8Array(length)
  const missing = length - (await file.fill(json))
  if (missing > 0) throw invalidFile(`The last ${missing} bytes of the header are missing.`)
  if (isTurnOver()) await nextTurn(claim) // a header of 64 KiB may take the whole turn
  const header = inFile(() => parseHeader(json))
  claim.give(length)
  return { header, bytes: LENGTH_BYTES + length, raw: Buffer.concat([first, json]) }
}

/** 400 `invalid_request` about a file. */
export function invalidFile(reason: string): InletError {
  return new InletError('invalid_request', `The body must be a safetensors file. ${reason}`)
}

/** Refuses, before tensors are read, a `Content-Length` that is not the length that the file's header gives. */
export function checkFileLength(request: FastifyRequest, { header, bytes }: FileHead): void {
  const length = request.headers['content-length']
  if (length === undefined || contentCoding(request) !== undefined) return
  const data = Number(length) - bytes
  if (data > header.dataBytes) throw invalidFile('Bytes follow the last tensor.')
  const cut = header.tensors.find(({ end }) => end > data)
  if (cut !== undefined) throw cutOff(cut.name, cut.end - Math.max(data, cut.start))
}

export function cutOff(name: string, missing: number): InletError {
  return invalidFile(`The last ${missing} bytes of ${JSON.stringify(name)} are missing.`)
}

function inFile<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (error instanceof SafetensorsError) throw invalidFile(error.message)
    throw error
  }
}
