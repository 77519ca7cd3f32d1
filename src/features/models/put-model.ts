import type { FastifyRequest } from 'fastify'
import { CARD_DEFAULTS, cardSchema, isTableShape, SIZE_RANGES } from '../../first-layer/cards/card-json.js'
import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { seedCard, uploadCard } from '../../first-layer/cards/seed-card.js'
import type { TableShape } from '../../first-layer/embeddings/table-memory.js'
import { safetensors } from '../../first-layer/formats/formats.js'
import { waitWithin } from '../../first-layer/running/wait.js'
import { ITEM_BYTES } from '../../first-layer/tensors/named-tensor.js'
import type { ModelEntry } from '../../models/entry.js'
import { isModelId, MODEL_ID_RULE } from '../../models/model-id.js'
import { InletError, shown, shownShape } from '../../service/answer/error-table.js'
import type { FeatureApp } from '../../service/feature.js'
import { modelExists, shapeMismatch, shownNames } from '../../service/models/errors.js'
import type { Models } from '../../service/models/library/models.js'
import { JSON_TYPE } from '../../service/request/checks/head-checks.js'
import { modelPath } from '../../service/request/fields/model-path.js'
import type { Describe } from './describe-model.js'
import { fileTables, type MetadataFields, metadataFields, receiveTables } from './received.js'

/** `PUT /v1/models/{model}`: makes a model from a card as JSON, or from its tables. */
export function addPutModel(app: FeatureApp, models: Models, describe: Describe): void {
  const options = {
    schema: { operationId: 'putModel', params: modelPath, body: cardSchema },
    config: {
      needs: 'admin' as const,
      media: { consumes: [JSON_TYPE, ...safetensors.mediaTypes], produces: [JSON_TYPE] },
    },
  }
  app.put('/v1/models/:model', options, async (request, reply) => {
    const id = request.params.model
    if (!isModelId(id)) {
      const message = `\`model\` must be ${MODEL_ID_RULE}. Given: ${shown(id)}`
      throw new InletError('invalid_request', message, 'model')
    }
    const { entry, made } =
      request.bodyType === JSON_TYPE
        ? await waitWithin(models.admin.make(seedCard(id, request.body)), { claim: request.claim })
        : { entry: await fromFile(request, id), made: true }
    reply.code(made ? 201 : 200)
    return describe(entry)
  })

  /** Refuses an id that is taken: whether the file equals that model would be known only at the file's end. */
  function fromFile(request: FastifyRequest, id: string): Promise<ModelEntry> {
    if (models.entry(id) !== undefined) throw modelExists(id)
    return receiveTables(request, models.admin, ({ tensors, metadata }) => {
      const fields = metadataFields(metadata)
      const tables = fileTables(tensors)
      return { id, card: fileCard(id, fields, tables), tables }
    })
  }
}

/**
 * The card of a model that is made from a file. The shapes of the file's tables give the model's sizes.
 *
 * @throws InletError `shape_mismatch` where `wte.weight` is missing, or a table is no [rows, C]
 */
function fileCard(id: string, fields: MetadataFields, tables: readonly TableShape[]): ModelCard {
  const tokens = tables.find(({ name }) => name === 'wte.weight')
  if (tokens === undefined) {
    const names = tables.map(({ name }) => name)
    const message = `"wte.weight" is needed, [V, C]. Given: ${shownNames(names, 'no table')}`
    throw new InletError('shape_mismatch', message, 'wte.weight')
  }
  if (!Object.hasOwn(ITEM_BYTES, tokens.dtype))
    throw shapeMismatch(tokens, { ...tokens, dtype: 'float32' }, [])
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

/** Rows and width of a table, checked. */
function sizes({ name, shape }: TableShape, rowsName: keyof typeof SIZE_RANGES): readonly [number, number] {
  if (isTableShape(shape, rowsName)) return [shape[0], shape[1]]
  const [rows, width] = [SIZE_RANGES[rowsName], SIZE_RANGES.embedding_dim].map((range) => range.join(' … '))
  const rule = `must be [${rowsName}, embedding_dim], ${rows} and ${width}`
  throw new InletError('shape_mismatch', `"${name}" ${rule}. Given: ${shownShape(shape)}`, name)
}
