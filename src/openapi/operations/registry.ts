import type { Operation } from '../operation.js'
import { datasetOperations } from './datasets.js'
import { embeddings } from './embeddings.js'
import { inferenceOperations } from './inference-protocol.js'
import { inputEmbeddings } from './input-embeddings.js'
import { learningOperations } from './learning.js'
import { modelAdminOperations } from './model-admin.js'
import { getModel, listModels } from './models.js'
import { neighbors } from './neighbors.js'
import { positionEmbeddings } from './position-embeddings.js'
import { promptEmbeds } from './prompt-embeds.js'
import { renderChat, renderCompletion } from './render.js'
import { serviceOperations } from './service.js'
import { detokenize, tokenize } from './tokens.js'

/** Every operation of the service, in the order of the document. */
export const OPERATIONS: readonly Operation[] = [
  inputEmbeddings,
  positionEmbeddings,
  tokenize,
  detokenize,
  renderCompletion,
  renderChat,
  embeddings,
  promptEmbeds,
  neighbors,
  ...datasetOperations,
  listModels,
  getModel,
  ...modelAdminOperations,
  ...learningOperations,
  ...inferenceOperations,
  ...serviceOperations,
]
