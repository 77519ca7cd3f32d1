import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { encodingName } from '../src/first-layer/cards/model-card.js'
import type { Model } from '../src/first-layer/embeddings/model.js'
import { bytesOf, type SharedTables } from '../src/first-layer/embeddings/table-memory.js'
import type { Tokenizer } from '../src/first-layer/tokens/tokenizer.js'
import type { ModelEntry } from '../src/models/entry.js'
import { buildApp } from '../src/service/app.js'
import { FEATURES, readConfig } from '../src/service/features.js'
import { localMaker } from '../src/service/models/keeper/maker.js'
import type { Models } from '../src/service/models/library/models.js'
import type { Config } from '../src/service/process/config.js'
import type { Certificate } from '../src/service/process/listening/certificate.js'
import { UNBOUNDED } from './counting-claim.js'
import { firstThread } from './first-thread.js'
import { ownTokenizers, singleThreadModels } from './single-thread.js'

/** One line of the service's log. */
export type LogLine = Readonly<Record<string, unknown>>

/** A service for tests: built, not listening. */
export interface TestService {
  readonly app: FastifyInstance
  readonly config: Config
  readonly models: Models
  /** The environment's model. */
  readonly model: Model
  /** The log, line by line, and as the text that went out. */
  readonly log: { lines: LogLine[]; text: string }
  close(): Promise<void>
}

/** Rows of 8 elements: the whole GPT-2 vocabulary in 1.6 MB, made in a few milliseconds. */
const SMALL = { EMBEDDING_DIM: '8' }

/** The numbers of a model's tables, by their names. */
export type Tables = Readonly<Record<string, Float32Array>>

export interface TestOptions {
  /** Fills tables with numbers that no seed gives. */
  readonly tables?: (tables: Tables) => void
  /** Puts something in the place of the encoding. */
  readonly encoding?: (encoding: Tokenizer) => Tokenizer
  /** Models besides the environment's. */
  folders?: readonly ModelEntry[]
  /** Callers speak TLS. */
  readonly certificate?: Certificate | undefined
  /** Routes of datasets too. */
  readonly hasDatasets?: boolean
}

/** The service under `env`, over small tables unless `env` says otherwise, on the backend that the environment asks for. */
export async function testService(
  env: Readonly<Record<string, string>> = {},
  { tables, encoding = (own) => own, folders = [], certificate, hasDatasets = false }: TestOptions = {},
): Promise<TestService> {
  const config = readConfig({ ...SMALL, TF_BACKEND: process.env.TF_BACKEND, ...env })
  const encodings = new Map<string, Promise<Tokenizer>>()
  const own = ownTokenizers()
  const models = await singleThreadModels(config, {
    folders,
    maker: tables && { ...localMaker, fill: async (_, shared) => tables(tablesIn(shared)) },
    tokenizerOf(card) {
      const name = encodingName(card) ?? card.id
      const known = encodings.get(name) ?? own(card).then(encoding)
      encodings.set(name, known)
      return known
    },
  })
  const lease = await models.lease(undefined, UNBOUNDED)
  const log = { lines: [] as LogLine[], text: '' }
  const logger = pino(
    { level: 'trace' },
    {
      write(line: string) {
        log.text += line
        log.lines.push(JSON.parse(line))
      },
    },
  )
  const first = firstThread(config, logger)
  const datasets = FEATURES.find(({ name }) => hasDatasets && name === 'datasets')
  const app = await buildApp(config, {
    logger,
    models,
    kept: { datasets: await datasets?.start?.(first) },
    topics: first.topics,
    certificate,
  })
  await app.ready()
  return {
    app,
    config,
    models,
    model: lease.model,
    log,
    async close() {
      lease.release()
      const closed = app.close()
      app.server.closeAllConnections() // a client may have opened one that it never uses
      await closed
      await Promise.all(models.entries().map(({ card }) => models.drop(card.id)))
    },
  }
}

/** The tables of a version as arrays: float32. */
export function tablesIn(shared: SharedTables): Tables {
  return Object.fromEntries(
    shared.places.map((place) => {
      const bytes = bytesOf(shared, place)
      return [place.name, new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)]
    }),
  )
}

/** Lets the service listen on a free port of this machine and returns the port. */
export async function listen({ app }: Pick<TestService, 'app'>): Promise<number> {
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  return Number(new URL(address).port)
}

export interface TestAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect
  json(): any
}

/** Sends a JSON body without a socket. */
export async function post(
  { app }: Pick<TestService, 'app'>,
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestAnswer> {
  const response = await app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  })
  return {
    status: response.statusCode,
    headers: response.headers as Record<string, string>,
    body: response.rawPayload,
    json: () => response.json(),
  }
}

/** `POST /v1/input-embeddings`. */
export function embed(
  service: Pick<TestService, 'app'>,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestAnswer> {
  return post(service, '/v1/input-embeddings', body, headers)
}
