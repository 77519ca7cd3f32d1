import { InletError } from '../errors.js'
import { MAX_PERMUTATION } from '../random/permutation.js'
import type { Steps } from '../steps.js'
import { WindowBatch } from './batch.js'
import { type BatchRule, countBatches, selectPlaces } from './batches.js'
import type { Documents } from './documents.js'
import { shuffledOrder } from './shuffle.js'
import type { Windows } from './windows.js'

/** Which windows, in which order, of PyTorch's `DataLoader`. */
export interface LoaderRule extends BatchRule {
  readonly shuffle: boolean
  readonly seed?: bigint
  readonly epoch: number
}

/** The windows of an epoch in the order of the loader: its batches are cut from them. */
export interface Epoch {
  readonly documents: Documents
  readonly windows: Windows
  /** Place in loader order → window; absent: the windows' own order. */
  readonly order: Int32Array | undefined
}

/**
 * The order in which the loader gives `windows`: place → window; undefined: their own.
 *
 * @throws InletError `no_windows` when there is none, `batch_out_of_range`, `unsupported_combination` for more
 * windows than can be shuffled
 */
export function* loaderOrder(
  windows: Windows,
  documents: Documents,
  rule: LoaderRule,
): Steps<Int32Array | undefined> {
  refuseNone(windows, documents, rule)
  if (!rule.shuffle || rule.seed === undefined) return undefined
  return yield* shuffle(windows.count, rule.seed, rule.epoch)
}

/** The windows of an epoch that the loader would give under `rule`: one batch or all. */
export function selectBatch(
  { documents, windows, order }: Epoch,
  rule: BatchRule,
  padTokenId: number,
): WindowBatch {
  const { from, to } = selectPlaces(windows.count, rule)
  return new WindowBatch(documents, windows, order, from, to, padTokenId)
}

function shuffle(count: number, seed: bigint, epoch: number): Steps<Int32Array> {
  if (count <= MAX_PERMUTATION) return shuffledOrder(count, seed, epoch)
  const message = `\`shuffle\` must have at most ${MAX_PERMUTATION} windows. Given: ${count}`
  throw new InletError('unsupported_combination', message, 'shuffle')
}

function refuseNone(
  windows: Windows,
  documents: Documents,
  { batchSize, batchIndex, dropLast }: BatchRule,
): void {
  const tokens = documents.totalTokens
  if (windows.count === 0) {
    const needed = windows.contextLength + 1
    const longest =
      documents.count === 1 ? `${tokens} tokens` : `${documents.longest} tokens in the longest document`
    throw new InletError(
      'no_windows',
      `\`context_length\` ${windows.contextLength} needs ${needed} tokens for a window and its target: \`tail\` "pad" makes one of fewer, and without \`context_length\` a document is one. Given: ${longest}`,
      'context_length',
    )
  }
  if (batchSize === undefined) return
  const { numBatches } = countBatches(windows.count, batchSize, dropLast)
  if (numBatches === 0) {
    throw new InletError(
      'no_windows',
      `\`batch_size\` ${batchSize} under \`drop_last\` needs ${batchSize} windows of ${windows.contextLength + 1} tokens. ` +
        `Given: ${windows.count} windows of ${tokens} tokens`,
      'batch_size',
    )
  }
  if (batchIndex !== undefined && batchIndex >= numBatches) {
    const message = `\`batch_index\` must be below the number of batches, ${numBatches}. Given: ${batchIndex}`
    throw new InletError('batch_out_of_range', message, 'batch_index')
  }
}
