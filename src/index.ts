/**
 * The first layer of a language model as a library: text in, input embeddings out, bit for bit as PyTorch makes them.
 * No server and no port; everything runs in the calling thread. See docs/library.md.
 */

export type { Counts } from './first-layer/answer.js'
export { type ErrorCode, InletError } from './first-layer/errors.js'
export { TorchGenerator } from './first-layer/random/generator.js'
export type { Dtype, FloatDtype, IdsDtype } from './first-layer/tensors/named-tensor.js'
export type { EncodingName } from './first-layer/tokens/encodings.js'
export type {
  Embeddings,
  FirstLayerModel,
  Input,
  Message,
  RenderOptions,
  Tensor,
} from './library/api.js'
export { datasetFromFile, datasetFromIds } from './library/dataset.js'
export type {
  Dataset,
  DatasetBatch,
  DatasetMixture,
  DatasetPlan,
  MixtureBatch,
  MixtureMemberOptions,
  MixturePlan,
  MixtureStageOptions,
  TokenFileOptions,
} from './library/dataset-api.js'
export type {
  LearnerStep,
  ModelLearner,
  OptimizerOptions,
  PendingGradients,
} from './library/learning-api.js'
export { mixtureOf } from './library/mixture.js'
export { modelFromBytes, modelFromCard, modelFromFolder, modelFromSeed } from './library/open-model.js'
export type {
  CardJson,
  DatasetRecipeOptions,
  EmbeddingGradients,
  EmbedOptions,
  LearnerStepOptions,
  RowGradients,
  TokenizeOptions,
  TrainTokenizerOptions,
} from './library/options.js'
export { trainTokenizer } from './library/train-tokenizer.js'
