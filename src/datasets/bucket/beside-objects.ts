import type { ObjectEntry, ObjectStore } from '../../objects/object-store.js'
import { ObjectWriter } from '../../objects/object-writer.js'
import { FREE_BYTES, OWN_FILES } from '../disk/beside-files.js'
import type { BesideFile } from '../storage.js'

/** Bytes of one read. */
const PIECE_BYTES = 1 << 22

/** Objects beside a dataset's card, which can be made anew at any time: what does not fit is not kept. */
export class BesideObjects {
  constructor(private readonly store: ObjectStore) {}

  async open(folder: string, name: string): Promise<BesideFile | undefined> {
    const key = folder + name
    const entry = (await this.#entries(key)).find((each) => each.key === key)
    if (entry === undefined) return undefined
    const { store } = this
    const { bytes: size } = entry
    let at = 0
    return {
      size,
      async read(out) {
        for (let done = 0; done < out.length; ) {
          const length = Math.min(PIECE_BYTES, out.length - done)
          const piece = await store.read(key, at, length, size)
          if (piece === undefined) throw new Error(`${key} has been removed.`)
          out.set(piece, done)
          done += length
          at += length
        }
      },
      close: async () => {},
    }
  }

  /** @param datasetBytes of the dataset's own files: all others together take at most as many, or a small number */
  async write(
    folder: string,
    name: string,
    parts: readonly Uint8Array[],
    datasetBytes: number,
  ): Promise<void> {
    const bytes = parts.reduce((sum, { length }) => sum + length, 0)
    if (!(await this.#makeRoom(folder, bytes, Math.max(FREE_BYTES, datasetBytes)))) return
    const writer = new ObjectWriter(this.store, folder + name)
    try {
      for (const part of parts)
        for (let at = 0; at < part.length; at += PIECE_BYTES)
          await writer.append(part.subarray(at, at + PIECE_BYTES))
      await writer.close()
    } catch (error) {
      await writer.abandon().catch(() => {})
      throw error
    }
  }

  /** Removes others of them, the oldest first. @returns whether there is room */
  async #makeRoom(folder: string, bytes: number, most: number): Promise<boolean> {
    if (bytes > most) return false
    const others = (await this.#entries(folder)).filter(
      ({ key }) => !OWN_FILES.includes(key.slice(folder.length)),
    )
    others.sort((a, b) => a.changed - b.changed)
    let sum = others.reduce((total, entry) => total + entry.bytes, 0)
    for (const { key, bytes: freed } of others) {
      if (sum + bytes <= most) break
      await this.store.remove(key)
      sum -= freed
    }
    return true
  }

  async #entries(prefix: string): Promise<ObjectEntry[]> {
    const entries: ObjectEntry[] = []
    for await (const entry of this.store.list(prefix)) entries.push(entry)
    return entries
  }
}
