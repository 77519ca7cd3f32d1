import type { AddressInfo } from 'node:net'
import { allApiKeys, isStartedByNpm } from './config.js'
import { modelSpec, tableSpec } from './default-model.js'
import type { Model } from './embeddings/model.js'
import { watchKeys } from './key-file.js'
import { forgetThread, ledgerMemory } from './load/ledger.js'
import { Life } from './load/life.js'
import { logDescriptor } from './log/descriptor.js'
import { openLog } from './log/logger.js'
import { exitWith, readConfigOrExit } from './start-failure.js'
import { stopOnSignals } from './stop.js'
import { drawInThread } from './threads/drawing.js'
import { usableCores } from './threads/thread-count.js'

const config = readConfigOrExit(process.env)
// TensorFlow has threads of its own, and is loaded in one of ours only.
const threadCount = config.TF_BACKEND === 'tensorflow' ? 1 : (config.THREADS ?? usableCores())
const life = Life.first(threadCount)
const ledger = ledgerMemory(threadCount)
const descriptor = logDescriptor()
const { logger, dropped } = openLog(config, life, descriptor)

const PROGRESS_MS = 2000
let toldProgress = performance.now()

// Drawing the tables takes as long as loading the service: both are done at the same time.
const drawing = drawInThread(tableSpec(config), threadCount, progress)
drawing.catch(() => {}) // told below, where the port is open

const [{ buildApp }, { Metrics }, { loadModel }, { ThreadGroup }, { scrapeText }, { watchThreads }] =
  await Promise.all([
    import('./app.js'),
    import('./http/figures/metrics.js'),
    import('./embeddings/singleton.js'),
    import('./threads/thread-group.js'),
    import('./threads/thread-metrics.js'),
    import('./threads/watch-threads.js'),
  ])

let model: Model | undefined
let keys = allApiKeys(config)
let threads: InstanceType<typeof ThreadGroup> | undefined
const metrics = new Metrics()
metrics.collectNodeMetrics()
metrics.watchLog(dropped)
const app = await buildApp(config, {
  logger,
  metrics,
  life,
  load: { memory: ledger, thread: life.thread },
  keys: () => keys,
  model: () => model,
  metricsText: async () => (threads ? scrapeText(await threads.collect()) : metrics.registry.metrics()),
})
watchThreads(app, life, config.SHUTDOWN_SECONDS)
watchKeys(config, {
  changed(known) {
    keys = known
    threads?.changeKeys(known)
    logger.info({ keys: known.length, names: known.map(({ name }) => name) }, 'the keys have changed')
  },
  broken: (reason) => logger.error({ reason }, 'API_KEYS_FILE cannot be taken: the keys from before stay'),
})
stopOnSignals({
  config,
  logger,
  life,
  isUnderNpm: isStartedByNpm(process.env),
  isReady: () => model !== undefined,
  openRequests: () => app.connections.openRequests,
  drain() {
    app.connections.makeLast()
    threads?.drain()
  },
  async finish() {
    await Promise.all([finishHere(), threads?.stop()])
  },
})

// The port opens first: an orchestrator sees life while the tables are being made.
// Fastify opens a server of its own for each address of `localhost`, which would not know how to stop.
const host = config.HOST === 'localhost' ? '127.0.0.1' : config.HOST
const url = await app.listen({ host, port: config.PORT }).catch(exitUnheard)
logger.info({ docs: `${url}/docs`, keys: keys.length }, 'started')
const { address } = app.server.address() as AddressInfo
if (keys.length === 0 && !isLoopback(address)) {
  logger.warn({ keys: 0, address }, 'no keys are set: whoever reaches this address may call')
}
const [spec, tables] = await Promise.all([modelSpec(config), drawing]).catch(startFailed)
model = await loadModel(spec, { tables, backend: config.TF_BACKEND }).catch(startFailed)
const { name: backend, version, reason } = model.backend
logger.info(
  { backend, version, reason, tableBytes: model.tableBytes, readyMs: Math.round(performance.now()) },
  'ready',
)
if (!life.isStopping) await serveOnAll(model)

/** The other threads are born only now: on few cores they would take the time that the tables need. */
async function serveOnAll({ shared }: Model): Promise<void> {
  threads = new ThreadGroup({
    others: threadCount - 1,
    server: app.server,
    logger,
    birth: (thread) => ({
      config,
      thread,
      shared: { life: life.shared, ledger },
      keys,
      logDescriptor: descriptor,
    }),
    metrics: () => metrics.values(),
    threadEnded(thread) {
      life.end(thread)
      forgetThread(ledger, thread)
    },
    giveUp(thread, reason) {
      logger.fatal({ thread, reason }, 'a thread has died that cannot be replaced')
      exitWith(new Error(`Thread ${thread} has died and cannot be replaced. ${reason}`))
    },
  })
  await threads.serve(shared)
  logger.info({ threads: threadCount }, 'all threads serve')
}

async function finishHere(): Promise<void> {
  await app.connections.closeListener()
  await app.connections.end((open) => life.tellOpenRequests(open))
}

/** Says now and then how far the tables are, when they are large. */
function progress(share: number): void {
  const now = performance.now()
  if (now - toldProgress < PROGRESS_MS) return
  toldProgress = now
  logger.info({ percent: Math.floor(share * 100) }, 'making tables')
}

function exitUnheard(error: Error): never {
  const place = `HOST ${config.HOST}, PORT ${config.PORT}`
  return startFailed(new Error(`${place} cannot be listened on: ${error.message}`, { cause: error }))
}

function startFailed(error: Error): never {
  logger.fatal({ err: error }, 'start failed')
  return exitWith(error)
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address)
}
