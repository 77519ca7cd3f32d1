import { batch, computed, effect, signal } from '@preact/signals'
import { InletError, type Model } from '../../../../clients/typescript/src/index.js'
import { Calls, rowsFields } from './calls.js'
import { look, remember } from './learning.js'
import { loadAnswer, loadRows, tokenTexts, viewOf } from './load.js'
import { answer, apiKey, at, attempts, error, isLoading, model, models, recipe, selection } from './store.js'

/** A lane holds one piece of work: what comes later gives up what is still under way. */
class Lane {
  #controller: AbortController | undefined

  /** Gives the earlier work up and returns the signal of the new one. */
  next(): AbortSignal {
    this.#controller?.abort()
    this.#controller = new AbortController()
    return this.#controller.signal
  }
}

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

/** Rows of the table around the selected token's. */
interface Nearby {
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
function followNearby(client: () => Calls): void {
  const lane = new Lane()
  effect(() => {
    const size = model.value?.vocab_size
    const isNumbers = model.value?.tokenizer?.available === false
    const document = answer.value?.documents[selection.value.document]
    const id = document?.ids[selection.value.token]
    if (size === undefined || id === undefined) return
    const { model: name, modelVersion } = answer.value as NonNullable<typeof answer.value>
    const key = `${name} ${modelVersion} ${id}`
    if (nearby.peek()?.key !== key) void loadNearby(client(), { key, id, size, isNumbers }, lane.next())
  })
}

interface Asked {
  readonly key: string
  readonly id: number
  readonly size: number
  readonly isNumbers: boolean
}

async function loadNearby(
  client: Calls,
  { key, id, size, isNumbers }: Asked,
  signal: AbortSignal,
): Promise<void> {
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

/** Milliseconds between two looks at a model that learns, and after one that failed. */
const PERIOD_MS = 1000
const FAILED_MS = 15_000

/** Whether the page goes on with each version. */
export const isFollowed = signal(true)

const isVisible = signal(true)

/** The model that is looked at: it learns, and its rows are in view. */
const watched = computed(() => {
  return isVisible.value && isFollowed.value && model.value?.learning ? model.value.id : undefined
})

/** Keeps the rows of each version, and looks for the next one while the page is seen and the model learns. */
function startFollowing(client: () => Calls): void {
  effect(() => {
    if (answer.value !== undefined) remember(answer.value)
  })
  const lane = new Lane()
  effect(() => {
    const signal = lane.next()
    if (watched.value !== undefined) void keepLooking(client, watched.value, signal)
  })
  const seen = new Lane()
  isVisible.value = !document.hidden
  addEventListener('visibilitychange', () => {
    isVisible.value = !document.hidden
    // It may have begun to learn meanwhile.
    const id = answer.peek()?.model
    if (isVisible.value && isFollowed.value && id !== undefined) void tried(client(), id, seen.next())
  })
}

async function keepLooking(client: () => Calls, id: string, signal: AbortSignal): Promise<void> {
  for (let wait = PERIOD_MS; ; ) {
    await new Promise((resolve) => setTimeout(resolve, wait))
    if (signal.aborted) return
    wait = (await tried(client(), id, signal)) ? PERIOD_MS : FAILED_MS
  }
}

/** @returns whether the service answered. The reader has asked for nothing: a refusal is no notice */
async function tried(client: Calls, id: string, signal: AbortSignal): Promise<boolean> {
  try {
    await look(client, id, signal)
    return true
  } catch (reason) {
    if (!signal.aborted && !(reason instanceof InletError)) throw reason
    return false
  }
}

/** Length of a body from which on it is long. */
const LONG_BODY = 65_536

/** Seconds: the page shows how long it has waited, and a call that is superseded is given up. */
const TIMEOUT = 3600

/** The service below which the page lies, with the key that was typed. The page itself decides when to ask again. */
function service(): Calls {
  const key = apiKey.peek() || undefined
  return new Calls(new URL('.', document.baseURI).href, { key, retries: 0, timeout: TIMEOUT, fetch: inTurn })
}

/** `fetch`. The browser copies a body before it returns: long ones each take a turn, so that no key waits for three. */
const inTurn: typeof fetch = async (address, request) => {
  const { length = 0 } = (request?.body ?? {}) as { length?: number }
  if (length > LONG_BODY) await new Promise((resolve) => setTimeout(resolve))
  return fetch(address, request)
}
