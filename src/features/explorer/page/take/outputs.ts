import type { OutputName } from '../../../../../clients/typescript/src/index.js'
import type { Answer } from '../answer/answer.js'

/** The tensors of what is on screen: the rows, what the position scheme gives, the ids. */
export function outputsOf({ positions }: Answer): readonly OutputName[] {
  const ofScheme = Object.keys(positions?.tensors ?? {}) as OutputName[]
  return ['input_embeddings', 'token_embeddings', ...ofScheme, 'input_ids', 'target_ids', 'attention_mask']
}
