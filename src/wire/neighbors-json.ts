import type { Neighbor } from '../first-layer/neighbors/search.js'
import { PAUSE, type Steps } from '../first-layer/steps.js'
import type { EncodedAnswer } from './formats/format.js'

/** The text around the lists of neighbours. */
export interface NeighborsFrame {
  readonly model: string
  readonly modelVersion: string
  /** A token's text; null where it has none. */
  textOf(id: number): string | null
}

/**
 * The answer of `/neighbors`, a list for each query:
 * `{"model":"tiny","model_version":"1","neighbors":[[{"id":2,"text":"#","score":1}]]}`.
 */
export function* neighborsJson(
  found: readonly (readonly Neighbor[])[],
  { model, modelVersion, textOf }: NeighborsFrame,
): Steps<EncodedAnswer> {
  const head = JSON.stringify({ model, model_version: modelVersion }).slice(0, -1)
  const parts = [Buffer.from(`${head},"neighbors":[`)]
  for (const [i, list] of found.entries()) {
    yield PAUSE
    const texts = list.map(({ id, score }) => ({ id, text: textOf(id), score }))
    parts.push(Buffer.from(`${i === 0 ? '' : ','}${JSON.stringify(texts)}`))
  }
  parts.push(Buffer.from(']}'))
  const size = parts.reduce((sum, part) => sum + part.length, 0)
  return { size, exact: true, headers: {}, body: inOrder(parts) }
}

async function* inOrder(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, void> {
  yield* parts
}
