import { tokenRows } from './answer.js'
import type { Answer } from './load.js'

/** What is learned on this page: to say each next id of the rows on screen. Rows are of the ids on screen alone. */
export type Lesson = ReturnType<typeof lessonOf>

/** Most multiplications of a step, so that a page with wide rows stays quick. */
const MOST = 1 << 24

export function lessonOf(answer: Answer) {
  const { batch, rows } = answer
  const { length, tokenChannels: channels, positionChannels, position } = rows
  const all = tokenRows(answer)
  const at = new Map(all.map(({ id }, row) => [id, row]))
  /** Of each position with a next id on screen: the number of its row, the next one's, and what is added to its row. */
  const places = Array.from({ length: rows.windows * length }, (_, index) => {
    const column = index % length
    const slot = (rows.first + Math.floor(index / length)) * batch.length + rows.from + column
    const [input, target] = [at.get(batch.ids[slot]), at.get(batch.targets[slot])]
    if (input === undefined || target === undefined || batch.mask[slot] === 0) return []
    const isAdded = position !== undefined && positionChannels === channels
    const added = isAdded ? position.subarray(column * channels, (column + 1) * channels) : ZEROS
    return [{ input, target, added }]
  }).flat()
  return {
    ...{ ids: all.map(({ id }) => id), names: all.map(({ name }) => name), channels },
    /** The rows before learning: [n, C]. */
    rows: Float32Array.from(all.flatMap(({ row }) => [...row])),
    places: places.slice(0, Math.ceil(MOST / (all.length * channels))),
  }
}

const ZEROS = new Float32Array()

/** With rows measured in their own spread, at which a table of any model learns in some steps. */
const RATE = 1

/**
 * One step of gradient descent: x = a token's row + its position's, scores = x · tableᵀ / (σ² √C), loss = the mean cross
 * entropy of softmax(scores) and the next id. The table is input and output at once, as GPT-2's is; position rows stay.
 *
 * @param table [n, C], which is not changed
 */
export function stepOf({ rows, places, channels }: Lesson, table: Float32Array) {
  const variance = rows.reduce((sum, value) => sum + value * value, 0) / rows.length || 1
  const scale = 1 / (variance * Math.sqrt(channels))
  const gradients = new Float32Array(table.length)
  const count = table.length / channels
  let loss = 0
  for (const { input, target, added } of places) {
    const x = table.slice(input * channels, (input + 1) * channels).map((value, c) => value + (added[c] ?? 0))
    const scores = Float64Array.from({ length: count }, (_, row) => {
      let score = 0
      for (let c = 0; c < channels; c++) score += x[c] * table[row * channels + c]
      return score * scale
    })
    const most = Math.max(...scores)
    const powers = scores.map((score) => Math.exp(score - most))
    const sum = powers.reduce((total, each) => total + each)
    loss -= (scores[target] - most - Math.log(sum)) / places.length
    for (let row = 0; row < count; row++) {
      const slope = ((powers[row] / sum - (row === target ? 1 : 0)) * scale) / places.length
      for (let c = 0; c < channels; c++) {
        gradients[input * channels + c] += slope * table[row * channels + c]
        gradients[row * channels + c] += slope * x[c]
      }
    }
  }
  return { loss, table: table.map((value, index) => value - RATE * variance * gradients[index]) }
}
