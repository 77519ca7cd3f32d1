import { batch, computed, effect, signal } from '@preact/signals'
import { InletError, type Model } from '../../../../clients/typescript/src/index.js'
import { Calls, LONG_TEXT, rowsFields } from './calls.js'
import { look, remember } from './learning.js'
import { loadAnswer, loadRows, tokenTexts, viewOf } from './load.js'
import { answer, apiKey, at, attempts, error, isLoading, model, models, recipe, selection } from './store.js'

/** A lane holds one piece of work: new work aborts what is still under way. */
class Lane {
  #controller = new AbortController()

  /** @param failed called with an error of the service, unless the work was aborted */
  async run(
    work: (signal: AbortSignal) => Promise<void>,
    failed: (error: InletError) => void,
  ): Promise<void> {
    this.#controller.abort()
    this.#controller = new AbortController()
    const { signal } = this.#controller
    try {
      await work(signal)
    } catch (reason) {
      if (signal.aborted) return
      if (!(reason instanceof InletError)) throw reason
      failed(reason)
    }
  }
}

const [answers, rows, besides, looks, seen] = Array.from({ length: 5 }, () => new Lane())

/** Milliseconds after a change before calls go out: a long text is not sent for each letter. */
const LONG_REST_MS = 150
const LONG = 20_000

/** Seconds: the page shows how long it has waited, and aborts superseded calls. */
const TIMEOUT = 3600

/** The service below which the page lies, with the key that was typed. The page itself decides when to ask again. */
function service(): Calls {
  const key = apiKey.peek() || undefined
  return new Calls(new URL('.', document.baseURI).href, { key, retries: 0, timeout: TIMEOUT, fetch: inTurn })
}

/** `fetch`. The browser copies a body before it returns: each long one waits a turn, so that typing is not blocked. */
const inTurn: typeof fetch = async (address, request) => {
  const { length = 0 } = (request?.body ?? {}) as { length?: number }
  if (length > LONG_TEXT) await new Promise((resolve) => setTimeout(resolve))
  return fetch(address, request)
}

function show(reason: InletError): void {
  error.value = reason
}

/** Answers the recipe and every change of it. */
export function start(): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  effect(() => {
    const { text } = recipe.value
    isLoading.value = true
    clearTimeout(timer)
    timer = setTimeout(refresh, text.length > LONG ? LONG_REST_MS : 0)
  })
  followNearby()
  followTraining()
  effect(() => {
    if (at.value !== undefined) void rows.run(followSelection, show)
  })
}

/** Sends the recipe's requests; those of the recipe before are aborted. */
export async function refresh(): Promise<void> {
  isLoading.value = true
  await answers.run(
    async (signal) => {
      try {
        if (models.value.length === 0) await refreshModels(signal)
        const modelNamed = (name: string, version: string) => modelOf(name, version, signal)
        const next = await loadAnswer(service(), recipe.value, modelNamed, signal)
        if (signal.aborted) return
        batch(() => {
          answer.value = next
          error.value = undefined
          attempts.value = 0
          keepSelection()
        })
      } finally {
        if (!signal.aborted) isLoading.value = false
      }
    },
    (reason) =>
      batch(() => {
        error.value = reason
        attempts.value++
      }),
  )
}

async function refreshModels(signal: AbortSignal): Promise<void> {
  models.value = (await service().models({ signal })).data
}

/** The entry of the model that answered; read again if it was not ready or has another version now. */
async function modelOf(name: string, version: string, signal: AbortSignal): Promise<Model | undefined> {
  const known = () => models.value.find(({ id }) => id === name)
  const isCurrent = known()?.state === 'ready' && known()?.model_version === version
  if (!isCurrent) await refreshModels(signal)
  return known()
}

function keepSelection(): void {
  const { documents, rows: shown } = answer.value as NonNullable<typeof answer.value>
  const { document, token, channel } = selection.value
  const index = documents[document] === undefined ? 0 : document
  selection.value = {
    document: index,
    token: Math.min(token, documents[index].ids.length - 1),
    channel: Math.min(channel, shown.channels - 1),
  }
}

