import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { buildApp } from '../src/app.js'
import { type Config, readConfig } from '../src/config.js'
import { modelSpec } from '../src/default-model.js'
import type { BackendChoice } from '../src/embeddings/backends/select.js'
import { Model, type ModelSpec } from '../src/embeddings/model.js'
import { allocateTables, type Tables, tablesIn } from '../src/embeddings/tables.js'

/** One line of the service's log. */
export type LogLine = Readonly<Record<string, unknown>>

/** A service for tests: built, not listening. */
export interface TestService {
  readonly app: FastifyInstance
  readonly config: Config
  readonly model: Model
  /** What was logged, line by line, and as the text that went out. */
  readonly log: { lines: LogLine[]; text: string }
  close(): Promise<void>
}

/** Rows of 8 elements: the whole GPT-2 vocabulary in 1.6 MB, made in a few milliseconds. */
const SMALL = { EMBEDDING_DIM: '8' }

/** The whole suite runs on the backend that the environment asks for: all models of a process on one. */
export type MakeModel = (spec: ModelSpec, backend: BackendChoice) => Promise<Model>

/** The service under `env`, over small tables unless `env` says otherwise. */
export async function testService(
  env: Readonly<Record<string, string>> = {},
  makeModel: MakeModel = (spec, backend) => Model.create(spec, { backend }),
): Promise<TestService> {
  const config = readConfig({ ...SMALL, TF_BACKEND: process.env.TF_BACKEND, ...env })
  const model = await makeModel(await modelSpec(config), config.TF_BACKEND)
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
  const app = await buildApp(config, { logger, model: () => model })
  await app.ready()
  return {
    app,
    config,
    model,
    log,
    async close() {
      await app.close()
      model.dispose()
    },
  }
}

/** A model over tables that `draw` fills, for numbers that no seed gives. */
export function modelOf(draw: (tables: Tables) => void): MakeModel {
  return (spec, backend) => {
    const shared = allocateTables(spec, 1)
    draw(tablesIn(shared, spec))
    return Model.create(spec, { tables: shared, backend })
  }
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
