import { z } from 'zod'
import { defineScheme } from './scheme.js'

/**
 * A learned row per position (GPT-2, GPT-3, BERT): `position_embeddings` [T, C] are the rows o … o+T−1 of the model's
 * `wpe.weight` [P, C]. Refuses positions from P on (422 `context_too_long`).
 *
 * Radford et al. 2019; Devlin et al. 2018. The rows are looked up in the served table; nothing is computed here.
 */
export const learnedAbsolute = defineScheme({
  type: 'learned_absolute',
  options: z.strictObject({}),
  picture: [
    'A second table, with a row for each position. Attention cannot see order: these rows say “I am token 5”.',
  ],
  added: 'position_embeddings',
  table: 'wpe.weight',
  tensorDocs: { position_embeddings: ['[T, C]', 'The rows that are added to the token rows.'] },
  check(_options, { length, offset, maxPositionEmbeddings }) {
    if (offset + length <= maxPositionEmbeddings) return undefined
    return {
      code: 'context_too_long',
      message:
        `\`position_offset\` + \`context_length\` must be at most \`max_position_embeddings\` ${maxPositionEmbeddings}. ` +
        `Given: ${offset} + ${length} = ${offset + length}`,
    }
  },
  tensors: (_options, { length, offset, embeddingDim, firstRow = 0 }) => [
    {
      name: 'position_embeddings',
      dtype: 'float32',
      shape: [length, embeddingDim],
      table: { key: 'wpe.weight', firstRow: firstRow + offset },
    },
  ],
})
