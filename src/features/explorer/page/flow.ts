import { batch, effect, signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { Inlet, InletError, Refused } from '../../../../clients/typescript/src/index.js'
import { home } from './home.js'
import { loadAnswer, loadRows, viewOf } from './load.js'
import { unmerged } from './merges.js'
import { documentsOf } from './recipe.js'
import { answer, at, bytesOfText, error, isLoading, recipe, selection } from './store.js'

/** A runner of one piece of work at a time: new work aborts what is still under way. */
function lane() {
  let controller = new AbortController()
  return async (work: (signal: AbortSignal) => Promise<void>) => {
    controller.abort()
    controller = new AbortController()
    const { signal } = controller
    await work(signal).catch((reason) => failed(reason, signal))
  }
}

const [answers, rows] = [lane(), lane()]

function failed(reason: unknown, signal: AbortSignal): void {
  if (signal.aborted) return
  if (!(reason instanceof InletError)) throw reason
  error.value = reason
}

const KEY = 'inlet-key'

/** The key that the calls bring, kept for the tab alone; '' is none. */
export const apiKey = signal(storage()?.getItem(KEY) ?? '')
effect(() => storage()?.setItem(KEY, apiKey.value))

/** The tab's storage, if the browser keeps anything for pages. */
function storage(): Storage | undefined {
  try {
    return sessionStorage
  } catch {
    return undefined
  }
}

/** The service below which the page lies, with the key that was typed, for one piece of work. The page itself decides when to ask again. */
function service(work: AbortSignal): Inlet {
  const fetch: typeof home.fetch = (address, init) =>
    home.fetch(address, { ...init, signal: AbortSignal.any([work, init!.signal!]) })
  const options = { key: apiKey.peek() || undefined, retries: 0, fetch }
  return new Inlet(new URL('.', document.baseURI).href, options)
}

/** Milliseconds after a change before calls go out: a long text is not sent for each letter. */
const LONG_REST_MS = 150
const LONG = 20_000

/** Seconds until a service that is silent or busy is asked again. */
const PAUSE = 3

/** Whether another try may help, without a change of the recipe. */
export function mayPass(reason: InletError): boolean {
  return !(reason instanceof Refused) || [502, 503, 504].includes(reason.status)
}

/** Answers the recipe and every change of it. */
export function start(): void {
  effect(() => {
    isLoading.value = true
    const timer = setTimeout(refresh, recipe.value.text.length > LONG ? LONG_REST_MS : 0)
    return () => clearTimeout(timer)
  })
  effect(() => {
    const reason = error.value
    if (reason === undefined || !mayPass(reason)) return
    const wait = reason instanceof Refused ? (reason.retryAfter ?? PAUSE) : PAUSE
    const timer = setTimeout(refresh, 1000 * wait)
    return () => clearTimeout(timer)
  })
  effect(() => {
    if (at.value !== undefined) void rows(followSelection)
  })
}

/** Sends the recipe's requests; those of the recipe before are aborted. */
export async function refresh(): Promise<void> {
  isLoading.value = true
  await answers(async (signal) => {
    try {
      const next = await loadAnswer(service(signal), recipe.value)
      const [{ text, documents }, before] = [next.recipe, answer.peek()?.recipe]
      const isNew = text !== before?.text || documents !== before.documents
      await new Promise((resolve) => setTimeout(resolve)) // of a long text, this and the drawing are a task each
      const start = isNew ? unmerged(documentsOf(next.recipe)) : bytesOfText.peek()
      await new Promise((resolve) => setTimeout(resolve))
      if (signal.aborted) return
      batch(() => {
        answer.value = next
        bytesOfText.value = start
        error.value = undefined
        const { document, token, channel } = selection.value
        const index = next.documents[document] === undefined ? 0 : document
        selection.value = {
          document: index,
          token: Math.min(token, next.documents[index].ids.length - 1),
          channel: Math.min(channel, next.rows.channels - 1),
        }
      })
    } finally {
      if (!signal.aborted) isLoading.value = false
    }
  })
}

/** Loads the rows around the selected token, if they are not on screen. */
async function followSelection(signal: AbortSignal): Promise<void> {
  const [current, position] = [answer.peek(), at.peek()]
  if (current === undefined || position === undefined) return
  const view = viewOf(position)
  if (view.first === current.rows.first && view.from === current.rows.from) return
  const next = await loadRows(service(signal), current, view)
  if (!signal.aborted && answer.peek() === current) answer.value = { ...current, rows: next }
}

/** What a card asks for by itself: asked again with each new key; what came last stays meanwhile. */
export function useLoaded<T>(key: string | undefined, load: (client: Inlet) => Promise<T>): T | undefined {
  const [loaded, setLoaded] = useState<T>()
  const [run] = useState(lane)
  useEffect(() => {
    if (key === undefined) return
    void run(async (signal) => {
      const value = await load(service(signal))
      if (!signal.aborted) setLoaded(() => value)
    })
  }, [key])
  return loaded
}
