import { spoken } from './draw/say.js'
import { PositionsCard } from './positions/positions-card.js'
import { RecipeBar } from './recipe/recipe-bar.js'
import { SameWordCard } from './same-word/same-word-card.js'
import { axis, isLoading } from './store.js'
import { SumCard } from './sum/sum-card.js'
import { TableCard } from './table/table-card.js'
import { TokensCard } from './tokens/tokens-card.js'
import { WindowsCard } from './windows/windows-card.js'

/** The page: one column, top to bottom as the data walks. */
export function App() {
  return (
    <div class={`page${axis.value === undefined ? '' : ` lights-${axis.value}`}`}>
      <header class="top">
        <h1>Inlet</h1>
        <p>
          The first layer of a language model, step by step. Every number here is one that the service gave.
        </p>
        <nav aria-label="Documents">
          <a href="docs">The interface</a>
        </nav>
      </header>
      <main aria-busy={isLoading.value} class={isLoading.value ? 'waits' : ''}>
        <RecipeBar />
        <TokensCard />
        <WindowsCard />
        <TableCard />
        <PositionsCard />
        <SumCard />
        <SameWordCard />
      </main>
      <div class="only-read" aria-live="polite">
        {spoken.value}
      </div>
    </div>
  )
}
