import type { OutputName } from '../../../clients/typescript/src/index.js'
import type { Answer } from '../answer/answer.js'

/** A tensor that can be taken along. */
export interface TakenOutput {
  readonly name: OutputName
  readonly isInteger: boolean
}

const IDS: readonly OutputName[] = ['input_ids', 'target_ids', 'attention_mask']

/** The tensors of what is on screen: the rows, what the position scheme gives, the ids. */
export function outputsOf({ positions }: Answer): readonly TakenOutput[] {
  const ofScheme = Object.entries(positions?.tensors ?? {}).map(([name, { dtype }]) => ({
    name: name as OutputName,
    isInteger: dtype === 'int32',
  }))
  return [
    { name: 'input_embeddings', isInteger: false },
    { name: 'token_embeddings', isInteger: false },
    ...ofScheme,
    ...IDS.map((name) => ({ name, isInteger: true })),
  ]
}
