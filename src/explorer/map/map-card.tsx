import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Model } from '../../../clients/typescript/src/index.js'
import { Card } from '../draw/card.js'
import { history } from '../learning/look.js'
import { answer, model } from '../store.js'
import { layFlat } from './lay-flat.js'
import { type Kind, type MapRow, mapRows } from './map-rows.js'
import { Neighbors } from './neighbors.js'
import type { PcaAnswer } from './pca-worker.js'
import { Scatter } from './scatter.js'

const KINDS: readonly (readonly [Kind, string])[] = [
  ['token', 'token rows'],
  ['position', 'position rows'],
  ['sum', 'sums'],
]

/** Fewer rows are no map. */
const FEWEST = 3

/** Versions that the path of a row leads back. */
const PATH = 8

interface Drawn {
  readonly rows: readonly MapRow[]
  readonly flat: PcaAnswer
}

/** The rows on screen, laid flat. */
export function MapCard() {
  const [kind, setKind] = useState<Kind>('token')
  const [drawn, setDrawn] = useState<Drawn | undefined>()
  const [chosen, setChosen] = useState<MapRow | undefined>()
  const current = answer.value
  const rows = useMemo(() => (current === undefined ? [] : mapRows(current, kind)), [current, kind])
  useEffect(() => {
    let isLatest = true
    setChosen((was) => rows.find(({ key, position }) => key === was?.key && position === was.position))
    if (rows.length < FEWEST) setDrawn(undefined)
    else {
      void layFlat(
        rows.map(({ row }) => row),
        kind === 'token' ? before(rows) : [],
      ).then((flat) => {
        if (isLatest) setDrawn({ rows, flat })
      })
    }
    return () => {
      isLatest = false
    }
  }, [rows])
  if (current === undefined) return null
  return (
    <Card
      id="map"
      title="A map of the rows"
      about="Rows are points in a space of C dimensions. The two directions in which these lie furthest apart make a map."
    >
      <fieldset class="tabs">
        <legend>rows</legend>
        {KINDS.map(([each, name]) => (
          <label key={each} class={each === kind ? 'on' : ''}>
            <input type="radio" name="map" checked={each === kind} onChange={() => setKind(each)} />
            {name}
          </label>
        ))}
      </fieldset>
      {drawn === undefined ? (
        <p class="empty">
          {rows.length === 0
            ? 'This scheme adds no position rows.'
            : 'Three different rows at least make a map.'}
        </p>
      ) : (
        <>
          <Scatter rows={drawn.rows} flat={drawn.flat} chosen={chosen?.key} onChoose={setChosen} />
          <p class="note">
            Left to right has {percent(drawn.flat.variance[0])} of the variance, bottom to top{' '}
            {percent(drawn.flat.variance[1])}. {meaningOf(model.value)}
            {drawn.flat.before.length === 0 ? '' : ' Lines lead from where rows were in the versions before.'}
          </p>
        </>
      )}
      {chosen === undefined || kind === 'sum' ? null : <Neighbors key={chosen.key} of={chosen} />}
    </Card>
  )
}

/** The token rows on screen in the versions before, those that have all of them. */
function before(rows: readonly MapRow[]): Float32Array[][] {
  return history
    .peek()
    .snapshots.slice(-1 - PATH, -1)
    .map((snapshot) => rows.flatMap(({ id }) => snapshot.rows.get(id as number) ?? []))
    .filter(({ length }) => length === rows.length)
}

const MEANINGS: Readonly<Record<Model['tables']['source'], string>> = {
  seed: 'This model’s tables were drawn at random: nothing was learned, so near and far mean nothing yet.',
  folder: 'This table was trained: rows of like tokens lie near each other.',
  learned: 'This table learns: rows of tokens that are used alike come to lie near each other.',
  upload: 'This table was uploaded: if it was trained, rows of like tokens lie near each other.',
}

/** The meaning of near and far on a model's map; '' where the origin of its tables is not known. */
function meaningOf(model: Model | undefined): string {
  if (model === undefined) return ''
  return MEANINGS[model.tables?.source] ?? ''
}

/** 0.0123 → 1.2 %. */
function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`
}
