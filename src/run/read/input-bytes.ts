import { createHash } from 'node:crypto'
import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import zlib from 'node:zlib'
import type { Packing, Shard } from '../shard.js'
import { type InputFile, openInputFile } from './input-file.js'

/** An input's bytes: hashed as they are read, unpacked as they are passed on. */
export class InputBytes {
  readonly #hash = createHash('sha256')
  /** Bytes read so far, as they are stored. */
  bytes = 0

  private constructor(
    private readonly shard: Shard,
    /** Undefined: standard input. */
    readonly file: InputFile | undefined,
    private readonly told: (bytes: number) => void,
  ) {}

  /** @param told called with the bytes of each read */
  static async open(shard: Shard, told: (bytes: number) => void): Promise<InputBytes> {
    return new InputBytes(shard, shard.path === '-' ? undefined : await openInputFile(shard.path), told)
  }

  /** All bytes, unpacked. Packed or not, no bytes hold nothing. */
  async *chunks(): AsyncGenerator<Uint8Array, void, void> {
    const { packing } = this.shard
    try {
      yield* packing === undefined ? this.#read() : unpacked(this.#read(), packing)
    } catch (error) {
      if (packing === undefined || this.bytes > 0) throw error
    }
  }

  /**
   * The SHA-256 of the input as it is stored, once all chunks were read.
   *
   * @throws Error where the file has changed meanwhile, or goes on behind its packed content
   */
  async finish(): Promise<string> {
    await this.file?.check()
    const rest = (this.file?.bytes ?? this.bytes) - this.bytes
    if (rest !== 0)
      throw new Error(`The file must end with its packed content. Given: ${rest} bytes behind it`)
    return this.#hash.digest('hex')
  }

  async close(): Promise<void> {
    await this.file?.close()
  }

  async *#read(): AsyncGenerator<Uint8Array, void, void> {
    // Standard input is passed on by the first thread (`run-shards.ts`).
    for await (const chunk of this.file?.blocks() ?? process.stdin) {
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

const CHUNK_BYTES = 1 << 18

/** Node's own reader of zstd, which Node 20 does not have. */
const { createZstdDecompress } = zlib as { createZstdDecompress?: (options: object) => Transform }

const UNPACKERS: Readonly<Record<Packing, () => Transform | Promise<Transform>>> = {
  gzip: () => zlib.createGunzip({ chunkSize: CHUNK_BYTES }),
  brotli: () => zlib.createBrotliDecompress({ chunkSize: CHUNK_BYTES }),
  zstd: () => {
    if (createZstdDecompress !== undefined) return createZstdDecompress({ chunkSize: CHUNK_BYTES })
    throw new Error(`zstd needs Node 22.15 or later: this is Node ${process.versions.node}`)
  },
}

/** The content of packed bytes. @throws Error for content that is broken or cut */
async function* unpacked(
  chunks: AsyncIterable<Uint8Array>,
  packing: Packing,
): AsyncGenerator<Uint8Array, void, void> {
  const unpacker = await UNPACKERS[packing]()
  let failure: Error | undefined
  pipeline(chunks, unpacker).catch((error) => {
    failure = error
  })
  try {
    yield* unpacker
  } catch (error) {
    throw new Error(`The content must be ${packing}: ${(failure ?? (error as Error)).message}`, {
      cause: error,
    })
  }
}
