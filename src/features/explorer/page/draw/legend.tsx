import { useEffect, useRef } from 'preact/hooks'
import { pixelsOf, STEPS } from './colour-table.js'
import { digitsOf } from './digits.js'
import { theme } from './theme.js'

/** The scale of the colours, from −limit to limit. */
export function Legend({ limit }: { readonly limit: number }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const colours = theme.value
  useEffect(() => {
    const values = Array.from({ length: STEPS }, (_, step) => (2 * step) / (STEPS - 1) - 1)
    const pixels = new ImageData(pixelsOf(values, 1, colours), STEPS, 1)
    canvas.current?.getContext('2d')?.putImageData(pixels, 0, 0)
  }, [colours])
  const end = digitsOf(Math.fround(limit))
  return (
    <p class="legend">
      <span>−{end}</span>
      <canvas
        ref={canvas}
        width={STEPS}
        height={1}
        role="img"
        aria-label={`Colours from −${end} over 0 to ${end}`}
      />
      <span>{end}</span>
      <span class="note">beyond: the last colour</span>
    </p>
  )
}
