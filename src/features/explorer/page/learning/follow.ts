import { computed, effect, signal } from '@preact/signals'
import { InletError } from '../../../../../clients/typescript/src/index.js'
import type { Calls } from '../calls.js'
import { Lane } from '../lane.js'
import { answer, model } from '../store.js'
import { look, remember } from './look.js'

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
export function startFollowing(client: () => Calls): void {
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
