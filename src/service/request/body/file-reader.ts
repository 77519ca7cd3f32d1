import { createHash } from 'node:crypto'
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

/** Reads a file as its chunks arrive and digests it. Holds one chunk at a time. */
export class FileReader {
  readonly #content = createHash('sha256')
  #rest: Uint8Array = new Uint8Array()

  constructor(
    private readonly chunks: AsyncGenerator<Uint8Array, void, void>,
    private readonly signal: StopSignal,
  ) {}

  /** Fills `target` with the next bytes. @returns how many there were: fewer than asked where the file ends */
  async fill(target: Uint8Array): Promise<number> {
    for (let filled = 0; ; ) {
      const piece = this.#rest.subarray(0, target.length - filled)
      target.set(piece, filled)
      this.#rest = this.#rest.subarray(piece.length)
      filled += piece.length
      if (filled === target.length) return filled
      await turn(this.signal)
      const { done, value: chunk } = await this.chunks.next()
      if (done) return filled
      this.#content.update(chunk)
      this.#rest = chunk
    }
  }

  async isAtEnd(): Promise<boolean> {
    return (await this.fill(new Uint8Array(1))) === 0
  }

  /** The SHA-256 of all that was read, in hex. Nothing can be read afterwards. */
  digest(): string {
    return this.#content.digest('hex')
  }

  async close(): Promise<void> {
    await this.chunks.return()
  }
}

/** The most bytes of an upload's header: it is parsed in one turn. That of a model's file has some hundred. */
export const MAX_FILE_HEADER_BYTES = 1 << 16

/**
 * Reads the header of an uploaded file.
 * @throws InletError `invalid_request` that names the header's fault
 */
export async function readHeader(file: FileReader, claim: Claim): Promise<SafetensorsHeader> {
  const first = new Uint8Array(LENGTH_BYTES)
  const came = await file.fill(first)
  try {
    const length = headerLength(first.subarray(0, came))
    if (length > MAX_FILE_HEADER_BYTES)
      throw invalidFile(`The header must be at most ${MAX_FILE_HEADER_BYTES} bytes. Given: ${length}`)
    await claim.take(length)
    const json = Buffer.allocUnsafeSlow(length)
    const missing = length - (await file.fill(json))
    if (missing > 0) throw invalidFile(`The last ${missing} bytes of the header are missing.`)
    await turn(claim) // a header of 64 KiB may take the whole turn
    const header = parseHeader(json)
    claim.give(length)
    return header
  } catch (error) {
    throw error instanceof SafetensorsError ? invalidFile(error.message) : error
  }
}

export function invalidFile(reason: string): InletError {
  return new InletError('invalid_request', `The body must be a safetensors file. ${reason}`)
}
