import { createHash } from 'node:crypto'
import { constants, openSync } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { Readable, type Transform } from 'node:stream'
import zlib from 'node:zlib'
import { isLocation, LOCATION_RULE, parseLocation } from '../objects/location.js'
import type { Packing } from '../shard.js'

const READ_BYTES = 1 << 19

/** The bytes of an input, wherever they lie. */
export interface InputFile extends AsyncDisposable {
  /** Undefined if it is no file: a pipe. */
  readonly bytes: number | undefined
  blocks(): AsyncIterable<Buffer>
  read(start: number, length: number): Promise<Buffer>
  /** @throws Error if it has changed since it was opened */
  check(): Promise<void>
}

/** Opens a file, an object of a bucket, or standard input (`-`), which has blocks alone. */
export async function openInputFile(path: string): Promise<InputFile> {
  if (path === '-') return { ...NO_FILE, blocks: () => process.stdin }
  if (isLocation(path)) return (await import('../objects/object-file.js')).openObject(path)
  if ((await stat(path)).isFIFO()) {
    const pipe = openFifo(path)
    return { ...NO_FILE, blocks: () => pipe, [Symbol.asyncDispose]: async () => void pipe.destroy() }
  }
  const handle = await open(path)
  const before = await handle.stat()
  return {
    bytes: before.isFile() ? before.size : undefined,
    blocks: () => handle.createReadStream({ start: 0, autoClose: false, highWaterMark: READ_BYTES }),
    async read(start, length) {
      const bytes = Buffer.allocUnsafeSlow(length)
      for (let at = 0; at < length; ) {
        const { bytesRead } = await handle.read(bytes, at, length - at, start + at)
        if (bytesRead === 0) throw new Error('The file has become shorter than it was.')
        at += bytesRead
      }
      return bytes
    },
    async check() {
      const { size, mtimeMs } = await handle.stat()
      if (size !== before.size || mtimeMs !== before.mtimeMs)
        throw new Error('The file has changed while it was read.')
    },
    [Symbol.asyncDispose]: () => handle.close().catch(() => {}),
  }
}

/** Opened without waiting for its writer: nothing could end that wait. */
export function openFifo(path: string): Readable {
  return new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), writable: false })
}

const NO_FILE = {
  bytes: undefined,
  read: () => Promise.reject(new Error('A pipe has no positions.')),
  check: async () => {},
  [Symbol.asyncDispose]: async () => {},
}

/** An input's bytes: hashed as they are read, unpacked as they are passed on. */
export class InputBytes {
  readonly #hash = createHash('sha256')
  bytes = 0

  /** @param file which the caller closes */
  constructor(
    readonly file: InputFile,
    private readonly packing?: Packing,
    private readonly told: (bytes: number) => void = () => {},
  ) {}

  /** All bytes, unpacked. An empty packed file is empty. */
  async *chunks(): AsyncGenerator<Uint8Array, void, void> {
    try {
      yield* this.packing === undefined ? this.#read() : unpacked(this.#read(), this.packing)
    } catch (error) {
      if (this.packing === undefined || this.bytes > 0) throw error
    }
  }

  /**
   * The SHA-256 of the input as stored, once all chunks were read.
   *
   * @throws Error if the file has changed since, or has bytes after its packed content
   */
  async finish(): Promise<string> {
    await this.file.check()
    const rest = (this.file.bytes ?? this.bytes) - this.bytes
    if (rest !== 0)
      throw new Error(`The file must end with its packed content. Given: ${rest} bytes behind it`)
    return this.#hash.digest('hex')
  }

  async *#read(): AsyncGenerator<Uint8Array, void, void> {
    for await (const chunk of this.file.blocks()) {
      this.#hash.update(chunk)
      this.bytes += chunk.length
      this.told(chunk.length)
      yield chunk
    }
  }
}

/** Undefined for what can be read once: standard input, a FIFO. */
export async function hashOfFile(path: string): Promise<string | undefined> {
  if (path === '-' || !(isLocation(path) || (await stat(path)).isFile())) return undefined
  await using file = await openInputFile(path)
  const input = new InputBytes(file)
  for await (const _ of input.chunks());
  return await input.finish()
}

const CHUNK_BYTES = 1 << 18

/** Node's own reader of zstd, which Node 20 does not have. */
const { createZstdDecompress } = zlib as { createZstdDecompress?: (options: object) => Transform }

const UNPACKERS: Readonly<Record<Packing, () => Transform>> = {
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
  const unpacker = UNPACKERS[packing]()
  Readable.from(chunks)
    .on('error', (error) => unpacker.destroy(error))
    .pipe(unpacker)
  try {
    yield* unpacker
  } catch (error) {
    throw new Error(`The content must be ${packing}: ${(error as Error).message}`, { cause: error })
  }
}

export interface FoundInput {
  readonly path: string
  readonly bytes: number
}

/**
 * The files below a folder, at any depth, or the objects below a prefix, in no order. Left out is what has a name, or lies in a
 * folder with a name, that begins with `.` or `_`: marks of other programs, as `_SUCCESS`.
 *
 * @throws Error for a folder that cannot be read; StorageError; the signal's reason
 */
export async function inputsBelow(folder: string, signal: AbortSignal): Promise<FoundInput[]> {
  const found: FoundInput[] = []
  for await (const input of isLocation(folder) ? objectsBelow(folder) : filesBelow(folder)) {
    signal.throwIfAborted()
    const parts = input.path.slice(folder.length).split('/')
    if (!parts.some((part) => part.startsWith('.') || part.startsWith('_'))) found.push(input)
  }
  return found
}

async function* filesBelow(folder: string): AsyncGenerator<FoundInput> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name)
    const file = await stat(path).catch(() => undefined) // it fails as a shard, with its name
    if (file?.isFile() ?? true)
      yield { path: folder + path.slice(join(folder).length), bytes: file?.size ?? 0 }
  }
}

async function* objectsBelow(folder: string): AsyncGenerator<FoundInput> {
  const location = parseLocation(folder)
  if (location === undefined) throw new Error(`must be ${LOCATION_RULE}`)
  const { storeOf } = await import('../objects/s3-store.js') // who names no bucket does without
  const store = storeOf(location)
  const start = `s3://${location.bucket}/`
  for await (const { key, bytes } of store.list(folder.slice(start.length)))
    if (!key.endsWith('/')) yield { path: start + key, bytes }
}
