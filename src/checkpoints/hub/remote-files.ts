import { createHash } from 'node:crypto'
import { LENGTH_BYTES } from '../../first-layer/tensors/safetensors/header.js'
import type { CheckpointFiles, ReadableFile } from '../checkpoint-files.js'
import { HubError, PassingError } from './errors.js'
import { collected, type Hub, type HubAnswer } from './hub.js'
import type { Revision } from './revision.js'

const strict = new TextDecoder('utf-8', { fatal: true })

/** A small file, fetched whole. */
interface WholeFile {
  readonly bytes: Buffer
  /** The Hub's ETag without quotes: of a large file its SHA-256. */
  readonly etag: string | undefined
}

/** The files of a repository at a commit. Small ones are fetched whole, once; others are read in parts. */
export class RemoteFiles implements CheckpointFiles {
  readonly #whole = new Map<string, Promise<WholeFile>>()
  readonly #open = new Map<string, RemoteFile>()

  constructor(
    private readonly hub: Hub,
    /** The repository's name, `org/model`. */
    readonly source: string,
    private readonly revision: Revision,
  ) {}

  async names(inside?: string): Promise<readonly string[]> {
    const all = [...this.revision.files]
    if (inside === undefined) return [...new Set(all.map((name) => name.split('/')[0]!))]
    return all.flatMap((name) => (name.startsWith(`${inside}/`) ? name.slice(inside.length + 1) : []))
  }

  async text(name: string, most: number): Promise<string | undefined> {
    const file = await this.whole(name, most)
    try {
      return file && strict.decode(file.bytes)
    } catch {
      throw new HubError(`${name} of ${this.source} must be UTF-8.`)
    }
  }

  /** A small file; undefined if the repository has no such file. @throws HubError for one that is too long or not whole */
  async whole(name: string, most: number): Promise<WholeFile | undefined> {
    if (!this.revision.files.has(name)) return undefined
    const found = this.#whole.get(name) ?? this.#fetch(name, most)
    this.#whole.set(name, found)
    return found
  }

  async open(name: string): Promise<RemoteFile> {
    const file = this.#open.get(name) ?? new RemoteFile(this.hub, this.source, this.revision.commit, name)
    this.#open.set(name, file)
    return file
  }

  #fetch(file: string, most: number): Promise<WholeFile> {
    const { hub, source } = this
    const name = `${file} of ${source}`
    const tooLong = new HubError(`${name} must have at most ${most} bytes. It has more.`)
    return hub.retried(async () => {
      const answer = await ask(hub, source, this.revision.commit, file)
      try {
        const stated = answer.linked.get('x-linked-size') ?? answer.headers.get('content-length')
        const bytes = await collected(answer.chunks(), most, tooLong)
        if (stated !== null && bytes.length !== Number(stated))
          throw new PassingError(`${name} broke off at byte ${bytes.length} of ${stated}.`)
        const etag = etagOf(answer)
        if (answer.linked.has('x-linked-etag'))
          checkDigest(createHash('sha256').update(bytes).digest('hex'), etag, name)
        return { bytes, etag }
      } finally {
        await answer.cancel()
      }
    })
  }
}

/** A file of a repository, read in parts by Range. A commit's files never change. */
class RemoteFile implements ReadableFile {
  #size: number | undefined
  #etag: string | undefined
  #first: Promise<Buffer> | undefined

  constructor(
    private readonly hub: Hub,
    private readonly repository: string,
    private readonly commit: string,
    private readonly file: string,
  ) {}

  /** Known with the file's first bytes, those of the header's length, which are kept. */
  async stat(): Promise<{ readonly size: number; readonly etag: string | undefined }> {
    await this.#beginning()
    return { size: this.#size!, etag: this.#etag }
  }

  async read(bytes: Uint8Array, offset: number, length: number, position: number) {
    if (position === 0 && length <= LENGTH_BYTES) {
      bytes.set((await this.#beginning()).subarray(0, length), offset)
      return { bytesRead: length }
    }
    let done = 0
    for await (const chunk of this.part(position, position + length)) {
      bytes.set(chunk, offset + done)
      done += chunk.length
    }
    return { bytesRead: done }
  }

  async close(): Promise<void> {}

  #beginning(): Promise<Buffer> {
    this.#first ??= collected(this.part(0, LENGTH_BYTES), LENGTH_BYTES, new Error())
    return this.#first
  }

  /**
   * The bytes from `start` up to, not including, `end`. Resumes where a connection broke.
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
      if (at + chunk.length > end) throw this.#refuse(`sends more than the bytes ${start} to ${end - 1}`)
      at += chunk.length
      yield chunk
    }
    await chunks?.return()
  }

  async #begin(start: number, end: number): Promise<AsyncGenerator<Uint8Array, void, void>> {
    const range = `bytes=${start}-${end - 1}`
    const answer = await ask(this.hub, this.repository, this.commit, this.file, { range })
    const given = answer.headers.get('content-range')
    const [, sent, size] = /^(bytes \d+-\d+)\/(\d+)$/.exec(given ?? '') ?? []
    if (answer.status === 206 && sent === range.replace('=', ' ')) {
      this.#size = Number(size)
      this.#etag = etagOf(answer)
      return answer.chunks()
    }
    await answer.cancel()
    if (answer.status !== 206) throw this.#refuse('is sent whole: its server must answer byte ranges')
    throw this.#refuse(`must send the bytes ${start} to ${end - 1}. Given: ${given ?? 'nothing'}`)
  }

  get #name(): string {
    return `${this.file} of ${this.repository}`
  }

  #refuse(problem: string): HubError {
    return new HubError(`${this.#name} ${problem}.`)
  }
}

async function ask(
  hub: Hub,
  repository: string,
  commit: string,
  file: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<HubAnswer> {
  const path = `${repository}/resolve/${commit}/${file.split('/').map(encodeURIComponent).join('/')}`
  const answer = await hub.get(path, hub.asked(repository, commit, file), headers)
  const coding = answer.headers.get('content-encoding') ?? 'identity'
  if (/^identity(, *identity)*$/i.test(coding)) return answer
  await answer.cancel()
  throw new HubError(`${file} of ${repository} comes packed as ${coding}.`)
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
