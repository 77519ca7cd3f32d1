import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { LONG_TURN_MS, measureTurn, takeTurnFigures } from '../src/turn.js'

test('a turn is measured from the first request in it to its end', async () => {
  const { longTurns } = takeTurnFigures()
  measureTurn()
  const end = performance.now() + LONG_TURN_MS + 5
  while (performance.now() < end) measureTurn() // once more begins nothing anew
  await setImmediate()
  await setImmediate()
  const figures = takeTurnFigures()
  expect(figures.longTurns).toBe(longTurns + 1)
  expect(figures.longestMs).toBeGreaterThan(LONG_TURN_MS)
  expect(takeTurnFigures()).toEqual({ longTurns: longTurns + 1, longestMs: 0 })
})