/** Loads the rows around the selected token, if they are not on screen. */
async function followSelection(signal: AbortSignal): Promise<void> {
  const current = answer.peek()
  const place = at.peek()
  if (current === undefined || place === undefined) return
  const view = viewOf(place)
  const { first, from, windows, channels, position } = current.rows
  if (view.from === from && place.window >= first && place.window < first + windows) return
  const window = { ...view, first: place.window < view.first + windows ? view.first : place.window }
  const options = { adds: position !== undefined, channels, signal }
  const next = await loadRows(service(), current.recipe, current.batch, window, options)
  if (!signal.aborted && answer.peek() === current) answer.value = { ...current, rows: next }
}

/** Rows of the table around the selected token's. */
interface Nearby {
  /** The table and the id that they belong to. */
  readonly key: string
  readonly id: number
  /** The id of the first row. */
  readonly first: number
  readonly texts: readonly string[]
  readonly channels: number
  readonly values: Float32Array
}

export const nearby = signal<Nearby | undefined>(undefined)

const BESIDE = 2

/** Follows the selection: asks for the rows beside the selected id's. */
function followNearby(): void {
  effect(() => {
    const size = model.value?.vocab_size
    const isNumbers = model.value?.tokenizer?.available === false
    const current = answer.value
    const id = current?.documents[selection.value.document]?.ids[selection.value.token]
    if (current === undefined || size === undefined || id === undefined) return
    const { model: name, modelVersion } = current
    const key = `${name} ${modelVersion} ${id}`
    if (nearby.peek()?.key === key) return
    const first = Math.max(0, id - BESIDE)
    const ids = Array.from({ length: Math.min(size, id + BESIDE + 1) - first }, (_, index) => first + index)
    const ownRecipe = { ...current.recipe, model: name, position_embedding: { type: 'none' } as const }
    void besides.run(async (signal) => {
      const client = service()
      const [texts, tensors] = await Promise.all([
        tokenTexts(client, name, ids, isNumbers),
        client.inputEmbeddings(rowsFields(ownRecipe, [ids], 0, ['token_embeddings']), { signal }),
      ])
      if (signal.aborted) return
      const { shape, data } = tensors.get('token_embeddings')!
      nearby.value = { key, id, first, texts, channels: shape[2], values: data as Float32Array }
    }, show)
  })
}

/** Milliseconds between two looks at a model that is trained, and after one that failed. */
const PERIOD_MS = 1000
const FAILED_MS = 15_000

/** Whether the page follows each version. */
export const isFollowed = signal(true)

const isVisible = signal(true)

/** The model that is looked at: it is trained, and its rows are in view. */
const watched = computed(() => {
  return isVisible.value && isFollowed.value && model.value?.learning ? model.value.id : undefined
})

/** Keeps the rows of each version, and looks for the next one while the page is seen and the model is trained. */
function followTraining(): void {
  effect(() => {
    if (answer.value !== undefined) remember(answer.value)
  })
  effect(() => {
    const id = watched.value
    void looks.run(async (signal) => {
      for (let wait = PERIOD_MS; id !== undefined; ) {
        await new Promise((resolve) => setTimeout(resolve, wait))
        if (signal.aborted) return
        wait = (await tried(id, signal)) ? PERIOD_MS : FAILED_MS
      }
    }, show)
  })
  isVisible.value = !document.hidden
  addEventListener('visibilitychange', () => {
    isVisible.value = !document.hidden
    // Training may have begun since.
    const id = answer.peek()?.model
    if (isVisible.value && isFollowed.value && id !== undefined)
      void seen.run((signal) => look(service(), id, signal), ignored)
  })
}

/** The reader has asked for nothing: a refusal is not shown. */
function ignored(): void {}

/** @returns whether the service answered */
async function tried(id: string, signal: AbortSignal): Promise<boolean> {
  try {
    await look(service(), id, signal)
    return true
  } catch (reason) {
    if (!signal.aborted && !(reason instanceof InletError)) throw reason
    return false
  }
}
