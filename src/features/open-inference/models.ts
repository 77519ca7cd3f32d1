import { HeaderedError, shown } from '../../service/answer/error-table.js'
import type { FeatureApp } from '../../service/feature.js'
import type { ModelEntry } from '../../service/models/entry.js'
import { modelFailed, modelLoading, starting } from '../../service/models/errors.js'
import { type InferenceContext, type ModelPath, modelRoutes } from './context.js'
import { pathModel } from './model-version.js'
import { inputMetadata, outputMetadata, type TensorMetadata } from './tensor-metadata.js'

const PLATFORM = 'inlet'

/** A model's metadata: `GET /v2/models/{model}`, `…/config` and `…/ready`. */
export function addInferenceModels(app: FeatureApp, { models }: InferenceContext): void {
  for (const { url, schema } of modelRoutes('getInferenceModel')) {
    app.get<ModelPath>(url, { schema }, ({ params }) => modelMetadata(pathModel(models, params)))
  }
  for (const { url, schema } of modelRoutes('getInferenceModelConfig', 'config')) {
    app.get<ModelPath>(url, { schema }, ({ params }) => modelConfig(pathModel(models, params)))
  }
  for (const { url, schema } of modelRoutes('getInferenceModelReady', 'ready')) {
    app.get<ModelPath>(url, { schema }, ({ params }) => {
      const entry = pathModel(models, params)
      checkReady(entry, models.isStarting)
      return { name: entry.card.id, ready: true }
    })
  }
}

function modelMetadata({ card, version }: ModelEntry): object {
  return {
    name: card.id,
    versions: version === undefined ? [] : [String(version.number)],
    platform: PLATFORM,
    inputs: inputMetadata(card),
    outputs: outputMetadata(card),
  }
}

/** The metadata in the form of Triton's configuration. Requests are not batched: an axis for it stands in the shapes. */
function modelConfig({ card }: ModelEntry): object {
  const tensor = ({ name, datatype, shape }: TensorMetadata) => {
    return { name, data_type: datatype === 'BYTES' ? 'TYPE_STRING' : `TYPE_${datatype}`, dims: shape }
  }
  return {
    name: card.id,
    platform: PLATFORM,
    backend: PLATFORM,
    max_batch_size: 0,
    input: inputMetadata(card).map((input) => ({ ...tensor(input), optional: true })),
    output: outputMetadata(card).map(tensor),
  }
}

/** @throws InletError `model_loading`, `model_failed`, `loading` where the model's tables are not there */
function checkReady({ card: { id }, state, error }: ModelEntry, isStarting: boolean): void {
  if (isStarting) throw starting()
  if (state === 'ready') return
  if (state === 'failed') throw modelFailed(id, error?.message)
  if (state === 'loading') throw modelLoading(id)
  const message = `The tables of \`model\` ${shown(id)} are not loaded: a request for it loads them.`
  throw new HeaderedError('model_loading', message, 'model', { 'retry-after': '1' })
}
