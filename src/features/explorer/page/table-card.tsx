import { useMemo } from 'preact/hooks'
import { Card } from './card.js'
import { useLoaded } from './flow.js'
import { ChannelMap } from './heatmap.js'
import { type Answer, tokenTexts } from './load.js'
import { counted, limitOf, ordinal } from './numbers.js'
import { selection } from './store.js'
import { visible } from './tokens.js'

/** Rows that are shown on each side of the selected one. A table of a few rows is shown whole. */
const BESIDE = 2
const FEW = 8
/** Width of the picture of all rows side by side, with marks at those of this text. */
const WIDTH = 1024

/** The table of V rows, and the row that the selected token takes. */
export function TableCard({ documents, rows, batch, model }: Answer) {
  const id = documents[selection.value.document]?.ids[selection.value.token] ?? 0
  const taken = useMemo(() => [...new Set(batch.ids)], [batch])
  const near = useLoaded(`${model.id} ${rows.version} ${id}`, async (client) => {
    const beside = model.vocab_size > FEW ? BESIDE : FEW
    const first = Math.max(0, id - beside)
    const count = Math.min(model.vocab_size, id + beside + 1) - first
    const ids = Array.from({ length: count }, (_, index) => first + index)
    const fields = { input_ids: ids, model: model.id, position_embedding: 'none' as const }
    const [texts, tensors] = await Promise.all([
      tokenTexts(client, model, ids),
      client.inputEmbeddings({ ...fields, outputs: ['token_embeddings'] }),
    ])
    const { shape, data } = tensors.get('token_embeddings')!
    return { id, first, texts, columns: shape[2], values: data as Float32Array }
  })
  const [size, channels] = [model.vocab_size, rows.tokenChannels]
  const zeros = (count: number) => (count === 0 ? null : <span class="note">{counted(count)} × 0</span>)
  const mark = (each: number, name: string) => (
    <rect key={each} class={name} x={(each / size) * WIDTH} width={Math.max(2, WIDTH / size)} height="1" />
  )
  return (
    <Card
      id="table"
      title="Token table"
      about="The table has one row for each id. An id is no more than the number of its row: the same id gives the same row, wherever it stands."
      gives={{ B: batch.windows, T: batch.length, C: channels }}
    >
      <figure class="table-bar">
        <svg
          viewBox={`0 0 ${WIDTH} 1`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`The table's ${counted(size)} rows; marked are ${taken.length} that this batch takes, and row ${counted(id)}`}
        >
          {taken.map((each) => mark(each, 'mark'))}
          {mark(id, 'chosen')}
        </svg>
        <figcaption>
          <span>row 0</span>
          <span>row {counted(size - 1)}</span>
        </figcaption>
      </figure>
      <p class="facts-line">
        id {counted(id)} is the <b class="reveals">{ordinal(id + 1)}</b> row
        <span class="reveals">, because counting starts at 0</span>.
      </p>
      {near === undefined ? null : (
        <ChannelMap
          name="Rows of the table"
          {...{ values: near.values, rows: near.texts.length, columns: near.columns }}
          limit={limitOf(rows)}
          rowName={(row) => `${near.first + row} ${visible(near.texts[row])}`}
          row={near.id - near.first}
        />
      )}
      <p class="note">
        {counted(size)} × {counted(channels)} numbers: {megabytes(size * channels)} as float32. GPT-3’s table
        is 50,257 × 12,288, and it has 2,048 position rows: {megabytes((50_257 + 2048) * 12_288)}.
      </p>
      <details class="more">
        <summary>As a product</summary>
        <p class="vector">
          [ {zeros(id)} <b>1</b> {zeros(size - id - 1)} ] · table [{counted(size)}, {counted(channels)}] = row{' '}
          {counted(id)}
        </p>
        <p class="note">
          {counted(size * channels)} multiplications, of which all but {counted(channels)} are by 0: a lookup
          gives the same numbers and takes one row. This is why an embedding layer is a linear layer without
          its multiplications.
        </p>
      </details>
    </Card>
  )
}

/** The bytes of float32 numbers: 2,570.9 MB → "2.57 GB". */
function megabytes(numbers: number): string {
  const names = ['bytes', 'kB', 'MB', 'GB']
  const power = Math.min(3, Math.floor(Math.log10(4 * numbers) / 3))
  return `${Number(((4 * numbers) / 1000 ** power).toPrecision(3))} ${names[power]}`
}
