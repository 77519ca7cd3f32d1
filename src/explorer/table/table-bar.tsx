import { useEffect, useRef } from 'preact/hooks'
import { counted } from '../draw/digits.js'
import { theme } from '../draw/theme.js'

interface Props {
  readonly size: number
  readonly ids: readonly number[]
  readonly chosen: number
}

const WIDTH = 1024
const HEIGHT = 28
const COLOURS = {
  light: { table: '#e4e9f5', mark: '#7d93cb', chosen: '#1f3b86' },
  dark: { table: '#222b41', mark: '#6f88c9', chosen: '#c6d4ff' },
}

/** All V rows of the table side by side, and marks where the rows of this text are. */
export function TableBar({ size, ids, chosen }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const colours = COLOURS[theme.value]
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (!context) return
    const width = Math.max(2, WIDTH / size)
    const mark = (id: number, colour: string) => {
      context.fillStyle = colour
      context.fillRect((id / size) * WIDTH, 0, width, HEIGHT)
    }
    context.fillStyle = colours.table
    context.fillRect(0, 0, WIDTH, HEIGHT)
    for (const id of ids) mark(id, colours.mark)
    mark(chosen, colours.chosen)
  }, [size, ids, chosen, colours])
  return (
    <figure class="table-bar">
      <canvas
        ref={canvas}
        width={WIDTH}
        height={HEIGHT}
        role="img"
        aria-label={`The table's ${counted(size)} rows; marked are ${ids.length} that this batch takes, and row ${counted(chosen)}`}
      />
      <figcaption>
        <span>row 0</span>
        <span>row {counted(size - 1)}</span>
      </figcaption>
    </figure>
  )
}
