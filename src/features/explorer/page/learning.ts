import { signal } from '@preact/signals'
import type { Inlet } from '../../../../clients/typescript/src/index.js'
import { type Answer, tokenRows } from './answer.js'
import { renewed } from './load.js'
import { answer, isLoading } from './store.js'

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

export const history = signal<History>({ model: '', channels: 0, snapshots: [] })

export function remember(current: Answer): void {
  const { model, rows } = current
  const seen = tokenRows(current).map(({ id, row }) => [id, row.slice()] as const)
  const snapshot = { version: Number(rows.version), rows: new Map(seen) }
  history.value = grown(history.peek(), model.id, rows.tokenChannels, snapshot)
}

/** Asks how far a model is, and for the rows on screen where these are of another version. @throws InletError */
export async function look(client: Inlet, id: string, signal: AbortSignal): Promise<void> {
  const model = await client.model(id, { signal })
  const current = answer.peek()
  if (current?.model.id !== id || isLoading.peek()) return
  const isNew = current.rows.version !== model.model_version
  if (!isNew && JSON.stringify(model) === JSON.stringify(current.model)) return
  const next = isNew ? await renewed(client, current, model, signal) : { ...current, model }
  if (!signal.aborted && answer.peek() === current) answer.value = next
}

const MOST_VERSIONS = 64

/**
 * The history with what was seen last. Rows of a version that is known join it. It begins again with another model,
 * another width or an earlier version: these are other tables.
 */
export function grown(history: History, model: string, channels: number, seen: Snapshot): History {
  const last = history.snapshots.at(-1)
  const goesOn = history.model === model && history.channels === channels
  if (!goesOn || last === undefined || seen.version < last.version)
    return { model, channels, snapshots: [seen] }
  const isSame = seen.version === last.version
  const newest = isSame ? { ...last, rows: new Map([...last.rows, ...seen.rows]) } : seen
  const before = isSame ? history.snapshots.slice(0, -1) : history.snapshots
  return { model, channels, snapshots: [...before, newest].slice(-MOST_VERSIONS) }
}

/** The number of rows that both versions have, and those of which a bit changed, the furthest first. */
export function movesOf(before: Snapshot, after: Snapshot) {
  const both = [...after.rows].flatMap(([id, row]) => {
    const old = before.rows.get(id)
    return old === undefined ? [] : [{ id, row, old }]
  })
  const moved = both.filter(({ row, old }) => row.some((value, index) => !Object.is(value, old[index])))
  const moves = moved.map(({ id, row, old }) => ({ id, norm: distance(old, row) }))
  return { compared: both.length, moves: moves.sort((a, b) => b.norm - a.norm) }
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
  return Math.sqrt(to.reduce((sum, value, index) => sum + (value - (row?.[index] ?? 0)) ** 2, 0))
}
