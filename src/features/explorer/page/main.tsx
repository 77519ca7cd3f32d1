import { render } from 'preact'
import { ChatCard } from './chat-card.js'
import { start } from './flow.js'
import { home } from './home.js'
import { startLink } from './link.js'
import { LookupsCard } from './lookups-card.js'
import { MergesCard } from './merges-card.js'
import { Notices } from './notices.js'
import { PositionsCard } from './positions-card.js'
import { RecipeBar } from './recipe-bar.js'
import { SameWordCard } from './same-word-card.js'
import { answer, asks, isLoading, spoken } from './store.js'
import { SumCard } from './sum-card.js'
import { TableCard } from './table-card.js'
import { TakeCard } from './take-card.js'
import { TokensCard } from './tokens-card.js'
import { TrainCard } from './train-card.js'
import { goTo, Walk } from './walk.js'
import { WindowsCard } from './windows-card.js'

/** In the order in which the data walks. */
const CARDS = [
  ...[TokensCard, WindowsCard, TableCard, LookupsCard, PositionsCard, SumCard, SameWordCard],
  ...[TrainCard, MergesCard, ChatCard, TakeCard],
]

/** The page: one column, top to bottom as the data walks. */
function App() {
  return (
    <div class={asks.value ? 'page asks' : 'page'}>
      <header class="top">
        <h1>Inlet</h1>
        <p>
          The first layer of a language model, step by step: a text is cut into tokens, each token has a row
          of numbers in a table, and such rows are what the model reads. {home.about}
        </p>
        <nav aria-label="Documents">
          <button type="button" class="primary" onClick={() => goTo(0)}>
            Walk with me: ten steps
          </button>
          {home.doors.map(([address, name]) => (
            <a key={address} href={address}>
              {name}
            </a>
          ))}
        </nav>
      </header>
      <main aria-busy={isLoading.value}>
        <RecipeBar />
        <Notices />
        {answer.value && CARDS.map((ACard) => <ACard key={ACard.name} {...answer.value!} />)}
        {home.absent === '' ? null : <p class="note">{home.absent}</p>}
      </main>
      <Walk />
      <div class="only-read" aria-live="polite">
        {spoken.value}
      </div>
    </div>
  )
}

startLink()
render(<App />, document.getElementById('page') as HTMLElement)
start()
