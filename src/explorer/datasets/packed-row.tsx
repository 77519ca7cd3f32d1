import { visible } from '../tokens/places.js'
import type { ReadSegment } from './load-dataset.js'
import { PADDING } from './segments.js'

/** Characters of a segment that are written into its block. */
const WRITTEN = 80

const HUES = 5

interface Props {
  readonly segments: readonly ReadSegment[]
  readonly index: number
  /** The chosen segment, where it is in this window. */
  readonly chosen: number | undefined
  readonly onChoose: (column: number) => void
}

/** A window: a block for each segment, as wide as it is long. */
export function PackedRow({ segments, index, chosen, onChoose }: Props) {
  return (
    <div role="row" class="packed-window">
      {segments.map(({ number, from, ids, text }, column) => {
        const isPadding = number === PADDING
        const words = isPadding ? '' : visible(text.slice(0, WRITTEN))
        const name = isPadding ? 'padding' : `${words}: segment ${number}`
        return (
          <button
            key={from}
            ref={(block) => block?.style.setProperty('--slots', String(ids.length))}
            type="button"
            role="gridcell"
            class={`segment ${isPadding ? 'padded' : `hue-${number % HUES}`}`}
            tabIndex={column === chosen ? 0 : -1}
            aria-selected={column === chosen}
            aria-label={`${name} of window ${index}, ${ids.length} slots`}
            onClick={() => onChoose(column)}
          >
            {words}
          </button>
        )
      })}
    </div>
  )
}
