import { readFileSync } from 'node:fs'
import { planBatch } from '../../../src/first-layer/datasets/batch.js'
import {
  type DatasetRecipe,
  type PackingRule,
  recipeSchema,
} from '../../../src/first-layer/datasets/recipe-options.js'
import type {
  SegmentedWindows,
  Corpus as TokenCorpus,
  TokenSource,
} from '../../../src/first-layer/datasets/segments.js'
import { segmentedWindows, windowIndex } from '../../../src/first-layer/datasets/window-index.js'
import { type DocumentBounds, StoredBounds } from '../../../src/first-layer/windows/documents.js'

interface GoldenRecipe {
  readonly context_length: number
  readonly stride?: number
  readonly tail?: 'drop' | 'pad'
  readonly packing?: 'none' | 'concat' | 'best_fit'
  readonly long_documents?: 'split' | 'truncate'
  readonly batch_size: number
  readonly drop_last?: boolean
  readonly shuffle?: 'false' | 'true' | 'index'
  readonly seed?: number
  readonly sharding?: 'global_batch' | 'distributed_sampler'
}

interface GoldenBatch {
  readonly batch: number
  readonly epoch?: number
  readonly rank?: number
  readonly world_size?: number
  readonly num_rows: number
  readonly windows_first: readonly number[]
  readonly input_ids_first: readonly number[]
  readonly [sha256: `${string}_sha256`]: string
}

interface Goldens {
  readonly datasets: Readonly<Record<string, { readonly lengths: readonly number[]; readonly salt: number }>>
  readonly cases: readonly {
    readonly id: string
    readonly dataset: string
    readonly recipe: GoldenRecipe
    readonly num_windows: number
    readonly slots_filled: number
    readonly expect: readonly GoldenBatch[]
  }[]
  readonly mixture: {
    readonly members: readonly string[]
    readonly recipe: GoldenRecipe
    readonly stages: readonly [number, readonly number[]][]
    readonly num_windows: readonly number[]
    readonly expect: readonly {
      readonly batch: number
      readonly dataset_index_sha256: string
      readonly input_ids_sha256: string
      readonly first: readonly [number, number, number][]
    }[]
  }
  readonly permutations: readonly {
    readonly n: number
    readonly seed: string
    readonly epoch: number
    readonly first: readonly number[]
    readonly sha256: string
  }[]
}

/** Seeds beyond 2^53 become strings, so that none is rounded. */
const exact = (json: string) => json.replace(/"seed": ?(\d+)/g, '"seed":"$1"')

/** Batches that `datasets/reference.py` computed, with PyTorch's orders. */
export const GOLDENS: Goldens = JSON.parse(
  exact(readFileSync(new URL('../../goldens/datasets.json', import.meta.url), 'utf8')),
)

/** The pad token of the goldens: GPT-2's end of text. */
export const PAD = 50256

export interface Corpus {
  readonly documents: StoredBounds
  readonly source: TokenSource
}

/** The documents of a dataset, with ids by the goldens' rule. */
export function documentsOf(name: string): number[][] {
  const { lengths, salt } = GOLDENS.datasets[name]!
  return lengths.map((length, d) =>
    Array.from({ length }, (_, t) => (d * 7919 + t * 104_729 + ((t * t) % 911) + salt) % 50_257),
  )
}

export function corpusOf(name: string): Corpus {
  return corpusFrom(documentsOf(name))
}

/** Documents in memory. */
export function corpusFrom(documents: readonly (readonly number[])[]): Corpus {
  const starts = new Float64Array(documents.length + 1)
  for (const [d, { length }] of documents.entries()) starts[d + 1] = starts[d]! + length
  const ids = documents.flat()
  return {
    documents: new StoredBounds(starts),
    source: {
      read(place, out) {
        out.set(ids.slice(place, place + out.length))
        return undefined
      },
    },
  }
}

/** What a recipe has where nothing is given. */
export const DEFAULTS: DatasetRecipe = recipeSchema.parse({ context_length: 8, batch_size: 4 })

export function recipeOf(golden: GoldenRecipe): DatasetRecipe {
  const seed = golden.seed === undefined ? undefined : BigInt(golden.seed)
  return { ...DEFAULTS, ...golden, pad_token_id: PAD, seed }
}

/** The windows of documents under a packing. */
export function windowsOf(documents: DocumentBounds, given: Partial<PackingRule>) {
  const rule = { ...DEFAULTS, ...given }
  return segmentedWindows(documents, rule, windowIndex(documents, rule))
}

/** A batch of the windows that are named. */
export function windowsBatch(
  corpus: TokenCorpus,
  windows: Pick<SegmentedWindows, 'segments'>,
  recipe: DatasetRecipe,
  chosen: readonly number[],
) {
  const count = chosen.length
  const stream = {
    ...{ length: count, numBatches: 1 },
    at: (place: number) => ({ dataset: 0, window: chosen[place]! }),
  }
  const member = { ...corpus, windows: { count, segments: windows.segments } }
  return planBatch([member], stream, { ...recipe, batch_size: Math.max(1, count) }, 0)
}
