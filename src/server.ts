import type { Server } from 'node:http'
import { pino } from 'pino'
import { type Config, ConfigError, readConfig } from './config.js'
import { modelSpec, tableSpec } from './default-model.js'
import type { Model } from './embeddings/model.js'
import { drawInThread } from './threads/drawing.js'
import { usableCores } from './threads/thread-count.js'
import { ThreadGroup } from './threads/thread-group.js'

const config = readConfigOrExit()
const logger = pino({ name: 'inlet', level: config.LOG_LEVEL })
// TensorFlow has threads of its own, and is loaded in one of ours only.
const threadCount = config.TF_BACKEND === 'tensorflow' ? 1 : (config.THREADS ?? usableCores())

const PROGRESS_MS = 2000
let toldProgress = performance.now()

// Drawing the tables takes as long as loading the service: both are done at the same time.
const drawing = drawInThread(tableSpec(config), threadCount, progress)
drawing.catch(() => {}) // told below, where the port is open

const [{ buildApp }, { Metrics }, { loadModel }] = await Promise.all([
  import('./app.js'),
  import('./http/metrics.js'),
  import('./embeddings/singleton.js'),
])

let model: Model | undefined
let threads: ThreadGroup | undefined
const metrics = new Metrics()
metrics.collectNodeMetrics()
const app = await buildApp(config, {
  logger,
  metrics,
  model: () => model,
  metricsText: async () => Metrics.text(threads ? await threads.collect() : [await metrics.values()]),
})

stopOnSignals()

// The port opens first: an orchestrator sees life while the tables are being made.
const address = await app.listen({ host: config.HOST, port: config.PORT }).catch(exitUnheard)
logger.info({ docs: `${address}/docs` }, 'started')
const [spec, tables] = await Promise.all([modelSpec(config), drawing]).catch(exitWith)
model = await loadModel(spec, { tables, backend: config.TF_BACKEND }).catch(exitWith)
const { name: backend, version, reason } = model.backend
logger.info(
  { backend, version, reason, tableBytes: model.tableBytes, readyMs: Math.round(performance.now()) },
  'ready',
)
// Not where a signal came first, and waits for an answer that is still being read.
if (app.server.listening) await serveOnAll(model)

/** The other threads are born only now: on few cores they would take the time that the tables need. */
async function serveOnAll(ready: Model): Promise<void> {
  threads = new ThreadGroup(threadCount - 1, config, listenFd(app.server), () => metrics.values(), threadDied)
  await threads.serve(ready.shared)
  logger.info({ threads: threadCount }, 'all threads serve')
}

/** Says now and then how far the tables are, when they are large. */
function progress(share: number): void {
  const now = performance.now()
  if (now - toldProgress < PROGRESS_MS) return
  toldProgress = now
  logger.info({ percent: Math.floor(share * 100) }, 'making tables')
}

function readConfigOrExit(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`inlet: ${error.message}\n`)
    return process.exit(1)
  }
}

function exitUnheard(error: Error): never {
  const place = `HOST ${config.HOST}, PORT ${config.PORT}`
  return exitWith(new Error(`${place} cannot be listened on: ${error.message}`, { cause: error }))
}

function exitWith(error: unknown): never {
  logger.fatal({ err: error }, 'start failed')
  process.stderr.write(`inlet: ${(error as Error).message}\n`)
  return process.exit(1)
}

/** Half a service is worse than none: whoever runs this process starts it again. */
function threadDied(thread: number, error: unknown): never {
  logger.fatal({ err: error, thread }, 'a thread died')
  return process.exit(1)
}

/** The socket's descriptor, which Node shows on the handle only. */
function listenFd(server: Server): number {
  return (server as Server & { _handle: { fd: number } })._handle.fd
}

/** What runs is finished first; a second signal does not wait for it. */
function stopOnSignals(): void {
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, async () => {
      if (stopping) process.exit(1)
      stopping = true
      logger.info({ signal }, 'stopping: finishing what runs')
      await Promise.all([app.close(), threads?.stop()])
      logger.info('stopped')
      process.exit(0)
    })
  }
}
