import type { PieceCounter } from '../../first-layer/tokens/training/piece-counter.js'
import { readDocuments } from '../read/read-documents.js'
import type { OpenTokenizer, Recipe } from '../recipe.js'
import type { Shard } from '../shard.js'
import { BYTES } from './byte-tokenizer.js'

export interface CountedInput {
  readonly path: string
  /** As it is stored. */
  readonly bytes: number
  readonly sha256: string
}

/**
 * Counts the pieces of an input's documents, read as `inlet run` does.
 *
 * @param pause waited for after each part of the input
 * @throws Error that names the input
 */
export async function countInput(
  shard: Shard,
  recipe: Pick<Recipe, 'documents' | 'textColumn'>,
  counter: PieceCounter,
  read: (bytes: number) => void,
  pause: () => Promise<void> | void = () => {},
): Promise<CountedInput> {
  const made = { tokenizer: BYTES, allowedSpecial: new Set(), idLimit: 0 } as unknown as OpenTokenizer
  const sink = {
    async write(ids: Int32Array, ends: Int32Array) {
      const utf8 = Uint8Array.from(ids)
      let start = 0
      for (const end of ends) {
        counter.write(utf8.subarray(start, end))
        start = end
      }
      if (start < utf8.length) counter.write(utf8.subarray(start), false)
      await pause()
    },
  }
  try {
    const { bytes, sha256 } = await readDocuments(shard, recipe as Recipe, made, sink, read)
    return { path: shard.path, bytes, sha256 }
  } catch (error) {
    throw new Error(`${shard.path}: ${(error as Error).message}`, { cause: error })
  }
}
