import { effect, signal } from '@preact/signals'
import { InletError } from '../../../../../clients/typescript/src/index.js'
import { tokenTexts } from '../answer/token-texts.js'
import type { Calls } from '../calls.js'
import { Lane } from '../lane.js'
import { rowsFields } from '../recipe/calls.js'
import { answer, error, model, selection } from '../store.js'

/** Rows of the table around the selected token's. */
export interface Nearby {
  /** The table and the id that they are of. */
  readonly key: string
  readonly id: number
  /** The id of the first row. */
  readonly first: number
  readonly texts: readonly string[]
  readonly channels: number
  readonly values: Float32Array
}

export const nearby = signal<Nearby | undefined>(undefined)

/** Rows above and below. */
const BESIDE = 2

/** Follows the selection: asks for the rows beside the selected id's. */
export function followNearby(client: () => Calls): void {
  const lane = new Lane()
  effect(() => {
    const size = model.value?.vocab_size
    const isNumbers = model.value?.tokenizer?.available === false
    const document = answer.value?.documents[selection.value.document]
    const id = document?.ids[selection.value.token]
    if (size === undefined || id === undefined) return
    const { model: name, modelVersion } = answer.value as NonNullable<typeof answer.value>
    const key = `${name} ${modelVersion} ${id}`
    if (nearby.peek()?.key !== key) void load(client(), { key, id, size, isNumbers }, lane.next())
  })
}

interface Asked {
  readonly key: string
  readonly id: number
  readonly size: number
  readonly isNumbers: boolean
}

async function load(client: Calls, { key, id, size, isNumbers }: Asked, signal: AbortSignal): Promise<void> {
  const current = answer.peek()
  if (current === undefined) return
  const first = Math.max(0, id - BESIDE)
  const ids = Array.from({ length: Math.min(size, id + BESIDE + 1) - first }, (_, index) => first + index)
  const recipe = { ...current.recipe, model: current.model, position_embedding: { type: 'none' } as const }
  try {
    const [texts, tensors] = await Promise.all([
      tokenTexts(client, current.model, ids, isNumbers),
      client.inputEmbeddings(rowsFields(recipe, [ids], 0, ['token_embeddings']), { signal }),
    ])
    if (signal.aborted) return
    const { shape, data } = tensors.get('token_embeddings')!
    nearby.value = { key, id, first, texts, channels: shape[2], values: data as Float32Array }
  } catch (reason) {
    if (signal.aborted) return
    if (!(reason instanceof InletError)) throw reason
    error.value = reason
  }
}
