import type { Model } from '../../../clients/typescript/src/index.js'
import type { Answer } from '../answer/answer.js'
import { embeddingsFields } from '../recipe/calls.js'
import { commandLine } from './command-line.js'
import { curl } from './curl.js'
import type { TakenOutput } from './outputs.js'
import { python } from './python.js'
import { pytorch } from './pytorch.js'
import { callOf, type Snippet, type Taken } from './taken.js'
import { typescript } from './typescript.js'

/** The ways to take it along, in the order of their tabs. */
export const WAYS = ['curl', 'Python', 'PyTorch', 'TypeScript', 'inlet embed'] as const
export type Way = (typeof WAYS)[number]

/** From where, and of what, the lines are written. */
export interface Source {
  readonly service: string
  readonly needsKey: boolean
  readonly model: Model | undefined
}

/** The lines of a way for a tensor of what is on screen. */
export function snippetOf(way: Way, answer: Answer, output: TakenOutput, source: Source): Snippet {
  if (way === 'PyTorch') return pytorch(answer, source.model, output.name)
  return WRITERS[way](takenOf(answer, output, source))
}

const WRITERS: Readonly<Record<Exclude<Way, 'PyTorch'>, (taken: Taken) => Snippet>> = {
  curl,
  Python: python,
  TypeScript: typescript,
  'inlet embed': commandLine,
}

/** The call for a tensor of what is on screen. */
export function takenOf(answer: Answer, { name, isInteger }: TakenOutput, source: Source): Taken {
  const { service, needsKey } = source
  const call = callOf(embeddingsFields(answer.recipe, [name]))
  return { service, call, output: name, isInteger, needsKey }
}
