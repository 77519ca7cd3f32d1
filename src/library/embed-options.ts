import type { EmbeddingOptions } from '../first-layer/embedding-plan.js'
import { readPositionEmbedding } from '../first-layer/embeddings/positions/position-embedding.js'
import { InletError, quoted, shown } from '../first-layer/errors.js'
import { parseSeed, SEED_RANGE } from '../first-layer/random/seed.js'
import { MAX_EPOCH } from '../first-layer/windows/shuffle.js'
import type { EmbedOptions } from './api.js'

/** Least and greatest value of each number. */
const RANGES = {
  context_length: [1, 2 ** 31 - 1],
  stride: [1, 2 ** 31 - 1],
  max_length: [1, 2 ** 31 - 1],
  pad_token_id: [0, 2 ** 31 - 1],
  batch_size: [1, 2 ** 31 - 1],
  batch_index: [0, 2 ** 31 - 1],
  epoch: [0, MAX_EPOCH],
  position_offset: [0, 2 ** 31 - 1],
} as const

/** Fields that need another one. One that only has no effect, as `seed` without `shuffle`, is accepted. */
const NEEDS = [
  ['stride', 'context_length'],
  ['tail', 'context_length'],
  ['batch_index', 'batch_size'],
  ['drop_last', 'batch_size'],
  ['shuffle', 'seed'],
  ['max_length', 'truncation'],
] as const

/** The values that the other fields can have. */
const CHOICES = {
  tail: ['drop', 'pad'],
  dtype: ['float32', 'float16', 'bfloat16'],
  shuffle: [false, true],
  drop_last: [false, true],
  truncation: [false, true],
  add_special_tokens: [false, true],
} as const

const FIELDS: readonly string[] = [
  ...Object.keys(RANGES),
  ...Object.keys(CHOICES),
  ...['allowed_special', 'architecture', 'outputs', 'position_embedding', 'seed'],
]

/**
 * The options of a request, defaults filled in.
 *
 * @throws InletError `invalid_request` for a value out of its range, or a field without the one that it needs
 */
export function readOptions(options: EmbedOptions): EmbeddingOptions {
  const refuse = (name: keyof EmbedOptions, rule: string): never => {
    throw new InletError('invalid_request', `${quoted(name)} ${rule}. Given: ${shown(options[name])}`, name)
  }
  const unknown = Object.keys(options).find((name) => !FIELDS.includes(name))
  if (unknown !== undefined) {
    const message = `${quoted(unknown)} must be one of the options ${FIELDS.join(', ')}. Given: ${shown(unknown)}`
    throw new InletError('invalid_request', message, unknown)
  }
  for (const [name, [least, most]] of Object.entries(RANGES) as [keyof typeof RANGES, [number, number]][]) {
    const value = options[name]
    const isFine = value === undefined || (Number.isInteger(value) && value >= least && value <= most)
    if (!isFine) refuse(name, `must be an integer from ${least} to ${most}`)
  }
  for (const [name, other] of NEEDS) {
    // `batch_index` 0 needs its size, `drop_last: false` does not.
    const isGiven = options[name] !== undefined && options[name] !== false
    if (isGiven && (options[other] === undefined || options[other] === false))
      refuse(name, `needs \`${other}\``)
  }
  for (const [name, values] of Object.entries(CHOICES) as [keyof typeof CHOICES, readonly unknown[]][]) {
    const value = options[name]
    if (value !== undefined && !values.includes(value)) refuse(name, `must be one of ${values.join(', ')}`)
  }
  const { seed: given, position_embedding: position, dtype = 'float32' } = options
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
