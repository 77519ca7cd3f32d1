import { rmSync } from 'node:fs'
import { dataFolder } from '../features/datasets/data-folder.js'
import { Datasets } from '../features/datasets/datasets.js'
import { openKeeper } from '../features/datasets/open-keeper.js'
import { CheckpointFolders } from '../features/learning/checkpoint-folders.js'
import { HeldFiles } from '../features/learning/held-files.js'
import { Learning } from '../features/learning/learning.js'
import { learningEvents } from '../features/learning/learning-events.js'
import { learningThread } from '../features/learning/learning-thread.js'
import { startKeeper, startStoredModels } from '../features/learning/start-stored.js'
import type { SelectedBackend } from '../first-layer/embeddings/backends/select.js'
import { RustLibrary } from '../first-layer/tokens/rust/rust-library.js'
import { ConfigError, overloaded } from './answer/error-table.js'
import { heldBytes } from './models/keeper/eviction.js'
import { Keeper } from './models/keeper/keeper.js'
import { bindLoaded } from './models/library/bind.js'
import { reportUses } from './models/library/library.js'
import { maxTableBytes } from './models/sources/environment.js'
import { startModels } from './models/sources/start-models.js'
import { isStartedByNpm } from './process/config.js'
import { connectionsOfThread, descriptorLimit } from './process/descriptors.js'
import { certificateFacts, readCertificate } from './process/listening/certificate.js'
import { watchCertificate } from './process/listening/watch-certificate.js'
import { Liveness } from './process/liveness.js'
import { openLog } from './process/log/logger.js'
import { exitWith, readConfigOrExit } from './process/start-failure.js'
import { stopOnSignals } from './process/stop.js'
import { allApiKeys, watchKeys } from './request/callers/configured-keys.js'
import { ledgerMemory } from './request/load/ledger.js'
import { maxBytesInFlight } from './request/load/load.js'
import { MakerThread } from './threads/maker-thread.js'
import { ModelThreads } from './threads/model-threads.js'
import { usableCores } from './threads/thread-count.js'

const config = readConfigOrExit(process.env)
let certificate = certificateOrExit()
// TensorFlow has threads of its own, and can be loaded in one thread of this process only.
const threadCount = config.TF_BACKEND === 'tensorflow' ? 1 : (config.THREADS ?? usableCores())
const descriptors = descriptorLimit()
const maxConnections = connectionsOfThread(config, threadCount, descriptors)
if (maxConnections < 1) {
  const rule = `The limit of file descriptors (ulimit -n) must be higher with THREADS=${threadCount}`
  exitWith(new ConfigError(`${rule}. It is ${descriptors}.`))
}
const liveness = Liveness.first(threadCount)
const ledger = ledgerMemory()
const logger = openLog(config.LOG_LEVEL, 0)
if (maxConnections * threadCount < config.MAX_CONNECTIONS) {
  const connections = maxConnections * threadCount
  const numbers = { MAX_CONNECTIONS: config.MAX_CONNECTIONS, connections, descriptors }
  logger.warn(numbers, 'fewer connections: the limit of file descriptors')
}

/** Addresses under which a browser of this machine knows the service as `localhost`. */
const OWN_ADDRESS = /\/\/(127\.0\.0\.1|0\.0\.0\.0|\[::1?\])(?=:)/
const PROGRESS_MS = 2000
let toldProgress = performance.now()

// Making the tables takes as long as importing the modules below: both run at the same time.
const modelThreads = new ModelThreads(threadCount)
const maker = new MakerThread()
const files = new HeldFiles()
const keeper = new Keeper(modelThreads, maker, {
  ...{ maxTableBytes: maxTableBytes(config), progress },
  held: () => files.bytes,
})
const folders = CheckpointFolders.of(config)
const stored = await readStoredModels()
const learning = new Learning(
  keeper.learning,
  learningThread(({ message }) => {
    if (!liveness.isStopping) exitWith(new Error(`The thread that learns has died. ${message}`))
  }),
  files,
  learningEvents(logger, (kind, seconds) => metrics.countLearning(kind, seconds)),
  folders,
  stored.map(({ id }) => id),
)
keeper.endLearning = (id) => learning.forget(id)
keeper.reopen = (model) => learning.reopen(model)
const readers = { maker, startReader: () => new MakerThread() }
const loading = startAllModels()
loading.catch(() => {}) // reported below, once the port is open

const [{ servingThread }, { selectBackend }, { ThreadGroup }, listening] = await Promise.all([
  import('./threads/serving-thread.js'),
  import('../first-layer/embeddings/backends/select.js'),
  import('./threads/thread-group.js'),
  import('./process/listening/listeners.js'),
])

