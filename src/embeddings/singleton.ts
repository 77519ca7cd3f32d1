import type { Config } from '../config.js'
import { ConfigError } from '../config.js'
import { ENCODING_NAMES, type EncodingName, loadEncoding } from '../tokens/encoding.js'
import { ownPosition } from './architectures/own-position.js'
import { architectures, namedArchitecture } from './architectures/registry.js'
import { Model, type ModelSpec } from './model.js'
import {
  bindPositionEmbedding,
  type PositionEmbedding,
  positionEmbeddingSchema,
} from './positions/position-embedding.js'

/** The process's model: made once, whoever asks. */
let singleton: Promise<Model> | undefined

/** What the singleton tells of its making. */
export interface ProgressLog {
  info(figures: object, message: string): void
}

/**
 * The model of this process, with its tables. The first call draws them; later calls get the same.
 *
 * @throws ConfigError for a configuration that names what does not exist
 */
export function loadModel(config: Config, threads: number, log: ProgressLog): Promise<Model> {
  singleton ??= createModel(config, threads, log)
  return singleton
}

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
  const model = await Model.create(spec, { threads, backend: config.TF_BACKEND, progress })
  log.info({ ms: Math.round(performance.now() - started), bytes: model.tableBytes }, 'tables made')
  return model
}

/** The default model that a configuration describes. */
export async function modelSpec(config: Config): Promise<ModelSpec> {
  const encodingName = oneOf('ENCODING', config.ENCODING, ENCODING_NAMES) as EncodingName
  const names = architectures.map(({ name }) => name)
  const architecture = namedArchitecture(oneOf('ARCHITECTURE', config.ARCHITECTURE, names))
  const encoding = await loadEncoding(encodingName)
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
    position: configuredPosition(config.POSITION_EMBEDDING) ?? ownPosition(architecture),
  }
}

function configuredPosition(given: string | undefined): PositionEmbedding | undefined {
  if (given === undefined) return undefined
  const result = positionEmbeddingSchema.safeParse(given.startsWith('{') ? parsedJson(given) : given)
  if (result.success) return bindPositionEmbedding(result.data)
  const [{ path, message }] = result.error.issues
  throw new ConfigError(`POSITION_EMBEDDING ${path.join('.')} ${message}. Given: ${given}`)
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
