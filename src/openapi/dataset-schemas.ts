import {
  datasetAnswer,
  datasetDocument,
  datasetMember,
  datasetPlan,
  datasetShare,
  datasetStage,
  datasetsAnswer,
  plannedRecipe,
} from '../wire/schemas/dataset-answers.js'
import { mixtureRequest } from '../wire/schemas/dataset-mixture.js'
import { type JsonObject, ref } from './json.js'
import { jsonSchema, outputSchema } from './json-schema.js'

const { mixture, stages } = mixtureRequest.shape

/** Schemas of the datasets' routes. */
export function datasetSchemas(): Readonly<Record<string, JsonObject>> {
  const answers = {
    Dataset: datasetAnswer,
    DatasetList: datasetsAnswer,
    DatasetMember: datasetMember,
    DatasetStage: datasetStage,
    DatasetDocument: datasetDocument,
    DatasetPlan: datasetPlan,
    DatasetRecipe: plannedRecipe,
    DatasetShare: datasetShare,
  }
  return {
    MixtureRequest: {
      description: 'Each member has a `weight`, or `stages` have all weights.',
      ...jsonSchema(mixtureRequest),
    },
    MixtureMember: jsonSchema(mixture.out.element),
    MixtureStage: jsonSchema(stages.unwrap().out.element),
    ...Object.fromEntries(Object.entries(answers).map(([name, schema]) => [name, outputSchema(schema)])),
    DatasetBatchAnswer: BATCH,
  }
}

const BATCH: JsonObject = {
  type: 'object',
  properties: {
    dataset: { type: 'string', description: 'Its id.' },
    recipe_id: { type: 'string', description: 'Of what decides order and content.' },
    epoch: { type: 'integer', minimum: 0, description: 'The epoch.' },
    batch_index: { type: 'integer', minimum: 0, description: 'The batch, the first one of several.' },
    num_batches: { type: 'integer', minimum: 0, description: 'Batches of an epoch; not of a mixture.' },
    model: { type: 'string', description: 'Id of the model; where an output needs one.' },
    model_version: { type: 'string', description: 'Which set of the model’s tables answered.' },
    metadata: ref('schemas', 'TensorMetadata'),
    outputs: ref('schemas', 'Tensors'),
  },
  required: ['dataset', 'recipe_id', 'epoch', 'batch_index', 'outputs'],
  additionalProperties: false,
}
