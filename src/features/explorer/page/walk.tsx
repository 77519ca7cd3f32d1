import { effect } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { cat } from './recipe.js'
import { steps } from './steps.js'
import { answer, isRevealed, recipe, selection, step } from './store.js'

/** The element that began the walk: the focus goes back to it. */
let opener: Element | null = null

/** Goes to a step, if there is one: its recipe and token come on screen. */
export function goTo(next: number): void {
  if (steps[next] === undefined) return
  const { recipe: shown = cat, token = { document: 0, token: 1 }, card } = steps[next]
  if (step.value === undefined) opener = document.activeElement
  step.value = next
  isRevealed.value = false
  recipe.value = shown
  selection.value = { ...token, channel: 0 }
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
  if (opener instanceof HTMLElement) opener.focus()
}

/** The guided walk: a question, then its answer, then the next step. Left and right go between steps. */
export function Walk() {
  const heading = useRef<HTMLHeadingElement>(null)
  const current = step.value
  const isShown = isRevealed.value
  // The pressed button has disappeared: the focus stays in the walk.
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), [current, isShown])
  if (current === undefined) return null
  const { title, question, answer } = steps[current]
  const isLast = current === steps.length - 1
  return (
    <section
      class="walk"
      aria-label="Guided walk"
      onKeyDown={({ key }) => {
        if (key === 'ArrowRight') goTo(current + 1)
        if (key === 'ArrowLeft') goTo(current - 1)
        if (key === 'Escape') stop()
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
          <button
            type="button"
            class="primary"
            onClick={() => {
              isRevealed.value = true
            }}
          >
            Show the answer
          </button>
        )}
        {isLast ? null : (
          <button type="button" class={isShown ? 'primary' : ''} onClick={() => goTo(current + 1)}>
            Next →
          </button>
        )}
        <button type="button" class="quiet" onClick={stop}>
          Leave the walk
        </button>
      </div>
    </section>
  )
}
