import type { PositionEmbeddingOptions } from '../../../../clients/typescript/src/index.js'
import { positionSchemes } from '../../../first-layer/embeddings/positions/registry.js'

export type PositionType = PositionEmbeddingOptions['type']

/** The sentence about each position scheme, and its tensors that are drawn. The bundle has these values, not the schemes. */
export const SCHEMES: Readonly<Record<string, readonly [about: string, ...drawn: string[]]>> =
  Object.fromEntries(positionSchemes.map(({ type, picture }) => [type, picture]))
