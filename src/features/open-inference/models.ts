import { z } from 'zod'
import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { namedArchitecture } from '../../first-layer/embeddings/architectures/registry.js'
import { bindPositionEmbedding } from '../../first-layer/embeddings/positions/position-embedding.js'
import { InletError, shown } from '../../first-layer/errors.js'
import { LOOKUP_OUTPUTS } from '../../first-layer/lookups/lookup-card.js'
import { ROW_OUTPUTS } from '../../first-layer/outputs.js'
import { embeddingWidth } from '../../first-layer/pooling/pooling.js'
import type { Dtype } from '../../first-layer/tensors/named-tensor.js'
import { ID_OUTPUTS } from '../../first-layer/windows/batch.js'
import type { ModelEntry } from '../../models/entry.js'
import { HeaderedError } from '../../service/answer/error-table.js'
import type { FeatureApp, Service } from '../../service/feature.js'
import { modelFailed, modelLoading, noCard, starting } from '../../service/models/errors.js'
import type { Models } from '../../service/models/library/models.js'
import { modelPath } from '../../service/request/fields/model-path.js'
import { DATATYPES } from './answer.js'
import { INPUTS, type InputName } from './inputs.js'

const params = modelPath.extend({ version: z.string().optional() })

/** The two routes of an operation below a model: `/v2/models/:model/infer` and `/models/:model/versions/:version/infer`. */
export function modelRoutes(operationId: string, end = '') {
  return [
    { url: `/models/:model${end}`, schema: { operationId, params } },
    {
      url: `/models/:model/versions/:version${end}`,
      schema: { operationId: `${operationId}Version`, params },
    },
  ]
}

/**
 * The model that a path names.
 *
 * @throws InletError `model_not_found`, also for another version than the present one; `model_failed`, `model_loading` where nothing
 * is known of the model but its id
 */
export function pathModel(models: Models, { model, version }: z.output<typeof params>): ModelEntry {
  const entry = models.find(model)
  if (entry.hasNoCard) throw noCard(entry)
  if (entry.version !== undefined) checkVersion(version, String(entry.version.number))
  return entry
}

/** @throws InletError `model_not_found` where a path names another version than the present one */
export function checkVersion(asked: string | undefined, present: string): void {
  if (asked === undefined || asked === present) return
  const message = `\`version\` must be ${present}, the model’s present one, or left out. Given: ${shown(asked)}`
  throw new InletError('model_not_found', message, 'version')
}

const PLATFORM = 'inlet'

/** A model's metadata: `GET /v2/models/{model}`, `…/config` and `…/ready`. */
export function addInferenceModels(app: FeatureApp, { models }: Service): void {
  for (const { url, schema } of modelRoutes('getInferenceModel')) {
    app.get(url, { schema }, ({ params }) => {
      const { card, version } = pathModel(models, params)
      const versions = version === undefined ? [] : [String(version.number)]
      const [inputs, outputs] = [inputsOf(card), outputsOf(card)]
      return { name: card.id, versions, platform: PLATFORM, inputs, outputs }
    })
  }
  for (const { url, schema } of modelRoutes('getInferenceModelConfig', '/config')) {
    app.get(url, { schema }, ({ params }) => modelConfig(pathModel(models, params).card))
  }
  for (const { url, schema } of modelRoutes('getInferenceModelReady', '/ready')) {
    app.get(url, { schema }, ({ params }) => {
      const entry = pathModel(models, params)
      checkReady(entry, models.isStarting)
      return { name: entry.card.id, ready: true }
    })
  }
}

/** The metadata in the form of Triton's configuration. Requests are not batched: the shapes have an axis for it. */
function modelConfig(card: ModelCard): object {
  const tensor = ({ name, datatype, shape }: TensorMetadata) => {
    return { name, data_type: datatype === 'BYTES' ? 'TYPE_STRING' : `TYPE_${datatype}`, dims: shape }
  }
  return {
    ...{ name: card.id, platform: PLATFORM, backend: PLATFORM, max_batch_size: 0 },
    input: inputsOf(card).map((input) => ({ ...tensor(input), optional: true })),
    output: outputsOf(card).map(tensor),
  }
}

