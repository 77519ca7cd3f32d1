import type { CorpusCard, DatasetCard, MixtureCard } from '../dataset-card.js'
import type { BesideFile, Storage, StoredCorpus } from '../storage.js'
import type { SharedBlocks } from './shared-blocks.js'

/** An upload's two files in memory. */
export interface UploadedBlocks {
  readonly tokens: SharedBlocks
  readonly documents: SharedBlocks
}

interface Held {
  readonly card: DatasetCard
  readonly blocks?: UploadedBlocks
  readonly bytes: number
}

/** Datasets in memory that all threads share: they end with the process. */
export class MemoryStorage implements Storage {
  readonly stored = 'memory'
  readonly #held = new Map<string, Held>()

  /** @param gone called with the bytes of a dataset that has been removed */
  constructor(private readonly gone: (bytes: number) => void) {}

  async card(id: string): Promise<DatasetCard | undefined> {
    return this.#held.get(id)?.card
  }

  async cards(): Promise<readonly DatasetCard[]> {
    return [...this.#held.values()].map(({ card }) => card)
  }

  async corpus(id: string): Promise<StoredCorpus | undefined> {
    const blocks = this.#held.get(id)?.blocks
    if (blocks === undefined) return undefined
    return {
      tokens: blocks.tokens,
      async readStarts(out, first) {
        const bytes = new Uint8Array(out.buffer, out.byteOffset, out.byteLength)
        copyOut(blocks.documents, 8 * first, bytes)
      },
    }
  }

  /** @returns false where it was there already */
  put(card: CorpusCard, blocks: UploadedBlocks, bytes: number): boolean {
    return this.#put({ card, blocks, bytes })
  }

  async putMixture(card: MixtureCard): Promise<boolean> {
    return this.#put({ card, bytes: 0 })
  }

  async remove(id: string): Promise<boolean> {
    const held = this.#held.get(id)
    if (held === undefined) return false
    this.#held.delete(id)
    this.gone(held.bytes)
    return true
  }

  async openBeside(): Promise<BesideFile | undefined> {
    return undefined
  }

  async writeBeside(): Promise<void> {}

  #put(held: Held): boolean {
    if (this.#held.has(held.card.id)) return false
    this.#held.set(held.card.id, held)
    return true
  }
}

/** Copies bytes out of blocks, from `position` on. */
export function copyOut({ blocks, blockBytes }: SharedBlocks, position: number, out: Uint8Array): void {
  for (let at = 0; at < out.length; ) {
    const from = (position + at) % blockBytes
    const block = new Uint8Array(blocks[Math.floor((position + at) / blockBytes)]!)
    const part = block.subarray(from, from + out.length - at)
    out.set(part, at)
    at += part.length
  }
}
