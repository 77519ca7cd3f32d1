import type { Answer } from '../answer/answer.js'
import { counted } from '../draw/digits.js'
import { textOf } from '../tokens/document-places.js'
import { visible } from '../tokens/places.js'
import { windowFacts } from './window-facts.js'

interface Props {
  readonly answer: Answer
  readonly index: number
  readonly from: number
  readonly to: number
  /** The focused place, where the window has it. */
  readonly place: number | undefined
  readonly onPlace: (place: number) => void
}

/** The target of a padded slot. */
const NO_TARGET = -100

/** A window: its inputs, and below each the token that comes after it. */
export function WindowRow({ answer, index, from, to, place, onPlace }: Props) {
  const { batch, documents } = answer
  const { number, inText, document, start, overlap, gap } = windowFacts(answer, index)
  const text = documents[document]
  const places = Array.from({ length: to - from }, (_, offset) => from + offset)
  const word = (token: number) => (token < text.ids.length ? visible(textOf(text, token)) : '')
  return (
    <div role="row" aria-rowindex={index + 1} class="window">
      <div role="rowheader" class="window-name">
        <b>window {counted(number)}</b>
        <span>
          {documents.length > 1 ? `document ${document}, ` : ''}from token {counted(start)}
        </span>
        {answer.recipe.shuffle ? <span>{counted(inText)} in the text’s order</span> : null}
        {gap > 0 ? <span class="gap">{gap} skipped before it</span> : null}
      </div>
      {places.map((each) => {
        const slot = index * batch.length + each
        const isPadded = batch.mask[slot] === 0
        const target = batch.targets[slot]
        const input = isPadded ? 'pad' : word(start + each)
        const next = target === NO_TARGET ? 'no target' : word(start + each + 1) || String(target)
        const classes = [
          'slot',
          isPadded ? 'padded' : `hue-${(start + each) % 5}`,
          each < overlap ? 'shared' : '',
        ]
        return (
          <button
            key={each}
            type="button"
            role="gridcell"
            aria-colindex={each + 1}
            tabIndex={each === place ? 0 : -1}
            aria-selected={each === place}
            class={classes.join(' ')}
            data-slot={`${index} ${each}`}
            aria-label={`${input} ${next}: place ${each}, id ${batch.ids[slot]}`}
            onClick={() => onPlace(each)}
          >
            <span class="input">{input}</span> <span class="target reveals">{next}</span>
          </button>
        )
      })}
    </div>
  )
}
