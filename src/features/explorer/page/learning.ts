import { batch, signal } from '@preact/signals'
import { type Answer, tokenRows } from './answer.js'
import type { Calls } from './calls.js'
import { renewed } from './load.js'
import { answer, isLoading, models } from './store.js'

export const history = signal<History>({ model: '', channels: 0, snapshots: [] })

export function remember(current: Answer): void {
  const rows = tokenRows(current).map(({ id, row }) => [id, row.slice()] as const)
  const seen = { version: Number(current.rows.version), rows: new Map(rows) }
  history.value = grown(history.peek(), current.model, current.rows.tokenChannels, seen)
}

/** Asks how far a model is, and for the rows on screen where these are of another version. @throws InletError */
export async function look(client: Calls, id: string, signal: AbortSignal): Promise<void> {
  const next = await client.model(id, { signal })
  const current = answer.peek()
  const isAnswer = current?.model === id && !isLoading.peek()
  const isNew = isAnswer && current.rows.version !== next.model_version
  const newest = isNew ? await renewed(client, current, next, signal) : current
  if (signal.aborted) return
  const known = models.peek().find((each) => each.id === id)
  batch(() => {
    if (JSON.stringify(known) !== JSON.stringify(next)) {
      models.value = models.peek().map((each) => (each === known ? next : each))
    }
    if (answer.peek() === current) answer.value = newest
  })
}

/** Token rows as one version of the tables has them. */
export interface Snapshot {
  readonly version: number
  /** By id; each has its buffer to itself. */
  readonly rows: ReadonlyMap<number, Float32Array>
}

/** The versions of a model's rows that the page has seen, the oldest first. */
export interface History {
  readonly model: string
  /** C of the token table. */
  readonly channels: number
  readonly snapshots: readonly Snapshot[]
}

/** A row of which a bit has changed, and the Euclidean norm of the change. */
interface Move {
  readonly id: number
  readonly norm: number
}

/** Most versions that are kept, and most numbers in all of them: 16 MB. The newest is kept whatever it has. */
const MOST_VERSIONS = 64
const MOST_NUMBERS = 1 << 22

/**
 * The history with what was seen last. Rows of a version that is known join it. It begins again with another model, another
 * width or an earlier version: these are other tables.
 */
export function grown(history: History, model: string, channels: number, seen: Snapshot): History {
  const last = history.snapshots.at(-1)
  const goesOn = history.model === model && history.channels === channels
  if (!goesOn || last === undefined || seen.version < last.version) {
    return { model, channels, snapshots: [seen] }
  }
  const isSame = seen.version === last.version
  const newest = isSame ? { ...last, rows: new Map([...last.rows, ...seen.rows]) } : seen
  const snapshots = [...(isSame ? history.snapshots.slice(0, -1) : history.snapshots), newest]
  const numbers = () => snapshots.reduce((sum, { rows }) => sum + rows.size * channels, 0)
  while (snapshots.length > MOST_VERSIONS || (snapshots.length > 1 && numbers() > MOST_NUMBERS)) {
    snapshots.shift()
  }
  return { model, channels, snapshots }
}

/** The number of rows that both versions have, and those of them that moved, the furthest first. */
export function movesOf(before: Snapshot, after: Snapshot): { compared: number; moves: readonly Move[] } {
  const moves: Move[] = []
  let compared = 0
  for (const [id, row] of after.rows) {
    const old = before.rows.get(id)
    if (old === undefined) continue
    compared++
    if (!isSameBits(old, row)) moves.push({ id, norm: distance(old, row) })
  }
  return { compared, moves: moves.sort((a, b) => b.norm - a.norm) }
}

/** A row in all versions that have it: [versions, C]. */
export function rowOver({ snapshots, channels }: History, id: number) {
  const having = snapshots.filter(({ rows }) => rows.has(id))
  const values = new Float32Array(having.length * channels)
  for (const [index, { rows }] of having.entries()) values.set(rows.get(id)!, index * channels)
  return { versions: having.map(({ version }) => version), values }
}

/** The Euclidean norm of a row, or of its difference from another one. */
export function distance(to: Float32Array, row?: Float32Array): number {
  let squares = 0
  for (let index = 0; index < to.length; index++) squares += (to[index] - (row?.[index] ?? 0)) ** 2
  return Math.sqrt(squares)
}

/** Whether two rows are equal to the bit: −0 is not 0, and a NaN is itself. */
function isSameBits(a: Float32Array, b: Float32Array): boolean {
  const [one, other] = [a, b].map((row) => new Uint32Array(row.buffer, row.byteOffset, row.length))
  return one.every((bits, index) => bits === other[index])
}
