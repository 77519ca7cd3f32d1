import type { Architecture } from './architecture.js'

const plain = ['positions'] as const
const scaled = ['scale', 'positions'] as const

/** DeBERTa's embedding layer, which adds no positions: `position_biased_input` false. */
const deberta = { steps: ['positions', 'norm', 'mask'], layerNormEpsilon: 1e-7 } as const

/** Every architecture. To add one, add its line here and its paragraph to docs/positions.md. */
export const architectures: readonly Architecture[] = [
  { name: 'gpt2', steps: plain, positionEmbedding: 'learned_absolute' },
  { name: 'transformer', steps: scaled, positionEmbedding: 'sinusoidal' },
  {
    name: 'bert',
    steps: ['types', 'positions', 'norm'],
    positionEmbedding: 'learned_absolute',
    layerNormEpsilon: 1e-12,
  },
  { name: 'llama', steps: plain, positionEmbedding: 'rope' },
  { name: 'gpt_neox', steps: plain, positionEmbedding: 'rope' },
  { name: 'gemma', steps: scaled, positionEmbedding: 'rope', scalesInputsEmbeds: true },
  { name: 't5', steps: plain, positionEmbedding: 't5' },
  { ...deberta, name: 'deberta', positionEmbedding: { type: 'deberta', version: 1 } },
  { ...deberta, name: 'deberta_v2', positionEmbedding: { type: 'deberta', version: 2 } },
  { name: 'transformer_xl', steps: scaled, positionEmbedding: 'transformer_xl' },
  { name: 'bloom', steps: ['positions', 'norm'], positionEmbedding: 'alibi', layerNormEpsilon: 1e-5 },
]

export const architectureNames = architectures.map(({ name }) => name)

/** @throws Error for an unknown name, which parsing has refused */
export function namedArchitecture(name: string): Architecture {
  const found = findArchitecture(name)
  if (found === undefined) throw new Error(`no architecture is called ${name}`)
  return found
}

export function findArchitecture(name: string): Architecture | undefined {
  return architectures.find((architecture) => architecture.name === name)
}
