import type { OutputName } from '../../../../../clients/typescript/src/index.js'
import type { Calls } from '../calls.js'
import { rowsFields } from '../recipe/calls.js'
import type { Recipe } from '../recipe/recipe.js'
import type { Batch, Rows } from './answer.js'

/** Most places of a window, and windows, of which rows are on screen. */
const SHOWN_PLACES = 32
export const SHOWN_WINDOWS = 8

/** Most numbers of a block of rows on screen. */
const MOST_NUMBERS = 1 << 20

/** The part of a batch that is on screen. */
export interface View {
  readonly first: number
  readonly from: number
}

/** The part that a place lies in. */
export function viewOf({ window, place }: { window: number; place: number }): View {
  return {
    first: window - (window % SHOWN_WINDOWS),
    from: place - (place % SHOWN_PLACES),
  }
}

/**
 * The rows of a view of the batch: ids as they stand in the windows, at the positions where they stand.
 *
 * @param channels C, where it is known: wide rows come fewer at a time
 */
export async function loadRows(
  client: Calls,
  recipe: Recipe,
  batch: Batch,
  view: View,
  options: { readonly adds: boolean; readonly channels?: number; readonly signal?: AbortSignal },
): Promise<Rows> {
  const { channels = 256, adds, signal } = options
  const length = Math.min(SHOWN_PLACES, batch.length - view.from)
  const most = Math.max(1, Math.floor(MOST_NUMBERS / (length * channels)))
  const windows = Math.min(SHOWN_WINDOWS, batch.windows - view.first, most)
  const ids = Array.from({ length: windows }, (_, index) => {
    const start = (view.first + index) * batch.length + view.from
    return Array.from(batch.ids.subarray(start, start + length))
  })
  const outputs: OutputName[] = ['token_embeddings', 'input_embeddings']
  if (adds) outputs.push('position_embeddings')
  const offset = (recipe.position_offset ?? 0) + view.from
  const tensors = await client.inputEmbeddings(rowsFields(recipe, ids, offset, outputs), { signal })
  const token = tensors.get('token_embeddings')!
  const sum = tensors.get('input_embeddings')!
  const position = tensors.get('position_embeddings')
  return {
    ...view,
    version: tensors.metadata.model_version,
    windows,
    length,
    channels: sum.shape[2],
    tokenChannels: token.shape[2],
    positionChannels: position?.shape[1] ?? 0,
    token: token.data as Float32Array,
    sum: sum.data as Float32Array,
    position: position?.data as Float32Array | undefined,
  }
}
