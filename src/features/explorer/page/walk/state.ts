import { effect, signal } from '@preact/signals'
import { answer, recipe, selection, walked } from '../store.js'
import { steps } from './steps.js'

/** The step that the walk is at; undefined: no walk is under way. */
export const step = signal<number | undefined>(undefined)

/** The step's answer is shown. */
export const isRevealed = signal(false)

/** Where the walk began: the focus goes back there. */
let opener: Element | null = null

/** Goes to a step: its recipe and token come on screen. */
export function goTo(next: number): void {
  const { recipe: shown, token, card } = steps[next]
  if (step.value === undefined) opener = document.activeElement
  step.value = next
  walked.value = card
  isRevealed.value = false
  if (shown !== undefined) recipe.value = shown
  if (token !== undefined) selection.value = { ...token, channel: 0 }
  bringIntoView(card)
}

/** Scrolls to a card; a page that opens at a step has none before its first answer. */
function bringIntoView(card: string): void {
  const dispose = effect(() => {
    if (answer.value === undefined) return
    requestAnimationFrame(() => {
      dispose()
      document.getElementById(card)?.scrollIntoView({ block: 'start' })
    })
  })
}

export function stop(): void {
  step.value = undefined
  walked.value = undefined
  if (opener instanceof HTMLElement) opener.focus()
}
