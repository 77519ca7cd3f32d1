import { bytesOf, type SharedTables } from '../../first-layer/embeddings/table-memory.js'
import type { LearnableName } from '../../first-layer/learning/gradient-call.js'
import type { DoneStep } from '../../first-layer/learning/learner.js'
import type { LearningTable } from '../../first-layer/learning/learning-table.js'

/** Steps whose changes are kept: each of two alternating memories lacks at most the last two. */
const KEPT_STEPS = 4
/** From this share of a table's rows on, the whole table is copied. */
const WHOLE_SHARE = 1 / 2

type Changed = DoneStep['changed']

/** The rows that the last steps have changed, so that memories that readers get take over these alone. */
export class Changes {
  /** Steps so far: a memory that was brought up to date at `now` lacks what later steps change. */
  now = 0
  readonly #last: Changed[] = []

  add(changed: Changed): void {
    this.now++
    this.#last.push(changed)
    if (this.#last.length > KEPT_STEPS) this.#last.shift()
  }

  /**
   * Brings an unread memory up to date with the tables that learn.
   *
   * @param since the value of `now` when the memory was last up to date; undefined: it is new
   * @param present the tables that readers have now, for those of the model's tables that do not learn
   */
  bring(
    target: SharedTables,
    since: number | undefined,
    tables: readonly LearningTable[],
    present: SharedTables,
  ): void {
    const missed = since === undefined ? Number.POSITIVE_INFINITY : this.now - since
    if (missed > this.#last.length) copyAll(target, tables, present)
    else if (missed > 0) for (const table of tables) copyRows(target, table, this.#last.slice(-missed))
  }
}

function copyAll(target: SharedTables, tables: readonly LearningTable[], present: SharedTables): void {
  for (const place of target.places) {
    const learned = tables.find((table) => table.place.name === place.name)
    const source = present.places.find(({ name }) => name === place.name)
    if (learned !== undefined) numbersIn(target, learned).set(learned.numbers())
    else if (source !== undefined) bytesOf(target, place).set(bytesOf(present, source))
  }
}

function copyRows(target: SharedTables, table: LearningTable, steps: readonly Changed[]): void {
  const { name, rows, dim } = table.place
  const [from, to] = [table.numbers(), numbersIn(target, table)]
  const changed = steps.map((step) => step.get(name as LearnableName) ?? new Int32Array(0))
  if (changed.some(({ length }) => length > rows * WHOLE_SHARE)) {
    to.set(from)
    return
  }
  for (const some of changed) {
    for (const row of some) to.set(from.subarray(row * dim, (row + 1) * dim), row * dim)
  }
}

/** The numbers of a table that learns, in another memory. */
function numbersIn(tables: SharedTables, { place: { name, rows, dim } }: LearningTable): Float32Array {
  const place = tables.places.find((each) => each.name === name)
  if (place === undefined) throw new Error(`There is no ${name} to bring up to date.`)
  return new Float32Array(tables.memory.buffer, place.pointer, rows * dim)
}
