/** Pixels and milliseconds of a slide. */
const WAY = 28
const MS = 180

/** What is new on an element slides in from the side that it comes from; where less motion is wanted, it is there. */
export function slide(element: Element | null, side: 'left' | 'right'): void {
  if (element === null || matchMedia('(prefers-reduced-motion: reduce)').matches) return
  const from = side === 'right' ? WAY : -WAY
  element.animate([{ transform: `translateX(${from}px)` }, { transform: 'none' }], {
    duration: MS,
    easing: 'ease-out',
  })
}
