import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { Shard } from '../shard.js'
import { unpacked } from './unpacked.js'

/** Bytes of one read. */
const READ_BYTES = 1 << 19

/** An input's bytes: hashed as they are read, unpacked as they are passed on. */
export class InputBytes {
  readonly #hash = createHash('sha256')
  /** Bytes read so far, as they are stored. */
  bytes = 0

  private constructor(
    private readonly shard: Shard,
    private readonly handle: FileHandle | undefined,
    private readonly before: Stats | undefined,
    private readonly told: (bytes: number) => void,
  ) {}

  /** @param told called with the bytes of each read */
  static async open(shard: Shard, told: (bytes: number) => void): Promise<InputBytes> {
    if (shard.path === '-') return new InputBytes(shard, undefined, undefined, told)
    const handle = await open(shard.path)
    return new InputBytes(shard, handle, await handle.stat(), told)
  }

  /** All bytes, unpacked. */
  chunks(): AsyncIterable<Uint8Array> {
    const { packing } = this.shard
    return packing === undefined ? this.#read() : unpacked(this.#read(), packing)
  }

  /**
   * The SHA-256 of the input as it is stored, once all chunks were read.
   *
   * @throws Error where the file has changed meanwhile, or goes on behind its packed content
   */
  async finish(): Promise<string> {
    if (this.handle !== undefined) {
      const { size, mtimeMs } = await this.handle.stat()
      if (size !== this.before!.size || mtimeMs !== this.before!.mtimeMs)
        throw new Error('The file has changed while it was read.')
      const rest = size - this.bytes
      if (rest !== 0 && this.before!.isFile())
        throw new Error(`The file must end with its packed content. Given: ${rest} bytes behind it`)
    }
    return this.#hash.digest('hex')
  }

  async close(): Promise<void> {
    await this.handle?.close().catch(() => {})
  }

  async *#read(): AsyncGenerator<Uint8Array, void, void> {
    for await (const chunk of readBlocks(this.handle)) {
      this.#hash.update(chunk)
      this.bytes += chunk.length
      this.told(chunk.length)
      yield chunk
    }
  }
}

/** The SHA-256 of a file, in hexadecimal. */
export async function hashOfFile(path: string, told: (bytes: number) => void): Promise<string> {
  const input = await InputBytes.open({ path, holds: 'text', bytes: 0 }, told)
  try {
    for await (const _ of input.chunks());
    return await input.finish()
  } finally {
    await input.close()
  }
}

/** The blocks of a file; undefined: of standard input, which the first thread passes on (`run-shards.ts`). */
function readBlocks(handle: FileHandle | undefined): AsyncIterable<Buffer> {
  if (handle === undefined) return process.stdin
  return handle.createReadStream({ start: 0, autoClose: false, highWaterMark: READ_BYTES })
}
