import { drawnOnDemand } from '../first-layer/cards/draw-tables.js'
import type { ModelCard } from '../first-layer/cards/model-card.js'
import { specOf } from '../first-layer/cards/model-spec.js'
import { Model } from '../first-layer/embeddings/model.js'
import type { SharedTables } from '../first-layer/embeddings/table-memory.js'
import type { Tokenizer } from '../first-layer/tokens/tokenizer.js'
import { openLookups } from './lookups/open-lookups.js'

/**
 * A model in this thread, over tables that all threads share.
 *
 * @param failed called where its rows on disk cannot be read
 */
export async function bindModel(
  card: ModelCard,
  tables: SharedTables,
  tokenizer: Tokenizer,
  { thread, version }: { readonly thread: number; readonly version: string },
  failed?: (error: Error) => void,
): Promise<Model> {
  const lookups = card.lookups && (await openLookups(card, { mayWait: true, failed }))
  const drawn: ConstructorParameters<typeof Model>[0]['drawn'] = (name) => drawnOnDemand(card, name)
  return new Model({ spec: specOf(card, tokenizer), version, tables, thread, lookups, drawn })
}
