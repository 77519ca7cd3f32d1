import type { Model, OutputName } from '../../../clients/typescript/src/index.js'
import type { Answer } from '../answer/answer.js'
import { embeddingsFields } from '../recipe/calls.js'
import { curl } from './curl.js'
import { python } from './python.js'
import { pytorch } from './pytorch.js'
import { callOf, type Snippet, type Taken } from './taken.js'

/** The ways to take it along, in the order of their tabs. */
export const WAYS = ['curl', 'Python', 'PyTorch'] as const
export type Way = (typeof WAYS)[number]

/** From where, and of what, the lines are written. */
export interface Source {
  readonly service: string
  readonly needsKey: boolean
  readonly model: Model | undefined
}

/** The lines of a way for a tensor of what is on screen. */
export function snippetOf(way: Way, answer: Answer, output: OutputName, source: Source): Snippet {
  if (way === 'PyTorch') return pytorch(answer, source.model, output)
  const taken = takenOf(answer, output, source)
  return way === 'curl' ? curl(taken) : python(taken)
}

/** The call for a tensor of what is on screen. */
export function takenOf(answer: Answer, output: OutputName, source: Source): Taken {
  const { service, needsKey } = source
  const call = callOf(embeddingsFields(answer.recipe, [output]))
  return { service, call, output, needsKey }
}
