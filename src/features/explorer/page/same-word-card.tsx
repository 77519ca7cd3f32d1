import { useState } from 'preact/hooks'
import { type Occurrence, repeated } from './answer.js'
import { Card, MeterLine } from './card.js'
import { ChannelMap } from './heatmap.js'
import { cosine, limitOf, rounded } from './numbers.js'
import { answer, selection } from './store.js'
import { visibleText } from './tokens.js'

const CARD = {
  id: 'same-word',
  title: 'The same word at two positions',
  about:
    'Choose a word that stands at two positions. Its row of the table is the same at both. What the model reads is not.',
}

/** A word that stands at two positions: one row of the table, two input embeddings. */
export function SameWordCard() {
  const [chosen, setChosen] = useState<number | undefined>()
  const current = answer.value
  if (current === undefined) return null
  const { rows, documents } = current
  const words = repeated(current)
  const chosenId = documents[selection.value.document]?.ids[selection.value.token]
  const id = [chosen, chosenId, ...words.keys()].find((each) => each !== undefined && words.has(each))
  if (id === undefined) {
    return (
      <Card {...CARD}>
        <p class="empty">No token of these windows stands at two different positions. Write a word twice.</p>
      </Card>
    )
  }
  const found = words.get(id) as readonly Occurrence[]
  const second = found.find(({ place }) => place !== found[0].place) as Occurrence
  const two = [found[0], second]
  const rowsOf = (values: Float32Array, columns: number) =>
    two.map(({ row }) => values.subarray(row * columns, (row + 1) * columns))
  const [firstSum, secondSum] = rowsOf(rows.sum, rows.channels)
  const [firstRow, secondRow] = rowsOf(rows.token, rows.tokenChannels)
  const sums = cosine(firstSum, secondSum)
  const word = (each: number) => {
    const [{ document, token }] = words.get(each) as readonly Occurrence[]
    return visibleText(documents[document], token)
  }
  return (
    <Card {...CARD}>
      <label class="word-choice">
        <span>word</span>
        <select value={String(id)} onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}>
          {[...words].map(([each, { length }]) => (
            <option key={each} value={each}>
              {word(each)} ({length} times)
            </option>
          ))}
        </select>
      </label>
      <div class="measures">
        <MeterLine {...cosineOf('rows of the table', cosine(firstRow, secondRow))} />
        <MeterLine {...cosineOf('input embeddings', sums)} hidden />
      </div>
      <p class="note reveals">{lesson(rows.position !== undefined, current.positions !== undefined, sums)}</p>
      <div class="scrolls">
        <h3>input embeddings of “{word(id)}”</h3>
        <ChannelMap
          name={`Input embeddings of ${word(id)} at two positions`}
          values={Float32Array.from([...firstSum, ...secondSum])}
          rows={2}
          columns={rows.channels}
          limit={limitOf(rows)}
          rowName={(row) => `position ${two[row].place}`}
          row={0}
        />
      </div>
    </Card>
  )
}

function cosineOf(name: string, value: number) {
  return { name, value, label: `Cosine of the two ${name}`, digits: rounded(value) }
}

function lesson(adds: boolean, hasScheme: boolean, sums: number): string {
  if (!hasScheme) return 'The input embeddings are equal too: without a scheme no row tells its position.'
  if (!adds) {
    return 'The input embeddings are equal too: this scheme leaves the rows alone and works inside attention, on the distance between tokens.'
  }
  return `A cosine of ${rounded(sums)}: part of the sum is the word, part of it the position. Where both tables are drawn with the same spread it is near a half: half is the word, half the position.`
}
