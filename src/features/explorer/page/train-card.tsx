import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Card } from './card.js'
import { Chart } from './chart.js'
import { ChannelMap } from './heatmap.js'
import type { Answer } from './load.js'
import { counted, limitOf, rounded } from './numbers.js'
import { selection } from './store.js'
import { type Lesson, lessonOf, stepOf } from './train.js'

/** Steps that a press of the button takes. */
const STEPS = 50
/** Rows that are drawn, before and after. */
const DRAWN = 12

const ABOUT =
  'A table is drawn at random, and learns. Here the smallest model that can learn does, in this page: a token’s row plus its position’s row, multiplied by the rows of the same table, scores what comes next. There is no attention and no block; its only tokens are those on screen, and the model’s table stays as it is.'

interface State {
  readonly lesson: Lesson
  /** [n, C], with the loss of these rows as the last one. */
  readonly table: Float32Array
  readonly losses: readonly number[]
}

/** Trains the rows on screen on the text on screen, and shows them before and after. */
export function TrainCard(current: Answer) {
  const { rows, documents } = current
  const lesson = useMemo(() => lessonOf(current), [rows])
  const [state, setState] = useState<State>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [lesson])
  const { names, ids, channels, places } = lesson
  const { table, losses } = state?.lesson === lesson ? state : { table: lesson.rows, losses: [] }
  const train = (left: number, now: Float32Array, before: readonly number[]) => {
    const { loss, table: next } = stepOf(lesson, now)
    const all = [...before, loss]
    setState({ lesson, table: now, losses: all })
    if (left > 0) timer.current = setTimeout(() => train(left - 1, next, all))
  }
  const selected = documents[selection.value.document]?.ids[selection.value.token]
  const chosen = Math.max(0, ids.indexOf(selected ?? -1))
  const first = chosen - (chosen % DRAWN)
  const shown = {
    rows: Math.min(DRAWN, ids.length - first),
    columns: channels,
    limit: limitOf(rows),
    row: chosen - first,
    rowName: (row: number) => names[first + row],
  }
  const part = [first * channels, (first + DRAWN) * channels] as const
  const steps = losses.length - 1
  return (
    <Card id="train" title="Rows that learn" about={ABOUT}>
      {places.length === 0 ? <p class="empty">No token on screen has another one after it.</p> : null}
      <div class="buttons">
        <button
          type="button"
          disabled={places.length === 0}
          onClick={() => {
            clearTimeout(timer.current)
            train(STEPS, table, losses.slice(0, -1))
          }}
        >
          {steps > 0 ? `Go on: ${STEPS} more steps` : `Train ${STEPS} steps`}
        </button>
      </div>
      {steps > 0 ? (
        <>
          <p class="facts-line">
            After <b>{counted(steps)}</b> steps of gradient descent over {counted(places.length)} positions:
            the loss was <b>{rounded(losses[0])}</b> and is <b>{rounded(losses[steps])}</b>; to guess among{' '}
            {ids.length} ids costs {rounded(Math.log(ids.length))}.
          </p>
          <Chart title="The loss over the steps" series={[{ name: 'loss', values: losses }]} xName="step" />
          {Object.entries({ before: lesson.rows, after: table }).map(([when, all]) => (
            <div key={when}>
              <h3>rows {when}</h3>
              <ChannelMap name={`Rows ${when}`} values={all.subarray(...part)} {...shown} />
            </div>
          ))}
        </>
      ) : null}
    </Card>
  )
}
