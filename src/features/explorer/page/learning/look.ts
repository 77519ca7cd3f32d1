import { batch, signal } from '@preact/signals'
import type { Answer } from '../answer/answer.js'
import { renewed } from '../answer/load.js'
import type { Calls } from '../calls.js'
import { answer, isLoading, models } from '../store.js'
import { grown, type History } from './history.js'
import { tokenRows } from './token-rows.js'

/** The rows on screen, by version. */
export const history = signal<History>({ model: '', channels: 0, snapshots: [] })

/** Keeps the token rows of an answer. */
export function remember(current: Answer): void {
  const rows = tokenRows(current).map(({ id, row }) => [id, row.slice()] as const)
  const seen = { version: Number(current.rows.version), rows: new Map(rows) }
  history.value = grown(history.peek(), current.model, current.rows.tokenChannels, seen)
}

/**
 * Asks how far a model is, and for the rows on screen where these are of another version.
 *
 * @throws InletError
 */
export async function look(client: Calls, id: string, signal: AbortSignal): Promise<void> {
  const next = await client.model(id, { signal })
  const current = answer.peek()
  const isAnswer = current?.model === id && !isLoading.peek()
  const isNew = isAnswer && current.rows.version !== next.model_version
  const newest = isNew ? await renewed(client, current, next, signal) : current
  if (signal.aborted) return
  const known = models.peek().find((each) => each.id === id)
  batch(() => {
    if (JSON.stringify(known) !== JSON.stringify(next)) {
      models.value = models.peek().map((each) => (each === known ? next : each))
    }
    if (answer.peek() === current) answer.value = newest
  })
}
