import { Gate } from '../../objects/gate.js'
import { isMissing } from '../disk/folders.js'
import { HeldFile } from '../disk/held-file.js'
import { Recent } from '../reading/recent.js'
import { BLOCK_BYTES, type BlockFiles } from './block-files.js'

/** Blocks that a thread fetches at once: what it holds of them. */
const MOST_FETCHES = 16
/** Blocks whose files a thread has open. */
const OPEN_FILES = 64

/** An object whose bytes never change. */
export interface CachedObject {
  /** {@link blocksName} */
  readonly name: string
  readonly bytes: number
  fetch(position: number, length: number): Promise<Buffer>
}

/** Reads objects by blocks, each of which is fetched once and then kept as a file. */
export class BlockCache {
  readonly #open = new Recent<HeldFile>(OPEN_FILES, (file) => file.rest())
  readonly #fetching = new Map<string, Promise<Buffer>>()
  readonly #gate = new Gate(MOST_FETCHES)

  /** @param failed told of a block that could not be kept: it is read all the same */
  constructor(
    private readonly files: BlockFiles,
    private readonly failed: (error: Error) => void = () => {},
  ) {}

  /** Fills `out` with an object's bytes from `position` on. @throws what `fetch` throws */
  async read(object: CachedObject, position: number, out: Uint8Array): Promise<void> {
    const parts: Promise<void>[] = []
    for (let at = 0; at < out.length; ) {
      const block = Math.floor((position + at) / BLOCK_BYTES)
      const from = (position + at) % BLOCK_BYTES
      const part = out.subarray(at, at + BLOCK_BYTES - from)
      parts.push(this.#readPart(object, block, from, part))
      at += part.length
    }
    if (parts.length === 1) return parts[0]
    const ends = await Promise.allSettled(parts) // `out` is the caller's again only when nobody writes there
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }

  async #readPart(object: CachedObject, block: number, from: number, out: Uint8Array): Promise<void> {
    const path = this.files.path(object.name, block)
    const isKept = this.#fetching.has(path) ? false : await this.#readFile(path, from, out)
    if (isKept) return
    const bytes = await (this.#fetching.get(path) ?? this.#fetch(object, block, path))
    if (bytes.length < from + out.length) throw new Error('A read must end within its object.')
    bytes.copy(out, 0, from, from + out.length)
  }

  /** @returns false where the block is not kept */
  async #readFile(path: string, from: number, out: Uint8Array): Promise<boolean> {
    const known = this.#open.get(path)
    const file = known ?? new HeldFile(path)
    try {
      await file.read(from, out)
    } catch (error) {
      file.rest()
      if (!isMissing(error)) this.failed(error as Error)
      return false
    }
    if (known === undefined) {
      if (this.#open.get(path) === undefined) this.#open.put(path, file)
      else file.rest() // another read has opened it meanwhile
    }
    return true
  }

  /** Fetches a block, which is kept after its readers have it. */
  #fetch(object: CachedObject, block: number, path: string): Promise<Buffer> {
    const position = block * BLOCK_BYTES
    const length = Math.min(BLOCK_BYTES, object.bytes - position)
    const fetched = new Promise<Buffer>((resolve, reject) => {
      const work = async () => {
        const bytes = await object.fetch(position, length)
        resolve(bytes)
        await this.files.keep(path, bytes).catch((error) => this.failed(error))
      }
      void this.#gate
        .run(work)
        .catch(reject)
        .finally(() => this.#fetching.delete(path))
    })
    this.#fetching.set(path, fetched)
    return fetched
  }
}
