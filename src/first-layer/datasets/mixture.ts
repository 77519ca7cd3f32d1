import { permuted, roundKeys } from './keyed-permutation.js'

/** Windows of a block, which holds each dataset's share exactly. */
export const MIXTURE_BLOCK = 1024
/** The stream whose keys order the windows within a block. */
const BLOCK_STREAM = 0xffffffff

/** Weights of the datasets from a window of the stream on. */
export interface MixtureStage {
  /** A multiple of {@link MIXTURE_BLOCK}; the first stage's is 0. */
  readonly fromWindow: number
  /** One a dataset, finite and above 0. */
  readonly weights: readonly number[]
}

/** A window of a mixture: of which dataset, in which of its epochs. */
export interface MixedWindow {
  readonly dataset: number
  readonly epoch: number
  readonly window: number
}

/**
 * Windows of each dataset in a block, by largest remainders; of equal remainders the dataset that stands first gets the
 * window. [0.7, 0.2, 0.1] → [717, 205, 102].
 */
export function blockShares(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const exact = weights.map((weight) => (MIXTURE_BLOCK * weight) / total)
  const counts = exact.map(Math.floor)
  const left = MIXTURE_BLOCK - counts.reduce((sum, count) => sum + count, 0)
  const remainder = (j: number) => exact[j]! - counts[j]!
  const byRemainder = [...counts.keys()].sort((a, b) => remainder(b) - remainder(a) || a - b)
  for (const j of byRemainder.slice(0, left)) counts[j]!++
  return counts
}

/**
 * An endless stream of windows from several datasets, in blocks. Each dataset goes on where the block before left it,
 * epoch after epoch; a stage changes the shares, and neither loses nor repeats a window.
 */
export class Mixture {
  readonly #stages: readonly { readonly block: number; readonly shares: readonly number[] }[]

  /**
   * @param counts windows of each dataset
   * @param seed absent: each dataset's windows come in their own order; a block's order is that of seed 0
   */
  constructor(
    stages: readonly MixtureStage[],
    private readonly counts: readonly number[],
    private readonly seed: bigint,
    private readonly shuffles: boolean,
  ) {
    this.#stages = stages.map(({ fromWindow, weights }) => ({
      block: fromWindow / MIXTURE_BLOCK,
      shares: blockShares(weights),
    }))
  }

  /** The window at a place of the stream. */
  at(place: number): MixedWindow {
    const block = Math.floor(place / MIXTURE_BLOCK)
    const { before, shares } = this.#before(block)
    let left = permuted(place % MIXTURE_BLOCK, MIXTURE_BLOCK, roundKeys(this.seed, block, BLOCK_STREAM))
    let dataset = 0
    while (left >= shares[dataset]!) left -= shares[dataset++]!
    const count = this.counts[dataset]!
    const drawn = before[dataset]! + left
    const epoch = Math.floor(drawn / count)
    const k = drawn % count
    const window = this.shuffles ? permuted(k, count, roundKeys(this.seed, epoch, dataset)) : k
    return { dataset, epoch, window }
  }

  /** Windows that each dataset has given before a block, and its share of this one. */
  #before(block: number): { before: number[]; shares: readonly number[] } {
    const before = this.counts.map(() => 0)
    let shares = this.#stages[0]!.shares
    for (const [s, stage] of this.#stages.entries()) {
      if (stage.block > block) break
      shares = stage.shares
      const end = Math.min(block, this.#stages[s + 1]?.block ?? block)
      for (const [j, share] of shares.entries()) before[j]! += (end - stage.block) * share
    }
    return { before, shares }
  }
}
