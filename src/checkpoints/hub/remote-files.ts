import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { LENGTH_BYTES } from '../../first-layer/tensors/safetensors/header.js'
import type { CheckpointFiles, ReadableFile } from '../checkpoint-files.js'
import type { Repository } from '../hub-cache.js'
import { type Asked, etagOf, type Hub, HubError, nameOf, PassingError } from './hub.js'

/** The files of a repository at a commit, which never change. Small ones are fetched whole, once; others are read in parts. */
export class RemoteFiles implements CheckpointFiles {
  readonly #whole = new Map<string, Promise<Buffer>>()
  readonly #open = new Map<string, RemoteFile>()

  private constructor(
    private readonly hub: Hub,
    /** The repository's name, `org/model`. */
    readonly source: string,
    readonly commit: string,
    /** Names of all files, `onnx/model.onnx`. */
    private readonly all: readonly string[],
  ) {}

  /**
   * Resolves a branch, a tag or a commit.
   *
   * @throws HubError for an unknown repository or revision, or one that lists a file outside itself
   */
  static async of(hub: Hub, { name, revision }: Repository): Promise<RemoteFiles> {
    const { endpoint } = hub.settings
    const { bytes } = await hub.whole({ repository: name, revision })
    const { sha, siblings } = listed(bytes.toString(), endpoint)
    if (typeof sha !== 'string' || !/^[0-9a-f]{7,64}$/.test(sha) || !Array.isArray(siblings))
      throw new HubError(`${endpoint} must say the commit of ${name}. Given: ${JSON.stringify(sha)}`)
    const names = siblings.map((each) => safeName(each?.rfilename, name))
    return new RemoteFiles(hub, name, sha, names)
  }

  async names(inside?: string): Promise<readonly string[]> {
    if (inside === undefined) return [...new Set(this.all.map((name) => name.split('/')[0]))]
    return this.all.flatMap((name) => (name.startsWith(`${inside}/`) ? name.slice(inside.length + 1) : []))
  }

  async text(name: string): Promise<string | undefined> {
    const file = await this.whole(name)
    if (file === undefined || isUtf8(file)) return file?.toString()
    throw new HubError(`${name} of ${this.source} must be UTF-8.`)
  }

  /** A small file; undefined if the repository has no such file. @throws HubError for one that is too long or not whole */
  async whole(file: string): Promise<Buffer | undefined> {
    if (!this.all.includes(file)) return undefined
    const found = this.#whole.get(file) ?? this.#fetch(file)
    this.#whole.set(file, found)
    return found
  }

  async #fetch(file: string): Promise<Buffer> {
    const { bytes, etag } = await this.hub.whole({ repository: this.source, revision: this.commit, file })
    checkDigest(createHash('sha256').update(bytes).digest('hex'), etag, `${file} of ${this.source}`)
    return bytes
  }

  async open(name: string): Promise<RemoteFile> {
    const asked = { repository: this.source, revision: this.commit, file: name }
    const file = this.#open.get(name) ?? new RemoteFile(this.hub, asked)
    this.#open.set(name, file)
    return file
  }
}

/** A file of a repository, read in parts by Range. */
class RemoteFile implements ReadableFile {
  #facts: { readonly size: number; readonly etag: string | undefined } | undefined
  #first: Promise<Buffer> | undefined

  constructor(
    private readonly hub: Hub,
    private readonly asked: Asked,
  ) {}

  /** Known with the file's first bytes, those of the header's length, which are kept. */
  async stat() {
    await this.#beginning()
    return this.#facts!
  }

  async read(bytes: Uint8Array, offset: number, length: number, position: number) {
    const isFirst = position === 0 && length <= LENGTH_BYTES
    let done = 0
    for await (const chunk of isFirst ? [await this.#beginning()] : this.part(position, position + length)) {
      bytes.set(chunk.subarray(0, length - done), offset + done)
      done += Math.min(chunk.length, length - done)
    }
    return { bytesRead: done }
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #beginning(): Promise<Buffer> {
    this.#first ??= buffer(this.part(0, LENGTH_BYTES))
    return this.#first
  }

  /**
   * The bytes from `start` up to, not including, `end`. Goes on where a connection broke.
   *
   * @throws HubError if the server sends other bytes than requested
   */
  async *part(start: number, end: number): AsyncGenerator<Uint8Array, void, void> {
    const name = nameOf(this.asked)
    let at = start
    let chunks: AsyncGenerator<Uint8Array, void, void> | undefined
    while (at < end) {
      const chunk = await this.hub.retried(async () => {
        try {
          chunks ??= await this.#begin(at, end)
          const next = await chunks.next()
          if (next.done) throw new PassingError(`${name} broke off at byte ${at} of ${end}.`)
          return next.value
        } catch (error) {
          chunks = undefined
          throw error
        }
      })
      if (at + chunk.length > end)
        throw new HubError(`${name} sends more than the bytes ${start} to ${end - 1}.`)
      at += chunk.length
      yield chunk
    }
    await chunks?.return()
  }

  async #begin(start: number, end: number): Promise<AsyncGenerator<Uint8Array, void, void>> {
    const answer = await this.hub.get(this.asked, `bytes=${start}-${end - 1}`)
    const given = answer.headers.get('content-range') ?? 'the whole file'
    const [, sent, size] = /^bytes (\d+-\d+)\/(\d+)$/.exec(given) ?? []
    if (answer.status === 206 && sent === `${start}-${end - 1}`) {
      this.#facts = { size: Number(size), etag: etagOf(answer) }
      return answer.chunks()
    }
    answer.cancel()
    const rule = `must send the bytes ${start} to ${end - 1}`
    throw new HubError(`${nameOf(this.asked)}: its server ${rule}. Given: ${given}.`)
  }
}

function listed(text: string, endpoint: string): { sha?: unknown; siblings?: unknown } {
  try {
    return Object(JSON.parse(text))
  } catch {
    throw new HubError(`${endpoint} does not answer as a Hub: its answer is no JSON.`)
  }
}

/** A file's name within its repository. @throws HubError for a name that leads out of a folder */
function safeName(name: unknown, repository: string): string {
  const isSafe =
    typeof name === 'string' &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: names must have none of these
    !/[\\\x00-\x1f\x7f]|^[A-Za-z]:/.test(name) &&
    name.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  if (isSafe) return name
  throw new HubError(`${repository} names a file that leads out of its folder: ${JSON.stringify(name)}`)
}

/** @throws HubError where an ETag is a SHA-256, and not that of the bytes */
export function checkDigest(found: string, etag: string | undefined, name: string): void {
  if (etag === undefined || !/^[0-9a-f]{64}$/.test(etag) || found === etag) return
  throw new HubError(`${name} must have the SHA-256 ${etag}. It has ${found}.`)
}
