import { batch, effect } from '@preact/signals'
import type { Model } from '../../../../clients/typescript/src/index.js'
import { InletError } from '../../../../clients/typescript/src/index.js'
import { loadAnswer } from './answer/load.js'
import { loadRows, viewOf } from './answer/load-rows.js'
import { Lane } from './lane.js'
import { startFollowing } from './learning/follow.js'
import { service } from './service.js'
import { answer, at, attempts, error, isLoading, models, recipe, selection } from './store.js'
import { followNearby } from './table/nearby.js'

const answers = new Lane()
const rows = new Lane()

/** Milliseconds of rest after a change before calls go out: a long text is not sent for each letter. */
const REST_MS = 0
const LONG_REST_MS = 150
const LONG = 20_000

/** Answers the recipe and every change of it. */
export function start(): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  effect(() => {
    const { text } = recipe.value
    isLoading.value = true
    clearTimeout(timer)
    timer = setTimeout(refresh, text.length > LONG ? LONG_REST_MS : REST_MS)
  })
  followNearby(service)
  startFollowing(service)
  effect(() => {
    if (at.value !== undefined) void follow()
  })
}

/** Sends the recipe's requests; those of the recipe before are aborted. */
export async function refresh(): Promise<void> {
  const signal = answers.next()
  isLoading.value = true
  try {
    if (models.value.length === 0) await refreshModels(signal)
    const next = await loadAnswer(
      service(),
      recipe.value,
      (name, version) => modelOf(name, version, signal),
      signal,
    )
    if (signal.aborted) return
    batch(() => {
      answer.value = next
      error.value = undefined
      attempts.value = 0
      keepSelection()
    })
  } catch (reason) {
    if (signal.aborted) return
    if (!(reason instanceof InletError)) throw reason
    batch(() => {
      error.value = reason
      attempts.value++
    })
  } finally {
    if (!signal.aborted) isLoading.value = false
  }
}

async function refreshModels(signal: AbortSignal): Promise<void> {
  models.value = (await service().models({ signal })).data
}

/** The entry of the model that answered; read anew if it was not ready or has another version now. */
async function modelOf(name: string, version: string, signal: AbortSignal): Promise<Model | undefined> {
  const known = () => models.value.find(({ id }) => id === name)
  const isCurrent = known()?.state === 'ready' && known()?.model_version === version
  if (!isCurrent) await refreshModels(signal)
  return known()
}

/** Keeps the selection where the new answer has it. */
function keepSelection(): void {
  const { documents, rows: shown } = answer.value as NonNullable<typeof answer.value>
  const { document, token, channel } = selection.value
  const text = documents[document] ?? documents[0]
  selection.value = {
    document: documents[document] === undefined ? 0 : document,
    token: Math.min(token, text.ids.length - 1),
    channel: Math.min(channel, shown.channels - 1),
  }
}

/** Loads the rows around the selected token, where they are not on screen. */
async function follow(): Promise<void> {
  const current = answer.peek()
  const place = at.peek()
  if (current === undefined || place === undefined) return
  const view = viewOf(place)
  const { first, from, windows, channels, position } = current.rows
  if (view.from === from && place.window >= first && place.window < first + windows) return
  const signal = rows.next()
  const window = { ...view, first: place.window < view.first + windows ? view.first : place.window }
  try {
    const options = { adds: position !== undefined, channels, signal }
    const next = await loadRows(service(), current.recipe, current.batch, window, options)
    if (!signal.aborted && answer.peek() === current) answer.value = { ...current, rows: next }
  } catch (reason) {
    if (signal.aborted) return
    if (!(reason instanceof InletError)) throw reason
    error.value = reason
  }
}
