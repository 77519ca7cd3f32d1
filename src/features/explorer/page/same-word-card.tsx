import { useState } from 'preact/hooks'
import { type Occurrence, repeated } from './answer.js'
import { Card, MeterLine } from './card.js'
import { Heatmap } from './heatmap.js'
import { cosine, limitOf, rounded } from './numbers.js'
import { answer, select, selection } from './store.js'
import { textOf, visible } from './tokens.js'

/** A word that stands at two places: one row of the table, two input embeddings. */
export function SameWordCard() {
  const [chosen, setChosen] = useState<number | undefined>()
  const current = answer.value
  if (current === undefined) return null
  const { rows, documents } = current
  const words = repeated(current)
  const chosenId = documents[selection.value.document]?.ids[selection.value.token]
  const id = [chosen, chosenId, ...words.keys()].find((each) => each !== undefined && words.has(each))
  const about =
    'Choose a word that stands at two places. Its row of the table is the same at both. What the model reads is not.'
  if (id === undefined) {
    return (
      <Card id="same-word" title="The same word at two places" about={about}>
        <p class="empty">No token of these windows stands at two different places. Write a word twice.</p>
      </Card>
    )
  }
  const places = words.get(id) as readonly Occurrence[]
  const first = places[0]
  const second = places.find(({ place }) => place !== first.place) as Occurrence
  const { channels } = rows
  const rowOf = (values: Float32Array, { row }: Occurrence, columns = channels) =>
    values.subarray(row * columns, (row + 1) * columns)
  const [tokenOfFirst, tokenOfSecond] = [first, second].map((each) =>
    rowOf(rows.token, each, rows.tokenChannels),
  )
  const tokens = cosine(tokenOfFirst, tokenOfSecond)
  const sums = cosine(rowOf(rows.sum, first), rowOf(rows.sum, second))
  const word = (each: number) => {
    const [{ document, token }] = words.get(each) as readonly Occurrence[]
    return visible(textOf(documents[document], token))
  }
  const two = new Float32Array(2 * channels)
  two.set(rowOf(rows.sum, first))
  two.set(rowOf(rows.sum, second), channels)
  const name = ({ place }: Occurrence) => `place ${place}`
  return (
    <Card id="same-word" title="The same word at two places" about={about}>
      <label class="word-choice">
        <span>word</span>
        <select value={String(id)} onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}>
          {[...words.keys()].map((each) => (
            <option key={each} value={each}>
              {word(each)} ({words.get(each)?.length} times)
            </option>
          ))}
        </select>
      </label>
      <div class="measures">
        <MeterLine {...cosineOf('rows of the table', tokens)} />
        <MeterLine {...cosineOf('input embeddings', sums)} hidden />
      </div>
      <p class="note reveals">{lesson(rows.position !== undefined, current.positions !== undefined, sums)}</p>
      <div class="scrolls">
        <h3>input embeddings of “{word(id)}”</h3>
        <Heatmap
          name={`Input embeddings of ${word(id)} at two places`}
          values={two}
          rows={2}
          columns={channels}
          limit={limitOf(rows)}
          rowName={(row) => name(row === 0 ? first : second)}
          cell={{ row: 0, column: Math.min(selection.value.channel, channels - 1) }}
          onCell={(cell) => select({ channel: cell.column })}
        />
      </div>
    </Card>
  )
}

function cosineOf(name: string, value: number) {
  return { name, value, label: `Cosine of the two ${name}`, digits: rounded(value) }
}

function lesson(adds: boolean, hasScheme: boolean, sums: number): string {
  if (!hasScheme) return 'The input embeddings are equal too: without a scheme no row tells its place.'
  if (!adds) {
    return 'The input embeddings are equal too: this scheme leaves the rows alone and works inside attention, on the distance between tokens.'
  }
  return `A cosine of ${rounded(sums)}: part of the sum is the word, part of it the place. Where both tables are drawn with the same spread it is near a half: half is the word, half the place.`
}
