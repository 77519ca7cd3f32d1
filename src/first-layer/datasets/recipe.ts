import { createHash } from 'node:crypto'
import { counted, InletError } from '../errors.js'
import { MAX_PERMUTATION } from '../random/permutation.js'
import { countBatches } from '../windows/batch.js'
import { permuted, roundKeys, type TorchPermutation } from './orders.js'
import { canPad, type DatasetRecipe } from './recipe-options.js'

/**
 * The permutation that an epoch's order needs; undefined where the order is known by arithmetic.
 *
 * @throws InletError `unsupported_combination` for more windows than PyTorch's shuffle takes
 */
export function permutationOf(
  count: number,
  { shuffle, seed = 0n, sharding, epoch }: DatasetRecipe,
): TorchPermutation | undefined {
  if (shuffle !== 'true') return undefined
  if (count > MAX_PERMUTATION) {
    const message = `\`shuffle\` must have at most ${MAX_PERMUTATION} windows, or be index. Given: ${count}`
    throw new InletError('unsupported_combination', message, 'shuffle')
  }
  return { law: sharding === 'distributed_sampler' ? 'sampler' : 'loader', count, seed, epoch }
}

/** The windows at the places of an epoch, or of a mixture's stream, and how many batches they make. */
export interface WindowStream {
  readonly length: number
  readonly numBatches: number
  at(place: number): { readonly dataset: number; readonly window: number }
}

/**
 * The windows of an epoch: those of all ranks, or under `distributed_sampler` those of one, which takes every
 * `world_size`-th window of an order that is filled up from its beginning, or cut under `drop_last`, to the same number
 * for each rank (torch/utils/data/distributed.py).
 *
 * @param drawn what {@link permutationOf} names
 * @throws InletError `no_windows`
 */
export function epochStream(count: number, recipe: DatasetRecipe, drawn?: Int32Array): WindowStream {
  const { shuffle, seed = 0n, epoch, sharding, rank, world_size, drop_last } = recipe
  const numBatches = batchesOf(count, recipe)
  const keys = shuffle === 'index' ? roundKeys(seed, epoch, 0) : undefined
  const windowAt = (place: number) =>
    drawn !== undefined ? drawn[place] : keys !== undefined ? permuted(place, count, keys) : place
  if (sharding !== 'distributed_sampler')
    return { length: count, numBatches, at: (place) => ({ dataset: 0, window: windowAt(place) }) }
  const length = drop_last ? Math.floor(count / world_size) : Math.ceil(count / world_size)
  const at = (place: number) => ({ dataset: 0, window: windowAt((rank + place * world_size) % count) })
  return { length, numBatches, at }
}

/**
 * Batches of an epoch: of each rank, which are the same for all.
 *
 * @throws InletError `no_windows` where there is none: a loop over them would be empty without a word
 */
export function batchesOf(count: number, recipe: DatasetRecipe): number {
  const { sharding, world_size, drop_last, batch_size, packing, context_length: T } = recipe
  if (count === 0) {
    const rule =
      packing === 'best_fit'
        ? 'leaves no piece with a target: `long_documents` drop takes documents of at most as many tokens, and a piece without a trained one is in no window'
        : `needs ${T + 1} tokens of a document for a window and its target: \`packing\` best_fit or \`tail\` pad makes one of fewer, \`packing\` concat joins documents`
    throw new InletError('no_windows', `\`context_length\` ${T} ${rule}. Given: no window`, 'context_length')
  }
  const ranks = sharding === 'distributed_sampler' ? world_size : 1
  const perRank = drop_last ? Math.floor(count / ranks) : Math.ceil(count / ranks)
  const { numBatches } = countBatches(perRank, batch_size, drop_last)
  if (numBatches > 0) return numBatches
  const needed = `\`batch_size\` ${batch_size} under \`drop_last\` needs ${counted(batch_size * ranks, 'window')}`
  throw new InletError('no_windows', `${needed}. Given: ${counted(count, 'window')}`, 'batch_size')
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** 26 letters of base32 (RFC 4648, lower case), 130 bits of a SHA-256: the ids of datasets and recipes. */
export function contentId(digest: Uint8Array): string {
  const bits = BigInt(`0x${Buffer.from(digest.subarray(0, 17)).toString('hex')}`) >> 6n // 136 − 130
  return bits
    .toString(32)
    .padStart(26, '0')
    .replace(/./g, (digit) => BASE32[Number.parseInt(digit, 32)])
}

/** The same of plain values. */
export function idOf(content: unknown): string {
  const text = JSON.stringify(content, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  return contentId(createHash('sha256').update(text).digest())
}

/**
 * The id of all that decides order and content, whatever the epoch, the rank and the batch: two runs whose recipes have
 * the same id read the same windows.
 */
export function recipeId(dataset: string, recipe: DatasetRecipe): string {
  const { context_length, packing, shuffle, sharding } = recipe
  return idOf([
    dataset,
    context_length,
    recipe.stride ?? context_length,
    packing === 'best_fit' ? 'pad' : (recipe.tail ?? 'drop'),
    canPad(recipe) ? recipe.pad_token_id : null,
    packing,
    packing === 'best_fit' ? recipe.long_documents : null,
    recipe.batch_size,
    shuffle,
    shuffle === 'false' ? null : String(BigInt.asUintN(64, recipe.seed ?? 0n)),
    sharding,
    sharding === 'distributed_sampler' ? recipe.world_size : null,
    recipe.drop_last,
  ])
}
