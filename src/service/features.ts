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
import type { Shapes } from '../models/variables.js'
import { COMMON_ERRORS, type ErrorCode, type ErrorRow } from './answer/error-table.js'
import type { JsonObject } from './document/components.js'
import { COMMON_HEADERS } from './document/headers.js'
import type { Feature } from './feature.js'
import { type Config, readConfig as readWith, variablesWith } from './process/config.js'

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

/** Every error that the service answers with. */
export const ERRORS = Object.assign({}, COMMON_ERRORS, ...FEATURES.map(({ errors }) => errors)) as Readonly<
  Record<ErrorCode, ErrorRow>
>

/** The same by status, as docs/errors.md and openapi.yaml have them. */
export const ERROR_ROWS = (Object.entries(ERRORS) as [ErrorCode, ErrorRow][]).sort(
  ([, [a]], [, [b]]) => a - b,
)
export const ERROR_CODES = ERROR_ROWS.map(([code]) => code) as [ErrorCode, ...ErrorCode[]]

/** Every header that an answer can carry, by name. */
export const HEADERS: Readonly<Record<string, JsonObject>> = Object.assign(
  {},
  COMMON_HEADERS,
  ...FEATURES.map(({ headers }) => headers),
)

/** Headers of requests that only features read. */
export const REQUEST_HEADERS = FEATURES.flatMap(({ requestHeaders = [] }) => requestHeaders)

const SHAPES: Shapes = Object.assign({}, ...FEATURES.map(({ config }) => config))

/** Every variable that the service reads, those of its features last; docs/configuration.md lists them. */
export const VARIABLES = variablesWith(SHAPES)

export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  return readWith(env, SHAPES)
}
