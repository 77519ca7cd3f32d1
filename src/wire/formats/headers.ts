import { type Answer, type CountName, countFields } from '../answer.js'

/** The headers about the model, which every answer has. */
export function modelHeaders({ modelVersion }: Answer): Record<string, string> {
  return modelVersion === undefined ? {} : { 'x-model-version': modelVersion }
}

/** The counts as headers of a binary answer, `num_tokens` → `x-num-tokens`, and the model's headers. */
export function countHeaders(answer: Answer): Record<string, string> {
  const headers = modelHeaders(answer)
  for (const [name, value] of countFields(answer.counts)) headers[HEADER_OF[name]] = String(value)
  return headers
}

const HEADER_OF = {
  num_tokens: 'x-num-tokens',
  num_characters: 'x-num-characters',
  num_windows: 'x-num-windows',
  num_dropped_tokens: 'x-num-dropped-tokens',
  num_batches: 'x-num-batches',
  num_dropped_windows: 'x-num-dropped-windows',
} as const satisfies Record<CountName, string>
