import { z } from 'zod'

const name = z.string().describe('Id of a model.')
const version = z.string().describe('The number of its tables’ version; empty where it has no tables.')
const count = z.int().min(0)
const shape = z.array(z.int()).describe('Sizes of the axes.')
const datatype = z.string().describe('BYTES, INT64, INT32, FP32, FP16 or BF16.')

const tensorMetadata = z.strictObject({
  name: z.string(),
  datatype,
  shape: shape.describe('Sizes of the axes; −1: any.'),
})

const outputTensor = z.strictObject({
  name: z.string(),
  datatype,
  shape,
  parameters: z.strictObject({ binary_data_size: count.describe('Bytes behind the JSON.') }).optional(),
  data: z
    .array(z.union([z.number(), z.enum(['Infinity', '-Infinity', 'NaN'])]))
    .optional()
    .describe('Elements in row-major order; absent where they stand behind the JSON.'),
})

/** Answers of the Open Inference Protocol, by the name of their schema in the API document. */
export const inferenceAnswers = {
  InferenceAnswer: z.strictObject({
    model_name: name,
    model_version: version,
    id: z.string().optional().describe('The request’s.'),
    parameters: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .describe('Counts of the request, and what a position scheme says of its tensors.'),
    outputs: z.array(outputTensor),
  }),
  InferenceServer: z.strictObject({ name: z.string(), version: z.string(), extensions: z.array(z.string()) }),
  InferenceLive: z.strictObject({ live: z.literal(true) }),
  InferenceReady: z.strictObject({ ready: z.literal(true) }),
  InferenceModels: z.strictObject({ models: z.array(name) }),
  InferenceModel: z.strictObject({
    name,
    versions: z.array(version),
    platform: z.string(),
    inputs: z.array(tensorMetadata).describe('`text`, or `input_ids` and what stands beside them.'),
    outputs: z.array(tensorMetadata).describe('Under the model’s own position scheme.'),
  }),
  InferenceModelReady: z.strictObject({ name, ready: z.literal(true) }),
  InferenceModelConfig: z
    .looseObject({ name, max_batch_size: z.literal(0) })
    .describe('The metadata in the form of Triton’s configuration.'),
  InferenceError: z.strictObject({
    error: z.string().describe('Names the field, the rule and the value given.'),
  }),
} as const
