import { InletError } from '../errors.js'
import { lastAtMost } from '../windows/documents.js'
import { permuted, roundKeys } from './orders.js'
import type { DatasetRecipe } from './recipe-options.js'

/** Windows of a block, which holds each dataset's share exactly. */
export const MIXTURE_BLOCK = 1024
/** The stream whose keys order the windows within a block. */
const BLOCK_STREAM = 0xffffffff

/** Weights of the datasets from a window of the stream on. */
export interface MixtureStage {
  /** A multiple of {@link MIXTURE_BLOCK}; the first stage's is 0. */
  readonly from_window: number
  /** One a dataset, finite and above 0. */
  readonly weights: readonly number[]
}

/**
 * Windows of each dataset in a block, by largest remainders; of equal remainders the dataset that stands first gets the
 * window. [0.7, 0.2, 0.1] → [717, 205, 102].
 */
function blockShares(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const exact = weights.map((weight) => (MIXTURE_BLOCK * weight) / total)
  const counts = exact.map(Math.floor)
  const left = MIXTURE_BLOCK - counts.reduce((sum, count) => sum + count, 0)
  const remainder = (j: number) => exact[j] - counts[j]
  const byRemainder = [...counts.keys()].sort((a, b) => remainder(b) - remainder(a) || a - b)
  for (const j of byRemainder.slice(0, left)) counts[j]++
  return counts
}

/** The part of a stage in the stream. */
export interface StageShares {
  /** The first block of the stage. */
  readonly block: number
  /** Windows of each dataset in a block. */
  readonly shares: readonly number[]
  /** Windows that each dataset has given before the stage: added up once, for each block is looked up by itself. */
  readonly before: readonly number[]
}

/** Each stage's share of each dataset. */
export function stageShares(stages: readonly MixtureStage[]): readonly StageShares[] {
  let last: StageShares | undefined
  return stages.map(({ from_window, weights }) => {
    const shares = blockShares(weights)
    const block = from_window / MIXTURE_BLOCK
    const before = last === undefined ? shares.map(() => 0) : givenBefore(last, block)
    last = { block, shares, before }
    return last
  })
}

/** Windows that each dataset has given before a block of a stage. */
function givenBefore({ block, shares, before }: StageShares, number: number): number[] {
  return before.map((count, j) => count + (number - block) * shares[j])
}

/**
 * An endless stream of windows from several datasets, in blocks. Each dataset continues after its last window of the
 * block before, epoch after epoch; a stage changes only the shares, so no window is lost or repeated.
 */
export class Mixture {
  /** The block that was asked for last: the next place is usually in it. */
  #block: MixedBlock
  /** The keys that were made last for each dataset, and the epoch that they are of. */
  readonly #epochKeys: { readonly epoch: number; readonly keys: Uint32Array }[] = []

  readonly #counts: readonly number[]
  readonly #seed: bigint
  readonly #shuffles: boolean

  /**
   * @param windows of each dataset
   * @param recipe whose `seed` has no effect where `shuffle` is `false`
   * @throws InletError `no_windows` for a dataset that gives none
   */
  constructor(
    private readonly stages: readonly StageShares[],
    windows: readonly { readonly count: number }[],
    { context_length, shuffle, seed = 0n }: Pick<DatasetRecipe, 'context_length' | 'shuffle' | 'seed'>,
  ) {
    this.#counts = windows.map(({ count }) => count)
    const empty = this.#counts.indexOf(0)
    if (empty >= 0) {
      const message = `\`context_length\` ${context_length} must be such that each dataset of the mixture has a window. Given: dataset ${empty}, without one`
      throw new InletError('no_windows', message, 'context_length')
    }
    this.#shuffles = shuffle !== 'false'
    this.#seed = this.#shuffles ? seed : 0n
    this.#block = this.#blockAt(0)
  }

  /** The window at a place of the stream, 0 … 2^42 − 1: of which dataset, in which of its epochs. */
  at(place: number): { readonly dataset: number; readonly epoch: number; readonly window: number } {
    const number = Math.floor(place / MIXTURE_BLOCK)
    if (number !== this.#block.number) this.#block = this.#blockAt(number)
    const { keys, before, shares } = this.#block
    let left = permuted(place % MIXTURE_BLOCK, MIXTURE_BLOCK, keys)
    let dataset = 0
    while (left >= shares[dataset]) left -= shares[dataset++]
    const count = this.#counts[dataset]
    const drawn = before[dataset] + left
    const epoch = Math.floor(drawn / count)
    const k = drawn % count
    const window = this.#shuffles ? permuted(k, count, this.#keysOf(dataset, epoch)) : k
    return { dataset, epoch, window }
  }

  /** Windows of each dataset in a block of each stage: `[[717, 205, 102], [256, 256, 512]]`. */
  get shares(): readonly (readonly number[])[] {
    return this.stages.map(({ shares }) => shares)
  }

  /**
   * The place in the stream after the last window of a dataset's first epoch; windows of its next epoch may precede
   * it, because each block is shuffled. Undefined: that epoch never ends, because the last stage takes no window of
   * the dataset.
   */
  firstEpochEnd(dataset: number): number | undefined {
    let left = this.#counts[dataset] // windows that are still to come
    for (const [s, { block, shares }] of this.stages.entries()) {
      const share = shares[dataset]
      const end = this.stages[s + 1]?.block ?? Number.POSITIVE_INFINITY
      if (share > 0 && left <= (end - block) * share) {
        const blocks = Math.ceil(left / share) // the last of them has the last window
        return this.#lastPlace(block + blocks - 1, dataset, left - (blocks - 1) * share) + 1
      }
      if (share > 0) left -= (end - block) * share
    }
    return undefined
  }

  /** The last place in a block of the first `count` windows that it has of a dataset. */
  #lastPlace(number: number, dataset: number, count: number): number {
    const { keys, shares } = this.#blockAt(number)
    const from = shares.slice(0, dataset).reduce((sum, share) => sum + share, 0)
    let place = MIXTURE_BLOCK - 1
    for (; place > 0; place--) {
      const left = permuted(place, MIXTURE_BLOCK, keys) - from
      if (left >= 0 && left < count) break
    }
    return number * MIXTURE_BLOCK + place
  }

  #blockAt(number: number): MixedBlock {
    const stage = this.stages[lastAtMost(this.stages.length, (s) => this.stages[s].block, number)]
    const keys = roundKeys(this.#seed, number, BLOCK_STREAM)
    return { ...stage, before: givenBefore(stage, number), number, keys }
  }

  #keysOf(dataset: number, epoch: number): Uint32Array {
    const known = this.#epochKeys[dataset]
    if (known?.epoch === epoch) return known.keys
    const keys = roundKeys(this.#seed, epoch, dataset)
    this.#epochKeys[dataset] = { epoch, keys }
    return keys
  }
}

/** A stage's shares, with what each dataset has given before the block. */
interface MixedBlock extends StageShares {
  readonly number: number
  /** Keys of the order within the block. */
  readonly keys: Uint32Array
}
