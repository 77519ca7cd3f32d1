import { workerData } from 'node:worker_threads'
import type { Cutting } from '../../first-layer/tokens/training/cutting.js'
import { type CountedPieces, PieceCounter } from '../../first-layer/tokens/training/piece-counter.js'
import { readDocuments } from '../read/read-documents.js'
import type { OpenTokenizer, Recipe } from '../recipe.js'
import { serveShards } from '../threads.js'
import { BYTES } from './byte-tokenizer.js'

export interface CountData {
  readonly cutting: Cutting
  readonly recipe: Pick<Recipe, 'documents' | 'text_column'>
}

export interface CountedInput {
  readonly path: string
  /** As it is stored. */
  readonly bytes: number
  readonly sha256: string
}

/** The pieces of an input's documents, read as `inlet run` does. */
export interface CountedShard {
  readonly input: CountedInput
  readonly pieces: CountedPieces
}

const { cutting, recipe } = workerData as CountData
const made = { tokenizer: BYTES, allowedSpecial: new Set(), idLimit: 0 } as unknown as OpenTokenizer

await serveShards<CountedShard>(() => async (shard, told) => {
  const { path } = shard
  const counter = new PieceCounter(cutting)
  const sink = {
    async write(ids: Int32Array, ends: Int32Array) {
      const utf8 = Uint8Array.from(ids)
      let start = 0
      for (const end of ends) {
        counter.write(utf8.subarray(start, end))
        start = end
      }
      if (start < utf8.length) counter.write(utf8.subarray(start), false)
    },
  }
  try {
    const { bytes, sha256 } = await readDocuments(shard, recipe as Recipe, made, sink, told)
    return { input: { path, bytes, sha256 }, pieces: counter.take() }
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error })
  }
})
