import { encodingName, type ModelCard } from '../../../first-layer/cards/model-card.js'
import { bytesOf, bytesOfAll, type SharedTables } from '../../../first-layer/embeddings/table-memory.js'
import { POOLING_TABLES } from '../../../first-layer/pooling/pooling.js'
import { writeHeader } from '../../../first-layer/tensors/safetensors/safetensors-file.js'
import type { ModelEntry, ModelVersion } from '../../../service/models/entry.js'

/** Tables are sent in blocks of at most 1 MiB. */
const BLOCK_BYTES = 1 << 20

/** Tables as one safetensors file. */
export interface TableFile {
  readonly header: Buffer
  readonly bytes: number
  blocks(): AsyncGenerator<Uint8Array, void, void>
}

/** The file of one version of a model, without those of a static model's pooling. A `PUT` of this file under another id makes a model with the same rows. */
export function tableFile({ card }: ModelEntry, { tables }: ModelVersion): TableFile {
  const places = tables.places.filter(({ name }) => !POOLING_TABLES.includes(name))
  const header = writeHeader(cardMetadata(card), places)
  return {
    header,
    bytes: header.length + bytesOfAll(places),
    blocks: () => fileBlocks(header, tables, places),
  }
}

async function* fileBlocks(
  header: Buffer,
  tables: SharedTables,
  places: SharedTables['places'],
): AsyncGenerator<Uint8Array, void, void> {
  yield header
  for (const place of places) {
    const bytes = bytesOf(tables, place)
    for (let at = 0; at < bytes.length; at += BLOCK_BYTES) yield bytes.subarray(at, at + BLOCK_BYTES)
  }
}

/** The fields of a card that the tables' shapes do not give, as strings. */
function cardMetadata(card: ModelCard): Record<string, string> {
  const encoding = encodingName(card)
  return {
    ...(encoding !== undefined && { encoding }),
    architecture: card.architecture,
    position_embedding: JSON.stringify(card.positionEmbedding),
  }
}
