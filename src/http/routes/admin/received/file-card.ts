import { InletError, shownShape } from '../../../../errors.js'
import type { ModelCard } from '../../../../first-layer/cards/model-card.js'
import { uploadCard } from '../../../../first-layer/cards/seed-card.js'
import { CARD_DEFAULTS, SIZE_RANGES } from '../../../../first-layer/cards/sizes.js'
import type { TableShape } from '../../../../first-layer/embeddings/table-memory.js'
import { shownNames } from '../../../../models/errors.js'
import type { MetadataFields } from './file-metadata.js'

/**
 * The card of a model that is made from a file. The shapes of the file's tables give the model's sizes.
 *
 * @throws InletError `shape_mismatch` where `wte.weight` is missing, or a table is no [rows, C]
 */
export function fileCard(id: string, fields: MetadataFields, tables: readonly TableShape[]): ModelCard {
  const tokens = tables.find(({ name }) => name === 'wte.weight')
  if (tokens === undefined) throw noTable(tables)
  const [vocabSize, embeddingDim] = sizes(tokens, 'vocab_size')
  const rows = (name: string, size: 'max_position_embeddings' | 'type_vocab_size') => {
    const table = tables.find((each) => each.name === name)
    return table === undefined ? CARD_DEFAULTS[size] : sizes(table, size)[0]
  }
  return uploadCard(id, fields, {
    vocabSize,
    embeddingDim,
    maxPositionEmbeddings: rows('wpe.weight', 'max_position_embeddings'),
    typeVocabSize: rows('wtt.weight', 'type_vocab_size'),
    dtype: tokens.dtype,
  })
}

function noTable(tables: readonly TableShape[]): InletError {
  const given = shownNames(
    tables.map(({ name }) => name),
    'no table',
  )
  return new InletError('shape_mismatch', `"wte.weight" is needed, [V, C]. Given: ${given}`, 'wte.weight')
}

/** Rows and width of a table, checked. */
function sizes(table: TableShape, rowsName: keyof typeof SIZE_RANGES): readonly [number, number] {
  const { name, shape } = table
  const [rows, width] = shape
  const isTable = shape.length === 2 && within(rows, rowsName) && within(width, 'embedding_dim')
  if (isTable) return [rows, width]
  const rule = `must be [${rowsName}, embedding_dim], ${range(rowsName)} and ${range('embedding_dim')}`
  throw new InletError('shape_mismatch', `"${name}" ${rule}. Given: ${shownShape(shape)}`, name)
}

function within(size: number, name: keyof typeof SIZE_RANGES): boolean {
  const [least, most] = SIZE_RANGES[name]
  return size >= least && size <= most
}

function range(name: keyof typeof SIZE_RANGES): string {
  return SIZE_RANGES[name].join(' … ')
}
