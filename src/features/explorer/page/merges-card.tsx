import { useMemo, useState } from 'preact/hooks'
import { Card } from './card.js'
import { merged, nextPair, type Pair } from './merges.js'
import { counted } from './numbers.js'
import { bytesOfText } from './store.js'
import { nameOf } from './tokens.js'

/** Pieces that are drawn, and the newest tokens that stand below. */
const [DRAWN, NEWEST] = [80, 20]

const ABOUT =
  'Where do ids come from? The text is cut into words (the dashed frames), and at first each byte is a token. Then the most frequent pair of neighbours becomes a token, again and again, never across words: byte-pair encoding. Your text is a small one; inlet train-tokenizer makes the merges of a large one.'

/** The vocabulary of the text on screen, merge by merge, in the page alone. */
export function MergesCard() {
  const start = bytesOfText.value
  const [state, setState] = useState({ start, now: start })
  const now = state.start === start ? state.now : start
  const next = useMemo(() => nextPair(now), [now])
  const { pieces, tokens } = now
  if (pieces.length === 0) return null
  const merge = (count: number) => {
    let after = now
    for (let pair = next; pair && count > 0; count--, pair = nextPair(after)) after = merged(after, pair)
    setState({ start, now: after })
  }
  const pairOf = ({ left, right, count }: Pair) =>
    `${nameOf(tokens[left].bytes)} + ${nameOf(tokens[right].bytes)}, ${counted(count)} ${count === 1 ? 'time' : 'times'}`
  const tokenOf = (id: number, key: number) => (
    <span key={key} class={`token hue-${id % 5}`}>
      <span class="text">{nameOf(tokens[id].bytes)}</span> <span class="id">{id}</span>
    </span>
  )
  const made = [...tokens.keys()].slice(start.tokens.length).slice(-NEWEST)
  return (
    <Card id="merges" title="A vocabulary of your own" about={ABOUT}>
      <p class="facts-line" aria-live="polite">
        Tokens: {counted(pieces.reduce((sum, { length }) => sum + length, 0))}, of a vocabulary of{' '}
        {counted(tokens.length)}.{' '}
        <b>{next ? `The most frequent pair: ${pairOf(next)}.` : 'No pair is left.'}</b>
      </p>
      <div class="buttons">
        <button type="button" class="primary" disabled={!next} onClick={() => merge(1)}>
          Merge the most frequent pair
        </button>
        <button type="button" disabled={!next} onClick={() => merge(10)}>
          10 more
        </button>
        <button type="button" disabled={now === start} onClick={() => setState({ start, now: start })}>
          Start again
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reached by the keyboard */}
      <section class="strip" tabIndex={0} aria-label="The text in tokens">
        {pieces.slice(0, DRAWN).map((ids, piece) => (
          <span key={piece} class="piece">
            {ids.map(tokenOf)}
          </span>
        ))}
        {pieces.length > DRAWN ? `and ${counted(pieces.length - DRAWN)} more words` : ''}
      </section>
      <div class="merges">
        {made.map((id) => (
          <p key={id}>
            {tokenOf(id, id)} = {pairOf(tokens[id].pair!)}
          </p>
        ))}
      </div>
    </Card>
  )
}
