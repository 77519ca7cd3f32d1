import { chat } from '../features/chat/feature.js'
import { datasets } from '../features/datasets/feature.js'
import { docs } from '../features/docs/feature.js'
import { embeddings } from '../features/embeddings/feature.js'
import { explorer } from '../features/explorer/feature.js'
import { health } from '../features/health/feature.js'
import { inputEmbeddings } from '../features/input-embeddings/feature.js'
import { learning } from '../features/learning/feature.js'
import { metrics } from '../features/metrics/feature.js'
import { models } from '../features/models/feature.js'
import { neighbors } from '../features/neighbors/feature.js'
import { openInference } from '../features/open-inference/feature.js'
import { positions } from '../features/positions/feature.js'
import { promptEmbeds } from '../features/prompt-embeds/feature.js'
import { tokenize } from '../features/tokenize/feature.js'
import { tracing } from '../features/tracing/feature.js'
import { ERRORS } from './answer/error-table.js'
import { HEADERS } from './document/headers.js'
import type { Feature } from './feature.js'
import { type Config, readConfig as readWith, type Shapes, variablesWith } from './process/config.js'
import { REQUEST_HEADERS } from './request/checks/cors.js'

/** Every feature, in the order of the document. An import and a line here are what the service knows of one. */
export const FEATURES: readonly Feature[] = [
  inputEmbeddings,
  positions,
  embeddings,
  promptEmbeds,
  neighbors,
  tokenize,
  chat,
  datasets,
  models,
  learning,
  openInference,
  explorer,
  health,
  metrics,
  docs,
  tracing,
]

Object.assign(ERRORS, ...FEATURES.map(({ errors }) => errors))
Object.assign(HEADERS, ...FEATURES.map(({ headers }) => headers))
REQUEST_HEADERS.push(...FEATURES.flatMap(({ requestHeaders = [] }) => requestHeaders))

const SHAPES: Shapes = Object.assign({}, ...FEATURES.map(({ config }) => config))

/** Every variable that the service reads, those of its features last; docs/configuration.md lists them. */
export const VARIABLES = variablesWith(SHAPES)

export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  return readWith(env, SHAPES)
}