/** @throws InletError `model_loading`, `model_failed`, `loading` where the model's tables are not there */
function checkReady({ card: { id }, state, error }: ModelEntry, isStarting: boolean): void {
  if (isStarting) throw starting()
  if (state === 'ready') return
  if (state === 'failed') throw modelFailed(id, error?.message)
  if (state === 'loading') throw modelLoading(id)
  const message = `\`model\` ${shown(id)} is not loaded: a request for it loads it.`
  throw new HeaderedError('model_loading', message, 'model', { 'retry-after': '1' })
}

/** A tensor in a model's metadata; −1 is an axis of any size. */
interface TensorMetadata {
  readonly name: string
  readonly datatype: string
  readonly shape: readonly number[]
}

const ANY = -1

/** The inputs that a model takes: `text`, or `input_ids` and their companions. */
function inputsOf(card: ModelCard): readonly TensorMetadata[] {
  const names: InputName[] = card.tokenizer.type === 'none' ? [] : ['text']
  names.push('input_ids', 'attention_mask')
  if (card.pooling === undefined && architectureOf(card).steps.includes('types')) names.push('token_type_ids')
  return names.map((name) => {
    const { datatypes, anyShape } = INPUTS[name]
    return { name, datatype: datatypes[0], shape: anyShape }
  })
}

/** The outputs that a model gives under its own position scheme, with float32 as `dtype`. */
function outputsOf(card: ModelCard): readonly TensorMetadata[] {
  const { embeddingDim, hiddenSize, pooling } = card
  const tensor = (name: string, dtype: Dtype, ...shape: number[]) => {
    return { name, datatype: DATATYPES[dtype], shape }
  }
  if (pooling) return [tensor('embeddings', 'float32', ANY, embeddingWidth(pooling, embeddingDim))]
  const embeddings = ROW_OUTPUTS.map((name) =>
    tensor(name, 'float32', ANY, ANY, name === 'input_embeddings' ? hiddenSize : embeddingDim),
  )
  const beside = Object.entries(LOOKUP_OUTPUTS).flatMap(([name, { axes, isIds }]) => {
    const own = axes(card.lookups ?? {}, hiddenSize)
    return own === undefined ? [] : [tensor(name, isIds ? 'int32' : 'float32', ANY, ANY, ...own)]
  })
  const ofWindows = ['document_ids', 'window_starts']
  return [
    ...(card.tablesUnavailable === undefined ? [...embeddings, ...beside] : []),
    ...ID_OUTPUTS.map((name) => tensor(name, 'int32', ANY, ...(ofWindows.includes(name) ? [] : [ANY]))),
    ...positionTensors(card),
  ]
}

/** The position scheme's tensors: the axes that grow with the window are those that differ between two lengths. */
function positionTensors(card: ModelCard): readonly TensorMetadata[] {
  const position = bindPositionEmbedding(card.positionEmbedding)
  const { steps } = architectureOf(card)
  const { hiddenSize, maxPositionEmbeddings } = card
  const isNarrow = position.added !== undefined && steps.indexOf('positions') < steps.indexOf('project')
  const embeddingDim = isNarrow ? card.embeddingDim : hiddenSize
  const [short, long] = [1, 2].map((length) =>
    position.tensors({ length, offset: 0, maxPositionEmbeddings, embeddingDim }),
  )
  return short!.map(({ name, dtype, shape }, t) => ({
    name,
    datatype: DATATYPES[dtype],
    shape: shape.map((axis, i) => (axis === long![t].shape[i] ? axis : ANY)),
  }))
}

function architectureOf(card: ModelCard) {
  return card.layer ?? namedArchitecture(card.architecture)
}
