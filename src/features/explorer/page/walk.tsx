import { effect, signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { steps } from './steps.js'
import { answer, recipe, selection, walked } from './store.js'

/** The step that the walk is at; undefined: no walk is under way. */
export const step = signal<number | undefined>(undefined)

export const isRevealed = signal(false)

/** The element that began the walk: the focus goes back to it. */
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
  // A page that opens at a step has no card before its first answer.
  const dispose = effect(() => {
    if (answer.value === undefined) return
    requestAnimationFrame(() => {
      dispose()
      document.getElementById(card)?.scrollIntoView({ block: 'start' })
    })
  })
}

function stop(): void {
  step.value = undefined
  walked.value = undefined
  if (opener instanceof HTMLElement) opener.focus()
}

/** The guided walk: a question, then its answer, then the next step. Left and right go between steps. */
export function Walk() {
  const heading = useRef<HTMLHeadingElement>(null)
  const onward = useRef<HTMLButtonElement>(null)
  const current = step.value
  const isShown = isRevealed.value
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), [current])
  // The pressed button has disappeared: the focus stays in the walk.
  useLayoutEffect(() => {
    if (isShown) onward.current?.focus({ preventScroll: true })
  }, [isShown])
  if (current === undefined) return null
  const { title, question, answer } = steps[current]
  const isLast = current === steps.length - 1
  const reveal = () => {
    isRevealed.value = true
  }
  const next = () => goTo(current + 1)
  return (
    <section
      class="walk"
      aria-label="Guided walk"
      onKeyDown={(event) => {
        if (event.key === 'ArrowRight' && !isLast) next()
        else if (event.key === 'ArrowLeft' && current > 0) goTo(current - 1)
        else if (event.key === 'Escape') stop()
      }}
    >
      <h2 ref={heading} tabIndex={-1}>
        {current + 1} of {steps.length}: {title}
      </h2>
      <p>{question}</p>
      <div aria-live="polite">{isShown ? <p class="answer">{answer}</p> : null}</div>
      <div class="buttons">
        <button type="button" disabled={current === 0} onClick={() => goTo(current - 1)}>
          ← Back
        </button>
        {isShown ? null : (
          <button type="button" class="primary" onClick={reveal}>
            Show the answer
          </button>
        )}
        {isLast ? null : (
          <button ref={onward} type="button" class={isShown ? 'primary' : ''} onClick={next}>
            Next →
          </button>
        )}
        <button ref={isLast ? onward : undefined} type="button" class="quiet" onClick={stop}>
          Leave the walk
        </button>
      </div>
    </section>
  )
}