const folder = dataFolder(config)
const datasetKeeper = config.DATASETS === 'on' ? await keepDatasets().catch(dataFailed) : undefined
const datasets = datasetKeeper && new Datasets(datasetKeeper, folder)
let backend: SelectedBackend | undefined
let isStarting = true
let keys = allApiKeys(config)
let threads: InstanceType<typeof ThreadGroup> | undefined
const rust = new RustLibrary({
  noRoom: () => overloaded('The model’s tokenizer has no room for this text now.'),
})
const { app, library, metrics, traces } = await servingThread(config, {
  ...{ liveness, logger, ledger, datasets, certificate },
  ...{ admin: keeper, learning },
  rust,
  backend: () => backend,
  isStarting: () => isStarting,
  keys: () => keys,
  scrape: async () => threads?.collect(),
})
modelThreads.serveHere(library, keeper.entries())
reportUses(library, (ids) => keeper.noteUse(ids))
watchKeys(config, {
  changed(known) {
    keys = known
    threads?.changeKeys(keys)
    logger.info({ keys: keys.length, names: keys.map(({ name }) => name) }, 'the keys have changed')
  },
  broken: (reason) => logger.error({ reason }, 'API_KEYS_FILE cannot be taken: the keys from before stay'),
})
stopOnSignals({
  config,
  logger,
  liveness,
  isUnderNpm: isStartedByNpm(process.env),
  isReady: () => !isStarting,
  openRequests: () => app.connections.openRequests,
  async finish() {
    listening.closeListeners(app)
    await Promise.all([finishHere(), threads?.stop()])
  },
})

// The port opens first, so that an orchestrator sees a live process while the tables are being made.
const url = await listening.openListeners(app, config, maxConnections).catch(startFailed)
logger.info({ docs: url && `${url}/docs`, keys: keys.length }, 'started')
if (url !== undefined && process.stdout.isTTY)
  logger.info(`open ${url.replace(OWN_ADDRESS, '//localhost')} in a browser; Ctrl+C ends the service`)
if (certificate !== undefined) {
  logger.info(certificateFacts(certificate), 'TLS')
  watchCertificate(config, certificate, {
    changed(next) {
      certificate = next
      listening.exchangeCertificate(app, next)
      threads?.changeCertificate(next)
      logger.info(certificateFacts(next), 'the certificate has changed')
    },
    broken: (reason) => logger.error({ reason }, 'the TLS files cannot be taken: those from before stay'),
  })
}
const address = listening.callersAddress(app)
if (keys.length === 0 && address !== undefined && !isLoopback(address)) {
  logger.warn({ keys: 0, address }, 'no keys are set: whoever reaches this address may call')
}
backend = await selectBackend(config.TF_BACKEND).catch(startFailed)
await loading.catch(startFailed)
await bindLoaded(library, logger)
isStarting = false
const { name, version, reason } = backend
const tableBytes = keeper.entries().reduce((sum, entry) => sum + heldBytes(entry), 0)
logger.info({ backend: name, version, reason, tableBytes, readyMs: Math.round(performance.now()) }, 'ready')
if (!liveness.isStopping) await serveOnAll(backend)

/** Starts the other threads. Not earlier: on few cores they would take time from the making of the tables. */
async function serveOnAll(selected: SelectedBackend): Promise<void> {
  threads = new ThreadGroup({
    others: threadCount - 1,
    server: app.server,
    workerData: (thread) => ({
      config,
      thread,
      dataFolder: datasets && folder,
      shared: { liveness: liveness.shared, ledger },
      keys,
      certificate,
      maxConnections,
    }),
    metrics: () => metrics.values(),
    models: () => keeper.entries(),
    admins: { models: keeper, datasets: datasetKeeper, learning, tokenizers: rust },
    used: (ids) => keeper.noteUse(ids),
    died(thread, cause) {
      logger.fatal({ err: cause, died: thread }, 'a thread has died')
      exitWith(new Error(`Thread ${thread} has died: ${cause.message}`))
    },
  })
  modelThreads.serveThere(threads)
  await threads.serve(selected)
  logger.info({ threads: threadCount }, 'all threads serve')
}

/** The datasets of the process; all threads forget one that is deleted. */
function keepDatasets() {
  if (folder.stored === 'memory')
    process.on('exit', () => rmSync(folder.root, { recursive: true, force: true }))
  return openKeeper({
    ...{ folder, logger, ledger, maxBytes: maxBytesInFlight(config) },
    async removed(dataset) {
      datasets?.forget(dataset)
      const told = threads?.tell((id) => ({ type: 'forget', id, dataset })) ?? []
      await Promise.all(told.map(({ taken }) => taken))
    },
  })
}

async function finishHere(): Promise<void> {
  await Promise.all([
    app.connections.end((open) => liveness.tellOpenRequests(open)),
    app.operators?.connections.end(),
  ])
  await learning.close()
  await traces?.finish()
}

/** The models of the configuration, then those that requests made and that learn. */
async function startAllModels(): Promise<void> {
  const ids = new Set(stored.map(({ id }) => id))
  await startModels(config, startKeeper(keeper, ids), readers, logger)
  await startStoredModels(stored, keeper, config)
}

async function readStoredModels() {
  const models = (await folders?.models().catch(dataFailed)) ?? []
  for (const { id, problem } of models) {
    if (problem !== undefined) logger.error({ model: id, reason: problem }, 'a checkpoint cannot be read')
  }
  return models
}

/** Says now and then how far a model's tables are, when they are large. */
function progress(model: string, share: number): void {
  const now = performance.now()
  if (now - toldProgress < PROGRESS_MS) return
  toldProgress = now
  logger.info({ model, percent: Math.floor(share * 100) }, 'making tables')
}

function certificateOrExit() {
  try {
    return readCertificate(config)
  } catch (error) {
    return exitWith(error as Error)
  }
}

function dataFailed(error: Error): never {
  return exitWith(
    new ConfigError(`DATA_DIR must be a folder that the service can write to. ${error.message}`),
  )
}

function startFailed(error: Error): never {
  const { code } = (error.cause ?? error) as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return exitWith(error) // the line names port and flag
  logger.fatal({ err: error }, 'start failed')
  return exitWith(error)
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address)
}
