import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import zlib from 'node:zlib'
import type { Packing } from '../shard.js'

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
export async function* unpacked(
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
