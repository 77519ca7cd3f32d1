import { useEffect, useRef } from 'preact/hooks'
import { theme } from '../draw/theme.js'
import { answer } from '../store.js'
import { selectToken } from './select-token.js'

/** Pixels of the picture: as many windows as it has columns stand side by side in one. */
const WIDTH = 1024
const HEIGHT = 24
/** Fewer windows are all on screen anyway. */
const FEW = 16

const COLOURS = {
  light: { window: '#9fc7c2', here: '#0b6b66' },
  dark: { window: '#2c5f5b', here: '#7fe0d8' },
}

/** All windows of a long text on one line, and where the batch on screen is. */
export function Minimap() {
  const canvas = useRef<HTMLCanvasElement>(null)
  const current = answer.value
  const colours = COLOURS[theme.value]
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (!context || current === undefined) return
    const { windowStarts, windowDocuments, documents, batch } = current
    const offsets = offsetsOf(documents.map(({ ids }) => ids.length))
    const scale = WIDTH / offsets[documents.length]
    context.clearRect(0, 0, WIDTH, HEIGHT)
    context.fillStyle = colours.window
    for (let index = 0; index < windowStarts.length; index++) {
      const left = (offsets[windowDocuments[index]] + windowStarts[index]) * scale
      context.fillRect(left, 8, Math.max(0.5, batch.length * scale - 0.5), 8)
    }
    context.fillStyle = colours.here
    for (let index = 0; index < batch.windows; index++) {
      const left = (offsets[batch.documents[index]] + batch.starts[index]) * scale
      context.fillRect(left, 0, Math.max(2, batch.length * scale), HEIGHT)
    }
  }, [current, colours])
  if (current === undefined || current.windowStarts.length <= FEW) return null
  const { counts, recipe } = current
  return (
    <canvas
      ref={canvas}
      class="minimap"
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={`All ${counts.windows} windows; batch ${recipe.batch_index} of ${counts.batches} is marked`}
      onClick={(event) => {
        const { left, width } = event.currentTarget.getBoundingClientRect()
        const offsets = offsetsOf(current.documents.map(({ ids }) => ids.length))
        const token = Math.floor(((event.clientX - left) / width) * (offsets.at(-1) as number))
        const document = offsets.findLastIndex((offset) => offset <= token)
        selectToken(document, token - offsets[document])
      }}
    />
  )
}

/** [3, 4] → [0, 3, 7]. */
function offsetsOf(lengths: readonly number[]): number[] {
  const offsets = [0]
  for (const length of lengths) offsets.push((offsets.at(-1) as number) + length)
  return offsets
}
