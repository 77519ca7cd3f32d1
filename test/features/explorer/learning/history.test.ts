import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  distance,
  grown,
  type History,
  movesOf,
  rowOver,
  type Snapshot,
} from '../../../../src/features/explorer/page/learning.js'
import { checkProperty } from '../../../property.js'

const EMPTY: History = { model: '', channels: 0, snapshots: [] }

const snapshot = (version: number, rows: Readonly<Record<number, readonly number[]>>): Snapshot => ({
  version,
  rows: new Map(Object.entries(rows).map(([id, row]) => [Number(id), Float32Array.from(row)])),
})

const historyOf = (...snapshots: Snapshot[]) =>
  snapshots.reduce((history, each) => grown(history, 'm', 2, each), EMPTY)

const versionsOf = ({ snapshots }: History) => snapshots.map(({ version }) => version)

describe('rows that moved', () => {
  it('are those of which a bit differs, the furthest first', () => {
    const before = snapshot(1, { 5: [1, 2], 6: [0, 0], 7: [3, 4], 8: [1, 1] })
    const after = snapshot(2, { 5: [1, 2], 6: [3, 4], 7: [3, 4.5], 9: [1, 1] })
    expect(movesOf(before, after)).toEqual({
      compared: 3,
      moves: [
        { id: 6, norm: 5 },
        { id: 7, norm: 0.5 },
      ],
    })
  })

  it('have moved from 0 to −0 too, and a NaN that stays has not', () => {
    const before = snapshot(1, { 1: [0, 1], 2: [Number.NaN, 1] })
    const after = snapshot(2, { 1: [-0, 1], 2: [Number.NaN, 1] })
    expect(movesOf(before, after).moves).toEqual([{ id: 1, norm: 0 }])
  })

  it('are found in parts of larger buffers', async () => {
    const rows = fc.array(fc.tuple(fc.float({ noNaN: true }), fc.float({ noNaN: true })), { minLength: 1 })
    await checkProperty(
      fc.property(rows, fc.nat(), (numbers, at) => {
        const old = Float32Array.from(numbers.flat())
        const next = old.slice()
        const moved = at % next.length
        new Uint32Array(next.buffer)[moved]! ^= 1
        const parts = (values: Float32Array) =>
          new Map(numbers.map((_, id) => [id, values.subarray(2 * id, 2 * id + 2)]))
        const { compared, moves } = movesOf(
          { version: 1, rows: parts(old) },
          { version: 2, rows: parts(next) },
        )
        expect(compared).toBe(numbers.length)
        expect(moves.map(({ id }) => id)).toEqual([Math.floor(moved / 2)])
      }),
      200,
    )
  })
})

describe('a history', () => {
  it('has each version once, and rows that join it', () => {
    const history = historyOf(
      snapshot(3, { 1: [1, 0] }),
      snapshot(5, { 1: [2, 0] }),
      snapshot(5, { 2: [9, 9] }),
      snapshot(9, { 1: [3, 0], 2: [9, 8] }),
    )
    expect(versionsOf(history)).toEqual([3, 5, 9])
    expect(rowOver(history, 1)).toEqual({
      versions: [3, 5, 9],
      values: Float32Array.from([1, 0, 2, 0, 3, 0]),
    })
    expect(rowOver(history, 2).versions).toEqual([5, 9])
    expect(rowOver(history, 3)).toEqual({ versions: [], values: new Float32Array() })
  })

  it('begins again with another model, another width, an earlier version', () => {
    const history = historyOf(snapshot(3, { 1: [1, 0] }), snapshot(5, { 1: [2, 0] }))
    const next = snapshot(6, { 1: [2, 0] })
    expect(versionsOf(grown(history, 'm', 2, next))).toEqual([3, 5, 6])
    expect(versionsOf(grown(history, 'n', 2, next))).toEqual([6])
    expect(versionsOf(grown(history, 'm', 3, next))).toEqual([6])
    expect(versionsOf(grown(history, 'm', 2, snapshot(4, {})))).toEqual([4])
  })

  it('forgets the oldest', () => {
    const many = historyOf(...Array.from({ length: 100 }, (_, version) => snapshot(version, { 1: [1, 2] })))
    expect(versionsOf(many)).toEqual(Array.from({ length: 64 }, (_, index) => 36 + index))
  })

  it('measures in float64', () => {
    expect(distance(Float32Array.from([3, 4]))).toBe(5)
    const [a, b] = [Float32Array.of(1), Float32Array.of(2 ** -30)]
    expect(distance(a, b)).toBe(1 - 2 ** -30)
  })
})
