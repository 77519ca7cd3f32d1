import { readPositionEmbedding } from '../first-layer/embeddings/positions/position-embedding.js'
import { InletError, quoted, shown } from '../first-layer/errors.js'
import { parseSeed, SEED_RANGE } from '../first-layer/random/seed.js'
import { MAX_EPOCH } from '../first-layer/windows/shuffle.js'
import type { EmbeddingOptions } from '../wire/schemas/embedding-request.js'
import type { EmbedOptions } from './api.js'

/** Least and greatest value of each number. */
const RANGES = {
  context_length: [1, 2 ** 31 - 1],
  stride: [1, 2 ** 31 - 1],
  pad_token_id: [0, 2 ** 31 - 1],
  batch_size: [1, 2 ** 31 - 1],
  batch_index: [0, 2 ** 31 - 1],
  epoch: [0, MAX_EPOCH],
  position_offset: [0, 2 ** 31 - 1],
} as const

/** Fields that need another one. */
const NEEDS = [
  ['stride', 'context_length'],
  ['tail', 'context_length'],
  ['batch_index', 'batch_size'],
  ['drop_last', 'batch_size'],
  ['shuffle', 'seed'],
  ['seed', 'shuffle'],
  ['epoch', 'shuffle'],
] as const

/**
 * The options of a request, defaults filled in.
 *
 * @throws InletError `invalid_request` for a value out of its range, or a field without the one that it needs
 */
export function readOptions(options: EmbedOptions): EmbeddingOptions {
  const refuse = (name: keyof EmbedOptions, rule: string): never => {
    throw new InletError('invalid_request', `${quoted(name)} ${rule}. Given: ${shown(options[name])}`, name)
  }
  for (const [name, [least, most]] of Object.entries(RANGES) as [keyof typeof RANGES, [number, number]][]) {
    const value = options[name]
    const isFine = value === undefined || (Number.isInteger(value) && value >= least && value <= most)
    if (!isFine) refuse(name, `must be an integer from ${least} to ${most}`)
  }
  for (const [name, other] of NEEDS) {
    if (options[name] && !options[other] && options[other] !== 0) refuse(name, `needs \`${other}\``)
  }
  const { seed: given, position_embedding: position, tail, dtype = 'float32' } = options
  if (tail !== undefined && !['drop', 'pad'].includes(tail)) refuse('tail', 'must be one of drop, pad')
  if (!['float32', 'float16', 'bfloat16'].includes(dtype)) {
    refuse('dtype', 'must be one of float32, float16, bfloat16')
  }
  const seed = given === undefined ? undefined : parseSeed(typeof given === 'bigint' ? String(given) : given)
  if (given !== undefined && seed === undefined) refuse('seed', `must be an integer ${SEED_RANGE}`)
  return {
    ...{ shuffle: false, epoch: 0, drop_last: false, position_offset: 0 },
    ...{ add_special_tokens: false, encoding_format: 'float' },
    ...options,
    ...{ dtype, seed },
    position_embedding: position === undefined ? undefined : readPositionEmbedding(position),
  } as EmbeddingOptions
}
