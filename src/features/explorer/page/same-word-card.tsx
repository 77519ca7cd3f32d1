import { useState } from 'preact/hooks'
import { repeated } from './answer.js'
import { Card, Choice } from './card.js'
import { ChannelMap } from './heatmap.js'
import type { Answer } from './load.js'
import { cosine, limitOf, rounded } from './numbers.js'
import { selection } from './store.js'

const CARD = {
  id: 'same-word',
  title: 'The same word at two positions',
  about:
    'Choose a word that stands at two positions. Its row of the table is the same at both. What the model reads is not.',
}

/** A word that stands at two positions: one row of the table, two input embeddings. */
export function SameWordCard(current: Answer) {
  const [chosen, setChosen] = useState<number | undefined>()
  const { rows, documents } = current
  const words = repeated(current)
  const selected = documents[selection.value.document]?.ids[selection.value.token]
  const id = [chosen, selected, ...words.keys()].find((each) => each !== undefined && words.has(each))
  if (id === undefined) {
    return (
      <Card {...CARD}>
        <p class="empty">No token of these windows stands at two different positions. Write a word twice.</p>
      </Card>
    )
  }
  const found = words.get(id)!
  const two = [found[0], found.find(({ position }) => position !== found[0].position)!]
  const rowsOf = (values: Float32Array, columns: number) =>
    two.map(({ row }) => values.subarray(row * columns, (row + 1) * columns))
  const sums = rowsOf(rows.sum, rows.channels)
  const ofSums = cosine(sums[0], sums[1])
  const [firstRow, secondRow] = rowsOf(rows.token, rows.tokenChannels)
  const meter = (name: string, value: number, hidden = '') => (
    <div class={`measure ${hidden}`}>
      <span>{name}</span>
      <meter value={Math.max(0, value)} aria-label={`Cosine of the two ${name}`}>
        {rounded(value)}
      </meter>
      <b>{rounded(value)}</b>
    </div>
  )
  return (
    <Card {...CARD}>
      <Choice
        label="word"
        value={String(id)}
        options={Array.from(words, ([each, [{ name }, ...others]]) => {
          return [String(each), `${name} (${others.length + 1} times)`] as const
        })}
        onValue={(value) => setChosen(Number(value))}
      />
      <div class="measures">
        {meter('rows of the table', cosine(firstRow, secondRow))}
        {meter('input embeddings', ofSums, 'reveals')}
      </div>
      <p class="note reveals">
        {lesson(rows.position !== undefined, current.positions !== undefined, ofSums)}
      </p>
      <h3>input embeddings of “{found[0].name}”</h3>
      <ChannelMap
        name={`Input embeddings of ${found[0].name} at two positions`}
        values={Float32Array.from([...sums[0], ...sums[1]])}
        rows={2}
        columns={rows.channels}
        limit={limitOf(rows)}
        rowName={(row) => `position ${two[row].position}`}
        row={0}
      />
    </Card>
  )
}

function lesson(adds: boolean, hasScheme: boolean, sums: number): string {
  if (!hasScheme) return 'The input embeddings are equal too: without a scheme no row tells its position.'
  if (!adds) {
    return 'The input embeddings are equal too: this scheme leaves the rows alone and works inside attention, on the distance between tokens.'
  }
  return `A cosine of ${rounded(sums)}: part of the sum is the word, part of it the position. Where both tables are drawn with the same spread it is near a half: half is the word, half the position.`
}
