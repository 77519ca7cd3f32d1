import { z } from 'zod'
import type { Architecture } from './architecture.js'

const plain = { scaled: false, tokenTypes: false, zeroesMasked: false } as const

/** DeBERTa's embedding layer without a position of its own: `position_biased_input` false. */
const debertaRows = { ...plain, layerNormEpsilon: 1e-7, zeroesMasked: true } as const

/** Every architecture. To add one, add its line here and its paragraph to docs/positions.md. */
export const architectures: readonly Architecture[] = [
  { ...plain, name: 'gpt2', positionEmbedding: 'learned_absolute' },
  { ...plain, name: 'transformer', positionEmbedding: 'sinusoidal', scaled: true },
  {
    ...plain,
    name: 'bert',
    positionEmbedding: 'learned_absolute',
    tokenTypes: true,
    layerNormEpsilon: 1e-12,
  },
  { ...plain, name: 'llama', positionEmbedding: 'rope' },
  { ...plain, name: 'gpt_neox', positionEmbedding: 'rope' },
  { ...plain, name: 'gemma', positionEmbedding: 'rope', scaled: true },
  { ...plain, name: 't5', positionEmbedding: 't5' },
  { ...debertaRows, name: 'deberta', positionEmbedding: { type: 'deberta', version: 1 } },
  { ...debertaRows, name: 'deberta_v2', positionEmbedding: { type: 'deberta', version: 2 } },
  { ...plain, name: 'transformer_xl', positionEmbedding: 'transformer_xl', scaled: true },
  { ...plain, name: 'bloom', positionEmbedding: 'alibi', layerNormEpsilon: 1e-5 },
]

export const architectureNames = architectures.map(({ name }) => name)

/** The wire value: one of the names. */
export const architectureSchema = z
  .enum(architectureNames, { error: `must be one of ${architectureNames.join(', ')}` })
  .describe('What is done to the token rows, and the position scheme where none is given.')

/** @throws Error for a name that no architecture has (parsing refuses it before) */
export function namedArchitecture(name: string): Architecture {
  const found = findArchitecture(name)
  if (found === undefined) throw new Error(`no architecture is called ${name}`)
  return found
}

export function findArchitecture(name: string): Architecture | undefined {
  return architectures.find((architecture) => architecture.name === name)
}
