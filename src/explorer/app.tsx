import { Keys } from './draw/keys.js'
import { spoken } from './draw/say.js'
import { LearningCard } from './learning/learning-card.js'
import { PositionsCard } from './positions/positions-card.js'
import { RecipeBar } from './recipe/recipe-bar.js'
import { Summary } from './recipe/summary.js'
import { SameWordCard } from './same-word/same-word-card.js'
import { LinkNote, Notices } from './states/notices.js'
import { answer, axis, isLoading } from './store.js'
import { SumCard } from './sum/sum-card.js'
import { TableCard } from './table/table-card.js'
import { TakeCard } from './take/take-card.js'
import { TokensCard } from './tokens/tokens-card.js'
import { goTo, isRevealed, step } from './walk/state.js'
import { Walk } from './walk/walk.js'
import { WindowsCard } from './windows/windows-card.js'

/** Tokens of a text from which on the page lays out only what is seen. */
const LONG = 10_000

/** The page: one column, top to bottom as the data walks. */
export function App() {
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
