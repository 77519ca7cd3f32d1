import { Card } from './card.js'
import { useLoaded } from './flow.js'
import { Heatmap } from './heatmap.js'
import type { Answer } from './load.js'
import { counted, limitOf } from './numbers.js'
import { at } from './store.js'

/** The rows of n-grams that the selected token takes beside its own. Nothing for a model without such tables. */
export function LookupsCard({ model, batch }: Answer) {
  const tables = model.memory?.ngrams
  const { window, position } = at.value ?? { window: 0, position: 0 }
  const start = window * batch.length
  const ids = Array.from(batch.ids.subarray(start, start + position + 1))
  const key = tables && `${model.id} ${ids}`
  const loaded = useLoaded(key, async (client) => {
    const outputs = ['ngram_ids', 'ngram_embeddings'] as const
    const fields = { input_ids: ids, model: model.id, outputs: [...outputs] }
    const tensors = await client.inputEmbeddings(fields)
    // Of all tokens up to the selected one, whose part is the last.
    const [rows, values] = outputs.map((name) =>
      tensors.get(name)!.data.subarray(-tensors.get(name)!.shape[2]),
    )
    return { model: model.id, rows, values }
  })
  if (tables === undefined || loaded === undefined || loaded.model !== model.id) return null
  let [head, end] = [0, 0]
  return (
    <Card
      id="memory"
      title="Rows of n-grams"
      about="Beside its own row a token takes rows that it shares with the tokens before it: a hash of the last few ids is the number of each. The same word after other words takes other rows."
    >
      {tables.map(({ layer, heads, width, context }) => {
        const rows = loaded.rows.subarray(head, head + heads)
        const values = loaded.values.subarray(end, end + heads * width)
        head += heads
        end += heads * width
        const name = layer === 0 ? 'Added before the first layer' : `For layer ${layer}`
        return (
          <div key={layer} class="scrolls">
            <h3>
              {name}, of the token and the {context} before it
            </h3>
            <Heatmap
              {...{ name, values, rows: heads, columns: width }}
              limit={limitOf({ token: Float32Array.from(values) })}
              rowName={(row) => `row ${counted(rows[row])}`}
            />
          </div>
        )
      })}
    </Card>
  )
}
