import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { CARD_DEFAULTS, SIZE_RANGES } from '../../first-layer/cards/card-json.js'
import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { seedCard, uploadCard } from '../../first-layer/cards/seed-card.js'
import type { TableShape } from '../../first-layer/embeddings/table-memory.js'
import { waitWithin } from '../../first-layer/running/wait.js'
import { InletError, shownShape } from '../../service/answer/error-table.js'
import { safetensors } from '../../service/answer/formats/safetensors.js'
import type { FeatureApp } from '../../service/feature.js'
import { cardSchema } from '../../service/models/cards/card-fields.js'
import type { ModelEntry } from '../../service/models/entry.js'
import { modelExists, shownNames } from '../../service/models/errors.js'
import { JSON_TYPE } from '../../service/request/checks/head-checks.js'
import { modelPath } from '../../service/request/fields/model-path.js'
import type { ModelAdminContext } from './context.js'
import { checkModelId } from './model-path.js'
import { type MetadataFields, metadataFields } from './received/file-metadata.js'
import { fileTables } from './received/file-tables.js'
import { receiveTables } from './received/receive-tables.js'

/** `PUT /v1/models/{model}`: makes a model from a card as JSON, or from its tables. */
export function addPutModel(app: FeatureApp, { models, describe }: ModelAdminContext): void {
  const media = { consumes: [JSON_TYPE, ...safetensors.mediaTypes], produces: [JSON_TYPE] }
  const options = {
    schema: { operationId: 'putModel', params: modelPath, body: cardSchema },
    config: { needs: 'admin' as const, media },
  }
  app.put('/v1/models/:model', options, async (request, reply) => {
    const id = request.params.model
    checkModelId(id)
    const made =
      request.bodyType === JSON_TYPE ? await fromCard(request, id, request.body) : await fromFile(request, id)
    reply.code(made.made ? 201 : 200)
    return describe(made.entry)
  })

  async function fromCard(request: FastifyRequest, id: string, fields: z.output<typeof cardSchema>) {
    return waitWithin(models.admin.make(seedCard(id, fields)), { claim: request.claim })
  }

  /** Refuses an id that is taken: whether the file equals that model would be known only at the file's end. */
  async function fromFile(request: FastifyRequest, id: string): Promise<{ entry: ModelEntry; made: true }> {
    if (models.entry(id) !== undefined) throw modelExists(id)
    const uploaded = await receiveTables(request, models.admin, ({ tensors, metadata }) => {
      const fields = metadataFields(metadata)
      const tables = fileTables(tensors, [])
      return { id, card: fileCard(id, fields, tables), tables }
    })
    return { entry: uploaded, made: true }
  }
}

/**
 * The card of a model that is made from a file. The shapes of the file's tables give the model's sizes.
 *
 * @throws InletError `shape_mismatch` where `wte.weight` is missing, or a table is no [rows, C]
 */
function fileCard(id: string, fields: MetadataFields, tables: readonly TableShape[]): ModelCard {
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
