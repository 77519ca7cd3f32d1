import { render } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { start } from './flow.js'
import { LearningCard } from './learning-card.js'
import { LinkNote, Notices, RECIPE, restoreKey, startWaiting } from './notices.js'
import { counted } from './numbers.js'
import { startLink } from './page-link.js'
import { PositionsCard } from './positions-card.js'
import { RecipeBar } from './recipe-bar.js'
import { SameWordCard } from './same-word-card.js'
import { answer, axis, isLoading, recipe, spoken } from './store.js'
import { SumCard } from './sum-card.js'
import { TableCard } from './table-card.js'
import { TakeCard } from './take-card.js'
import { TokensCard } from './tokens-card.js'
import { goTo, isRevealed, step, Walk } from './walk.js'
import { WindowsCard } from './windows-card.js'

/** Tokens of a text from which on the page lays out only what is seen. */
const LONG = 10_000

/** The page: one column, top to bottom as the data walks. */
function App() {
  const isLong = answer.value !== undefined && answer.value.counts.tokens > LONG
  const marks = [isLoading.value && 'waits', isLong && 'long-text']
  const asks = step.value !== undefined && !isRevealed.value
  const classes = ['page', axis.value && `lights-${axis.value}`, asks && 'asks']
  return (
    <div class={classes.filter(Boolean).join(' ')}>
      <header class="top">
        <h1>Inlet</h1>
        <p>
          The first layer of a language model, step by step. Every number here is one that the service gave.
        </p>
        <nav aria-label="Documents">
          <button type="button" class="primary" onClick={() => goTo(0)}>
            Walk with me: ten steps
          </button>
          <a href="docs">The interface</a>
        </nav>
      </header>
      <main aria-busy={isLoading.value} class={marks.filter(Boolean).join(' ')}>
        <LinkNote />
        <RecipeBar />
        <Notices />
        <Summary />
        <TokensCard />
        <WindowsCard />
        <TableCard />
        <PositionsCard />
        <SumCard />
        <SameWordCard />
        <LearningCard />
        <TakeCard />
      </main>
      <footer>
        <Keys />
      </footer>
      <Walk />
      <div class="only-read" aria-live="polite">
        {spoken.value}
      </div>
    </div>
  )
}

const KEYS: readonly (readonly [string, string])[] = [
  ['Tab', 'from part to part: each strip, grid and map is one stop'],
  ['← → ↑ ↓', 'within a strip, a grid or the map'],
  ['Home, End', 'the first and the last of a row; with Ctrl, of the grid'],
  ['PageUp, PageDown', 'several at once'],
  ['← →', 'in the guided walk: the step before and after; Escape leaves it'],
  ['?', 'this list'],
]

/** The keys of the page. `?` opens the list wherever nothing is being written. */
function Keys() {
  const list = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const onKey = ({ key, target }: KeyboardEvent) => {
      if (key !== '?' || (target as HTMLElement).matches('textarea, input, select')) return
      const element = list.current as HTMLDetailsElement
      element.open = true
      element.querySelector('summary')?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <details class="more keys" ref={list}>
      <summary>Keys</summary>
      <dl>
        {KEYS.map(([keys, what]) => (
          <div key={what}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

/** One line that sums the recipe up once it has scrolled away, and leads back to it. */
function Summary() {
  const [isAway, setAway] = useState(false)
  useEffect(() => {
    const bar = document.querySelector('form.recipe')
    if (bar === null) return
    const observer = new IntersectionObserver(([{ isIntersecting }]) => setAway(!isIntersecting))
    observer.observe(bar)
    return () => observer.disconnect()
  }, [])
  const current = answer.value
  if (!isAway || current === undefined) return null
  const { batch, rows } = current
  const back = () => {
    const field = document.querySelector<HTMLElement>(RECIPE)
    document.querySelector('form.recipe')?.scrollIntoView({ block: 'start' })
    field?.focus({ preventScroll: true })
  }
  return (
    <button type="button" class="summary" onClick={back}>
      <q>{recipe.value.text.slice(0, 120)}</q>
      <span>{[batch.windows, batch.length, rows.channels].map(counted).join(' × ')}</span>
      <span class="change">Change</span>
    </button>
  )
}

restoreKey()
startWaiting()
render(<App />, document.getElementById('page') as HTMLElement)
void startLink().then(start)
