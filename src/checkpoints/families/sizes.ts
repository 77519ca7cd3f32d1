import type { FamilyDefaults } from './family.js'

/**
 * The defaults of a family's configuration class in transformers 5.23: width and heads of a block, and the longest sequence
 * (0: none).
 */
export function sizes(
  hidden: number,
  heads: number,
  positions: number,
  more: FamilyDefaults = {},
): FamilyDefaults {
  return {
    ...{ hidden_size: hidden, num_attention_heads: heads },
    ...(positions > 0 && { max_position_embeddings: positions }),
    ...more,
  }
}
export const pad = (id: number) => ({ pad_token_id: id })
