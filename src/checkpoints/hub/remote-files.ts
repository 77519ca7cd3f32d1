import { createHash } from 'node:crypto'
import { LENGTH_BYTES } from '../../first-layer/tensors/safetensors/header.js'
import { type CheckpointFiles, MAX_TEXT_BYTES, type ReadableFile } from '../checkpoint-files.js'
import type { Repository } from '../hub-cache.js'
import { collected, type Hub, type HubAnswer, HubError, PassingError } from './hub.js'

const strict = new TextDecoder('utf-8', { fatal: true })

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
    const tooLong = new HubError(`${name}: the Hub lists too many files.`)
    const text = await hub.retried(async () => {
      const answer = await hub.get({ repository: name, revision })
      return (await collected(answer.chunks(), MAX_TEXT_BYTES, tooLong)).toString()
    })
    const { sha, siblings } = listed(text, hub.endpoint)
    if (typeof sha !== 'string' || !/^[0-9a-f]{7,64}$/.test(sha) || !Array.isArray(siblings))
      throw new HubError(`${hub.endpoint} must say the commit of ${name}. Given: ${JSON.stringify(sha)}`)
    const names = siblings.map((each) => safeName(each?.rfilename, name))
    return new RemoteFiles(hub, name, sha, names)
  }

  async names(inside?: string): Promise<readonly string[]> {
    if (inside === undefined) return [...new Set(this.all.map((name) => name.split('/')[0]))]
    return this.all.flatMap((name) => (name.startsWith(`${inside}/`) ? name.slice(inside.length + 1) : []))
  }

  async text(name: string): Promise<string | undefined> {
    const file = await this.whole(name)
    try {
      return file && strict.decode(file)
    } catch {
      throw new HubError(`${name} of ${this.source} must be UTF-8.`)
    }
  }

  /** A small file; undefined if the repository has no such file. @throws HubError for one that is too long or not whole */
  async whole(name: string): Promise<Buffer | undefined> {
    if (!this.all.includes(name)) return undefined
    const found = this.#whole.get(name) ?? this.#fetch(name)
    this.#whole.set(name, found)
    return found
  }

  async open(name: string): Promise<RemoteFile> {
    const file = this.#open.get(name) ?? new RemoteFile(this.hub, this.source, this.commit, name)
    this.#open.set(name, file)
    return file
  }

  #fetch(file: string): Promise<Buffer> {
    const name = `${file} of ${this.source}`
    const tooLong = new HubError(`${name} must have at most ${MAX_TEXT_BYTES} bytes. It has more.`)
    return this.hub.retried(async () => {
      const answer = await this.hub.get({ repository: this.source, revision: this.commit, file })
      try {
        const stated = answer.linked.get('x-linked-size') ?? answer.headers.get('content-length')
        const bytes = await collected(answer.chunks(), MAX_TEXT_BYTES, tooLong)
        if (stated !== null && bytes.length !== Number(stated))
          throw new PassingError(`${name} broke off at byte ${bytes.length} of ${stated}.`)
        checkDigest(createHash('sha256').update(bytes).digest('hex'), etagOf(answer), name)
        return bytes
      } finally {
        answer.cancel()
      }
    })
  }
}

/** A file of a repository, read in parts by Range. */
class RemoteFile implements ReadableFile {
  readonly #name: string
  #facts: { readonly size: number; readonly etag: string | undefined } | undefined
  #first: Promise<Buffer> | undefined

  constructor(
    private readonly hub: Hub,
    private readonly repository: string,
    private readonly revision: string,
    private readonly file: string,
  ) {
    this.#name = `${file} of ${repository}`
  }

  /** Known with the file's first bytes, those of the header's length, which are kept. */
  async stat(): Promise<{ readonly size: number; readonly etag: string | undefined }> {
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

  async close(): Promise<void> {}

  #beginning(): Promise<Buffer> {
    this.#first ??= collected(this.part(0, LENGTH_BYTES), LENGTH_BYTES, new Error())
    return this.#first
  }

  /**
   * The bytes from `start` up to, not including, `end`. Goes on where a connection broke.
   *
   * @throws HubError if the server sends other bytes than requested
   */
  async *part(start: number, end: number): AsyncGenerator<Uint8Array, void, void> {
    let at = start
    let chunks: AsyncGenerator<Uint8Array, void, void> | undefined
    while (at < end) {
      const chunk = await this.hub.retried(async () => {
        try {
          chunks ??= await this.#begin(at, end)
          const next = await chunks.next()
          if (next.done) throw new PassingError(`${this.#name} broke off at byte ${at} of ${end}.`)
          return next.value
        } catch (error) {
          chunks = undefined
          throw error
        }
      })
      if (at + chunk.length > end)
        throw new HubError(`${this.#name} sends more than the bytes ${start} to ${end - 1}.`)
      at += chunk.length
      yield chunk
    }
    await chunks?.return()
  }

  async #begin(start: number, end: number): Promise<AsyncGenerator<Uint8Array, void, void>> {
    const { repository, revision, file } = this
    const answer = await this.hub.get({ repository, revision, file }, `bytes=${start}-${end - 1}`)
    const given = answer.headers.get('content-range') ?? 'the whole file'
    const [, sent, size] = /^bytes (\d+-\d+)\/(\d+)$/.exec(given) ?? []
    if (answer.status === 206 && sent === `${start}-${end - 1}`) {
      this.#facts = { size: Number(size), etag: etagOf(answer) }
      return answer.chunks()
    }
    answer.cancel()
    throw new HubError(
      `${this.#name}: its server must send the bytes ${start} to ${end - 1}. Given: ${given}.`,
    )
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

/** `W/"abc"` → `abc`. */
function etagOf({ headers, linked }: HubAnswer): string | undefined {
  const etag = linked.get('x-linked-etag') ?? linked.get('etag') ?? headers.get('etag')
  return etag?.replace(/^W\//, '').replace(/^"(.*)"$/, '$1')
}

/** @throws HubError where an ETag is a SHA-256, and not that of the bytes */
export function checkDigest(found: string, etag: string | undefined, name: string): void {
  if (etag === undefined || !/^[0-9a-f]{64}$/.test(etag) || found === etag) return
  throw new HubError(`${name} must have the SHA-256 ${etag}. It has ${found}.`)
}
