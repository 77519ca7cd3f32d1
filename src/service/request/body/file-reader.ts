import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import {
  headerLength,
  LENGTH_BYTES,
  parseHeader,
  SafetensorsError,
  type SafetensorsHeader,
} from '../../../first-layer/tensors/safetensors/header.js'
import { InletError } from '../../answer/error-table.js'
import type { Claim, StopSignal } from '../../process/turn.js'
import { turn } from '../../process/turn.js'
import { contentCoding } from './read-body.js'

/** Reads a file as its chunks arrive and digests it. Holds one chunk at a time. */
export class FileReader {
  readonly #content = createHash('sha256')
  #chunk: Uint8Array = new Uint8Array()

  constructor(
    private readonly chunks: AsyncGenerator<Uint8Array, void, void>,
    private readonly signal: StopSignal,
  ) {}

  /** Fills `target` with the next bytes. @returns how many there were: fewer than asked where the file ends */
  async fill(target: Uint8Array): Promise<number> {
    let filled = this.#give(target)
    while (filled < target.length) {
      await turn(this.signal)
      const { done, value: chunk } = await this.chunks.next()
      if (done) break
      this.#content.update(chunk)
      this.#chunk = chunk
      filled += this.#give(target.subarray(filled))
    }
    return filled
  }

  async isAtEnd(): Promise<boolean> {
    const more = new Uint8Array(1)
    return (await this.fill(more)) === 0
  }

  /** The SHA-256 of all that was read, in hex. Nothing can be read afterwards. */
  digest(): string {
    return this.#content.digest('hex')
  }

  async close(): Promise<void> {
    await this.chunks.return()
  }

  /** Adds bytes that have arrived. @returns how many */
  #give(target: Uint8Array): number {
    const piece = this.#chunk.subarray(0, target.length)
    target.set(piece)
    this.#chunk = this.#chunk.subarray(piece.length)
    return piece.length
  }
}

/** The most bytes of an upload's header: it is parsed in one turn. That of a model's file has some hundred. */
export const MAX_FILE_HEADER_BYTES = 1 << 16
/** Room for a header is taken as it comes, so many bytes at a time. */
const PART_BYTES = 1 << 12

export interface FileHead {
  readonly header: SafetensorsHeader
  readonly bytes: number
  readonly raw: Uint8Array
}

/**
 * Reads the header of an uploaded file.
 * @throws InletError `invalid_request` that names the header's fault
 */
export async function readHead(file: FileReader, claim: Claim): Promise<FileHead> {
  const first = new Uint8Array(LENGTH_BYTES)
  const came = await file.fill(first)
  const length = inFile(() => headerLength(first.subarray(0, came)))
  if (length > MAX_FILE_HEADER_BYTES) {
    throw invalidFile(`The header must be at most ${MAX_FILE_HEADER_BYTES} bytes. Given: ${length}`)
  }
  const json = Buffer.allocUnsafeSlow(length)
  let filled = 0
  for (let start = 0; start < length; start += PART_BYTES) {
    await claim.take(PART_BYTES)
    filled += await file.fill(json.subarray(start, start + PART_BYTES))
  }
  const missing = length - filled
  if (missing > 0) throw invalidFile(`The last ${missing} bytes of the header are missing.`)
  await turn(claim) // a header of 64 KiB may take the whole turn
  const header = inFile(() => parseHeader(json))
  claim.give(Math.ceil(length / PART_BYTES) * PART_BYTES)
  return { header, bytes: LENGTH_BYTES + length, raw: Buffer.concat([first, json]) }
}

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
