import { signal } from '@preact/signals'
import type { Dataset, DatasetRecipe } from './dataset-recipe.js'
import type { DatasetAnswer } from './load-dataset.js'

/** The datasets of the service; undefined: it has no routes of them, or was not asked yet. */
export const datasets = signal<readonly Dataset[] | undefined>(undefined)

/** The batch of a dataset that is on screen in place of the text's; undefined: the text's. */
export const datasetRecipe = signal<DatasetRecipe | undefined>(undefined)

/** The last whole answer about a dataset. */
export const datasetAnswer = signal<DatasetAnswer | undefined>(undefined)

const FIRST = { context_length: 256, batch_size: 4, packing: 'best_fit', tail: 'pad', batch: 0 } as const

/** Shows a dataset in place of the text; undefined: the text again. */
export function chooseDataset(id: string | undefined): void {
  if (id === undefined) {
    datasetRecipe.value = undefined
    return
  }
  const hasPads = datasets.peek()?.find((each) => each.id === id)?.encoding != null
  datasetRecipe.value = {
    ...(datasetRecipe.peek() ?? FIRST),
    ...{ dataset: id, batch: 0, pad_token_id: hasPads ? undefined : 0 },
  }
}

/** Changes some fields of the recipe; the first batch follows unless one is named. */
export function changeDataset(fields: Partial<DatasetRecipe>): void {
  const { value } = datasetRecipe
  if (value !== undefined) datasetRecipe.value = { ...value, batch: 0, ...fields }
}
