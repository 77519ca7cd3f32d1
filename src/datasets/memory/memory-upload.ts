import type { CorpusCard } from '../dataset-card.js'
import type { DatasetFile, UploadPlace } from '../upload-place.js'
import type { UploadedBlocks } from './memory-storage.js'

/** Bytes of a block. */
const BLOCK_BYTES = 1 << 18

/** The keeper's part in an upload to memory. */
export interface MemoryKeeper {
  /** Sets memory aside. @throws InletError `insufficient_storage` */
  holdMemory(bytes: number): Promise<void>
  /** Gives memory back that was set aside, and became no dataset. */
  releaseMemory(bytes: number): Promise<void>
  /** Makes an upload a dataset, with the memory that was set aside for it. */
  putCorpus(
    card: CorpusCard,
    blocks: UploadedBlocks,
    bytes: number,
  ): Promise<{ readonly card: CorpusCard; readonly isNew: boolean }>
}

class GrowingBlocks {
  readonly blocks: SharedArrayBuffer[] = []
  readonly blockBytes = BLOCK_BYTES
  #length = 0

  async append(bytes: Uint8Array, hold: (bytes: number) => Promise<void>): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const from = this.#length % BLOCK_BYTES
      if (from === 0) {
        await hold(BLOCK_BYTES)
        this.blocks.push(new SharedArrayBuffer(BLOCK_BYTES))
      }
      const part = bytes.subarray(at, at + BLOCK_BYTES - from)
      new Uint8Array(this.blocks.at(-1)!).set(part, from)
      this.#length += part.length
      at += part.length
    }
  }
}

/** An upload in memory, which the keeper counts block by block. */
export class MemoryUpload implements UploadPlace {
  readonly #files: Readonly<Record<DatasetFile, GrowingBlocks>> = {
    tokens: new GrowingBlocks(),
    documents: new GrowingBlocks(),
  }
  #held = 0

  constructor(private readonly keeper: MemoryKeeper) {}

  append(file: DatasetFile, bytes: Uint8Array): Promise<void> {
    return this.#files[file].append(bytes, async (more) => {
      await this.keeper.holdMemory(more)
      this.#held += more
    })
  }

  commit(card: CorpusCard): Promise<{ readonly card: CorpusCard; readonly isNew: boolean }> {
    const { tokens, documents } = this.#files
    const held = this.#held
    this.#held = 0
    const plain = ({ blocks, blockBytes }: GrowingBlocks) => ({ blocks, blockBytes })
    return this.keeper.putCorpus(card, { tokens: plain(tokens), documents: plain(documents) }, held)
  }

  async abandon(): Promise<void> {
    const held = this.#held
    this.#held = 0
    if (held > 0) await this.keeper.releaseMemory(held)
  }
}
