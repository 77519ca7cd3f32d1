<<<<<<< HEAD

import { Model, type ModelOptions, type ModelSpec } from './model.js'

=======

import type { Config } from '../config.js'
import { ConfigError } from '../config.js'
import { ENCODING_NAMES, type EncodingName, loadEncoding } from '../tokens/encoding.js'
import type { Architecture } from './architectures/architecture.js'
import { ownPosition } from './architectures/own-position.js'
import { architectures, namedArchitecture } from './architectures/registry.js'
import { Model, type ModelSpec } from './model.js'
import {
  bindPositionEmbedding,
  type PositionEmbedding,
  positionEmbeddingSchema,
} from './positions/position-embedding.js'

>>>>>>> poshttp

/** The process's model: made once, whoever asks. */
let singleton: Promise<Model> | undefined

/** The model of this process, with its tables. The first call draws them; later calls get the same. */
export function loadModel(spec: ModelSpec, options: ModelOptions): Promise<Model> {
  singleton ??= Model.create(spec, options)
  return singleton
}
<<<<<<< HEAD
=======

const PROGRESS_MS = 2000

async function createModel(config: Config, threads: number, log: ProgressLog): Promise<Model> {
  const spec = await modelSpec(config)
  const started = performance.now()
  let told = started
  const progress = (share: number) => {
    const now = performance.now()
    if (now - told < PROGRESS_MS) return
    told = now
    log.info({ percent: Math.floor(share * 100) }, 'making tables')
  }
  const model = await Model.create(spec, { threads, progress })
  log.info({ ms: Math.round(performance.now() - started), bytes: model.tableBytes }, 'tables made')
  return model
}

/** The default model that a configuration describes. */
export async function modelSpec(config: Config): Promise<ModelSpec> {
  const encodingName = oneOf('ENCODING', config.ENCODING, ENCODING_NAMES) as EncodingName
  const names = architectures.map(({ name }) => name)
  const architecture = namedArchitecture(oneOf('ARCHITECTURE', config.ARCHITECTURE, names))
  const encoding = await loadEncoding(encodingName)
  const position = configuredPosition(config, architecture)
  return {
    id: 'default',
    encoding,
    vocabSize: config.VOCAB_SIZE ?? encoding.vocabSize,
    embeddingDim: config.EMBEDDING_DIM,
    maxPositionEmbeddings: config.MAX_POSITION_EMBEDDINGS,
    typeVocabSize: config.TYPE_VOCAB_SIZE,
    seed: config.SEED,
    initStd: config.INIT_STD,
    architecture,
    position,
  }
}

/**
 * The scheme of POSITION_EMBEDDING, or the architecture's own.
 *
 * @throws ConfigError where it is none, or cannot be at this width
 */
function configuredPosition(config: Config, architecture: Architecture): PositionEmbedding {
  const given = config.POSITION_EMBEDDING
  const position = given === undefined ? ownPosition(architecture) : parsedPosition(given)
  const problem = position.check({
    length: 1,
    offset: 0,
    embeddingDim: config.EMBEDDING_DIM,
    maxPositionEmbeddings: config.MAX_POSITION_EMBEDDINGS,
  })
  if (problem === undefined) return position
  const asked = given === undefined ? `ARCHITECTURE ${architecture.name}` : `POSITION_EMBEDDING ${given}`
  throw new ConfigError(`${asked} cannot be served: ${problem.message}`)
}

function parsedPosition(given: string): PositionEmbedding {
  const result = positionEmbeddingSchema.safeParse(given.startsWith('{') ? parsedJson(given) : given)
  if (result.success) return bindPositionEmbedding(result.data)
  const [issue] = result.error.issues
  const path = [...issue.path, ...(issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [])]
  const place = ['POSITION_EMBEDDING', ...path].join('.')
  const rule = issue.code === 'unrecognized_keys' ? 'is not an option' : issue.message
  throw new ConfigError(`${place} ${rule}. Given: ${given}`)
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ConfigError(`POSITION_EMBEDDING must be a type, or a JSON object with \`type\`. Given: ${text}`)
  }
}

function oneOf(variable: string, given: string, names: readonly string[]): string {
  if (names.includes(given)) return given
  throw new ConfigError(`${variable} must be one of ${names.join(', ')}. Given: ${given}`)
}
>>>>>>> poshttp
