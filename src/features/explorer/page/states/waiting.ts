import { effect, signal } from '@preact/signals'
import { refresh } from '../flow.js'
import { attempts, error, isLoading } from '../store.js'
import { type State, stateOf } from './state-of.js'

/** How the page treats the failure of the last call; undefined where it was answered. */
export const state = signal<State | undefined>(undefined)

/** Seconds until the next try, where the page waits. */
export const secondsLeft = signal<number | undefined>(undefined)

/** When the service last fell silent. */
export const silentSince = signal<Date | undefined>(undefined)

/** Follows what calls end with: waits and asks again where that can help, at once when the network is back. */
export function startWaiting(): void {
  let timer: ReturnType<typeof setInterval> | undefined
  effect(() => {
    const reason = error.value
    clearInterval(timer)
    // A card's own call may fail before the recipe's; it does not count as an attempt.
    const next = reason === undefined ? undefined : stateOf(reason, Math.max(1, attempts.value))
    state.value = next
    silentSince.value = next?.kind === 'offline' ? (silentSince.peek() ?? new Date()) : undefined
    secondsLeft.value = next !== undefined && 'seconds' in next ? next.seconds : undefined
    if (secondsLeft.peek() !== undefined) timer = setInterval(tick, 1000)
  })
  addEventListener('online', () => {
    if (state.value?.kind === 'offline') void refresh()
  })
}

/** A hidden page stays at its last second, and asks when it is shown. */
function tick(): void {
  const left = secondsLeft.value
  if (left === undefined || isLoading.value || (left <= 1 && document.hidden)) return
  secondsLeft.value = Math.max(0, left - 1)
  if (left <= 1) void refresh()
}
