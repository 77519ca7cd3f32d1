import { figure } from './text.mjs'

/** A promise about a figure: it reaches at least this ratio or amount. */
export function atLeast(what, reached, floor, unit = '×') {
  return { what, reached, bound: `at least ${floor} ${unit}`, unit, isMet: reached >= floor }
}

/** A promise about a figure: it stays under this amount. */
export function atMost(what, reached, ceiling, unit) {
  return { what, reached, bound: `at most ${ceiling} ${unit}`, unit, isMet: reached <= ceiling }
}

/** One line for each promise, kept or not. */
export function floorLines(floors) {
  return floors.map(
    ({ what, reached, bound, unit, isMet }) =>
      `${isMet ? 'kept  ' : 'MISSED'} ${what}: ${figure(reached)} ${unit}, ${bound}`,
  )
}
