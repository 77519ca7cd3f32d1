import type { TokenSource } from '../../first-layer/datasets/corpus.js'
import { ID_DTYPES } from '../../first-layer/datasets/id-dtypes.js'
import type { CorpusCard } from '../dataset-card.js'
import { copyOut } from '../memory/memory-storage.js'
import type { SharedBlocks } from '../memory/shared-blocks.js'

/** A corpus's ids in memory. */
export class MemoryTokens implements TokenSource {
  constructor(
    private readonly blocks: SharedBlocks,
    private readonly card: CorpusCard,
  ) {}

  read(place: number, out: Int32Array): undefined {
    const { dtype } = this.card
    const width = ID_DTYPES[dtype].bytes
    const raw = new Uint8Array(out.length * width)
    copyOut(this.blocks, place * width, raw)
    ID_DTYPES[dtype].read(raw, out)
  }

  async readBytes(position: number, out: Uint8Array): Promise<void> {
    copyOut(this.blocks, position, out)
  }

  hold(): () => void {
    return () => {}
  }

  rest(): void {}
}
