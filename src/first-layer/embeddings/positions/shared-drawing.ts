import type { Steps } from '../../steps.js'
import type { DrawnTogether } from './kept-tables.js'

/** A drawing under way: which of its callers goes on with it does not matter. */
interface Drawing {
  readonly steps: Steps<DrawnTogether>
  callers: number
  tables: DrawnTogether | undefined
}

const inProgress = new Map<string, Drawing>()

/**
 * Draws tables once for all callers that ask for the same ones meanwhile. Each caller goes on with the
 * one drawing between its own pauses, so that it goes on as long as one of them is there; with the last one it ends,
 * and a later caller starts a new one.
 *
 * @param draw only pauses: each caller reserves the memory itself
 */
export function* drawShared(key: string, draw: () => Steps<DrawnTogether>): Steps<DrawnTogether> {
  const drawing = inProgress.get(key) ?? { steps: draw(), callers: 0, tables: undefined }
  inProgress.set(key, drawing)
  drawing.callers++
  try {
    while (drawing.tables === undefined) {
      const { done, value } = drawing.steps.next()
      if (!done) yield value
      else if (value !== undefined) drawing.tables = value
      else throw new Error('The drawing has failed for another caller.')
    }
    return drawing.tables
  } finally {
    drawing.callers--
    const isOver = drawing.tables !== undefined || drawing.callers === 0
    if (isOver && inProgress.get(key) === drawing) inProgress.delete(key)
  }
}
