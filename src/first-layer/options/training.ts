import { z } from 'zod'

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
      'How text is cut before pairs are merged: gpt2, gpt4, gpt4o, llama3, qwen2, none, or a regular expression as tokenizer.json’s Split takes it. Default: gpt4.',
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
