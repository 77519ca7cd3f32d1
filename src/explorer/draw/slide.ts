/** Pixels and milliseconds of a slide. */
const WAY = 28
const MS = 180

/** Slides an element's new content in from the side that it comes from; does nothing where the reader asks for less motion. */
export function slide(element: Element | null, side: 'left' | 'right'): void {
  if (element === null || matchMedia('(prefers-reduced-motion: reduce)').matches) return
  const from = side === 'right' ? WAY : -WAY
  element.animate([{ transform: `translateX(${from}px)` }, { transform: 'none' }], {
    duration: MS,
    easing: 'ease-out',
  })
}
