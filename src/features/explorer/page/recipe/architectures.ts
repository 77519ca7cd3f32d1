import type { Architecture, Model } from '../../../../../clients/typescript/src/index.js'
import type { Position, Recipe } from './recipe.js'

/** The architectures that a recipe can name, each with the position scheme that comes with it. */
export const ARCHITECTURES: Readonly<Partial<Record<Architecture, Position>>> = {
  gpt2: { type: 'learned_absolute' },
  transformer: { type: 'sinusoidal' },
  bert: { type: 'learned_absolute' },
  llama: { type: 'rope' },
  gpt_neox: { type: 'rope' },
  gemma: { type: 'rope' },
  t5: { type: 't5' },
  deberta: { type: 'deberta', version: 1 },
  deberta_v2: { type: 'deberta', version: 2 },
  transformer_xl: { type: 'transformer_xl' },
  bloom: { type: 'alibi' },
}

/**
 * The scheme that a recipe means: the one that it names, else that of the architecture that it names; undefined where
 * it is the model's own. A model from a folder keeps its own scheme, whatever its architecture is called.
 */
export function positionOf(
  { position_embedding, architecture }: Recipe,
  model: Model | undefined,
): Position | undefined {
  if (position_embedding !== undefined || architecture === undefined) return position_embedding
  return model?.tables?.source === 'folder' ? undefined : ARCHITECTURES[architecture]
}
