import { z } from 'zod'
import { invalidField } from '../errors.js'
import { embeddingOptions } from '../options/embedding.js'
import { MAX_EPOCH } from '../random/permutation.js'

/** The largest epoch of an order that PyTorch does not draw. */
export const MAX_INDEX_EPOCH = 2 ** 31 - 1
/** Slots of one answer, and so of a window: as many int32 as one block of memory holds. */
export const MAX_SLOTS = 2 ** 30
/** Most batches of one answer. */
const MAX_NUM_BATCHES = 1024

/** The fields of a dataset's recipe and of a batch, by their wire names. */
export const recipeOptions = {
  context_length: z.int().min(1).max(MAX_SLOTS).describe('T, tokens in a window.'),
  stride: embeddingOptions.stride,
  tail: embeddingOptions.tail,
  pad_token_id: embeddingOptions.pad_token_id,
  packing: z
    .enum(['none', 'concat', 'best_fit'])
    .default('none')
    .describe(
      '`none`: windows of each document. `concat`: documents one after the other, windows cut across them. `best_fit`: ' +
        'whole pieces of T, the rests packed best fit, right-padded.',
    ),
  long_documents: z
    .enum(['split', 'truncate', 'drop'])
    .default('split')
    .describe(
      'Under `best_fit`: documents longer than T give all their pieces, their first T tokens alone, or none.',
    ),
  batch_size: z
    .int()
    .min(1)
    .describe('Windows in a batch: of all ranks; under `distributed_sampler` of each.'),
  drop_last: embeddingOptions.drop_last.describe(
    'Leave out a last, short batch; under `distributed_sampler` it is the sampler’s `drop_last` too.',
  ),
  shuffle: z
    .enum(['false', 'true', 'index'])
    .default('false')
    .describe(
      '`true`: order of PyTorch’s DataLoader(shuffle=True). `index`: a keyed bijection, for any number of windows. Both ' +
        'need `seed`.',
    ),
  sharding: z
    .enum(['global_batch', 'distributed_sampler'])
    .default('global_batch')
    .describe(
      '`global_batch`: each rank gets its part of every batch. `distributed_sampler`: PyTorch’s law.',
    ),
  rank: z.int().min(0).default(0).describe('Which of the ranks asks, from 0.'),
  world_size: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .default(1)
    .describe('Number of ranks.'),
  epoch: z.int().min(0).max(MAX_INDEX_EPOCH).default(0).describe('Which pass over the dataset, from 0.'),
  seed: embeddingOptions.seed.describe('Of `shuffle`, −2^63 … 2^64 − 1.'),
  num_batches: z
    .int()
    .min(1)
    .max(MAX_NUM_BATCHES)
    .default(1)
    .describe('Batches in one answer, side by side.'),
} as const

export const recipeSchema = z.strictObject(recipeOptions)

/** All that decides the tokens of a batch but its number, defaults filled in. */
export type DatasetRecipe = Readonly<z.output<typeof recipeSchema>>

/** The fields that its windows depend on. */
export type PackingRule = Pick<
  DatasetRecipe,
  'context_length' | 'stride' | 'tail' | 'packing' | 'long_documents'
>

/** Whether windows of this recipe may hold fewer than T tokens. */
export function canPad({ packing, tail }: Pick<DatasetRecipe, 'packing' | 'tail'>): boolean {
  return packing === 'best_fit' || tail === 'pad'
}

/**
 * Checks that the fields of a recipe agree.
 *
 * @param padTokenId of the dataset's encoding; absent: a recipe that can pad must name its own
 * @returns the recipe, with the token that it pads with
 * @throws InletError `invalid_request` that names the field, its rule and the value given
 */
export function checkRecipe(options: DatasetRecipe, padTokenId?: number): DatasetRecipe {
  const refuse = (field: keyof DatasetRecipe, rule: string): never => {
    throw invalidField(field, rule, options[field])
  }
  const { context_length, stride, tail, packing, batch_size, shuffle, seed, epoch } = options
  const { sharding, rank, world_size } = options

  if (shuffle !== 'false' && seed === undefined) refuse('seed', `is needed where \`shuffle\` is ${shuffle}`)
  if (shuffle === 'true' && epoch > MAX_EPOCH)
    refuse('epoch', `must be at most ${MAX_EPOCH} where \`shuffle\` is true`)
  if (packing === 'best_fit' && stride !== undefined && stride !== context_length)
    refuse('stride', `must be \`context_length\`, ${context_length}, under \`packing\` best_fit`)
  if (rank >= world_size) refuse('rank', `must be below \`world_size\`, ${world_size}`)
  if (sharding === 'global_batch' && batch_size % world_size !== 0) {
    refuse(
      'batch_size',
      `must be divisible by \`world_size\`, ${world_size}: it counts the windows of all ranks`,
    )
  }
  if (sharding === 'distributed_sampler' && shuffle === 'index')
    refuse('shuffle', 'must be true or false under `sharding` distributed_sampler')
  const pad = options.pad_token_id ?? padTokenId
  if (pad === undefined && canPad({ packing, tail }))
    refuse('pad_token_id', 'is needed: windows of this recipe can be padded, and the dataset has no encoding')
  return { ...options, pad_token_id: pad }
}
