import { z } from 'zod'
import { invalidField } from '../../errors.js'
import { PATTERNS } from './cutting.js'

const integer = (min: number, of: string) => z.int(`must be an integer of at least ${min}${of}`).min(min)

/** What `inlet train-tokenizer` and `trainTokenizer` take, under the same names. */
export const trainingOptions = z.strictObject({
  vocab_size: integer(256, ': special tokens, the 256 bytes and the merges').describe(
    'Tokens in all: special ones, the 256 bytes, and the merges.',
  ),
  pattern: z
    .string('must be a string')
    .default('gpt4')
    .describe(
      `How text is cut before pairs are merged: ${Object.keys(PATTERNS).join(', ')}, or a regular expression as tokenizer.json’s Split takes it. Default: gpt4.`,
    ),
  special_tokens: z
    .array(z.string('must be a string'), 'must be an array of strings')
    .default(['<|endoftext|>'])
    .describe('In this order. Their literals in the text are text. Default: <|endoftext|>.'),
  min_frequency: integer(0, '')
    .default(0)
    .describe('A pair that comes less often is not merged. Default: 0.'),
  max_token_length: integer(0, '')
    .optional()
    .describe(
      'Merges have fewer bytes than this, but two bytes always, as in Hugging Face’s trainer. Default: none.',
    ),
  like: z
    .enum(['huggingface', 'rustbpe'], 'must be huggingface or rustbpe')
    .default('huggingface')
    .describe(
      'Whose ids: with rustbpe those of bytes are 0 to 255, then come merges, then special tokens. Default: huggingface.',
    ),
})

export type TrainingOptions = z.output<typeof trainingOptions>

/** @throws InletError `invalid_request` that names the option, the rule and the value */
export function readTrainingOptions(given: unknown): TrainingOptions {
  const result = trainingOptions.safeParse(given)
  if (result.success) return result.data
  const { path, code, message, ...issue } = result.error.issues[0]
  if (code === 'unrecognized_keys') {
    const name = (issue as { readonly keys: readonly string[] }).keys[0]
    throw invalidField(name, `is unknown: options are ${Object.keys(trainingOptions.shape).join(', ')}`, name)
  }
  const value = path.reduce<unknown>((part, key) => (part as Record<PropertyKey, unknown>)?.[key], given)
  if (path.length === 0) throw invalidField('options', 'must be an object with `vocab_size`', given)
  throw invalidField(path.join('.'), message, value)
}
