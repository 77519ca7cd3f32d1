import { figure } from './text.mjs'

/** What is promised of a figure: a ratio or an amount that it reaches at least. */
export function atLeast(what, reached, floor, unit = '×') {
  return { what, reached, bound: `at least ${floor} ${unit}`, unit, isMet: reached >= floor }
}

/** What is promised of a figure: an amount that it stays under. */
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
