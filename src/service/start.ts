import type { Logger } from 'pino'
import { hasChanged } from '../checkpoints/folder-card.js'
import type { SelectedBackend } from '../first-layer/embeddings/backends/select.js'
import { usableCores } from '../first-layer/running/usable-cores.js'
import { RustLibrary } from '../first-layer/tokens/rust/rust-library.js'
import { heldBytes } from '../models/entry.js'
import { maxTableBytes } from '../models/environment.js'
import { readNamed } from '../models/folders.js'
import { ConfigError } from '../models/variables.js'
import { overloaded } from './answer/error-table.js'
import type { Feature, FirstThread } from './feature.js'
import { Keeper } from './models/keeper/keeper.js'
import { startModels } from './models/sources/start-models.js'
import { isStartedByNpm, misspeltVariables } from './process/config.js'
import { allApiKeys, watchKeys } from './process/keys/configured-keys.js'
import { CertificateError, certificateFacts, readCertificate } from './process/listening/certificate.js'
import { Liveness } from './process/liveness.js'
import { openLog } from './process/log/logger.js'
import { exitWith, stopOnSignals } from './process/stop.js'
import { WorkThread } from './process/work-thread.js'
import { ledgerMemory } from './request/load.js'
import type { Making, Progress } from './threads/make.js'
import { gathered } from './threads/scrapes.js'
import { Threads } from './threads/threads.js'

/** Starts the service in this process, part after part. It ends with `stopOnSignals`, or by `exitWith` where a part fails. */
export async function start(): Promise<void> {
  // The thread that makes tables reads its modules while this one reads those of the features.
  const progress = { made(_: string, __: number) {} }
  const made: Progress['made'] = (model, share) => progress.made(model, share)
  const maker = new WorkThread<Making>('make.js', {
    rooms: { progress: { made } },
    ended: (cause) => died('The thread that makes tables', cause),
  })
  maker.start()
  const [{ FEATURES, readConfig, VARIABLES }, { Metrics }] = await Promise.all([
    import('./features.js'),
    import('./metrics/metrics.js'),
  ])
  const config = orExit(() => readConfig(process.env))
  const certificate = orExit(() => readCertificate(config))
  // TensorFlow has its own threads, and can be loaded in one thread of this process only.
  const threads = new Threads(config.TF_BACKEND === 'tensorflow' ? 1 : (config.THREADS ?? usableCores()))
  const logger = openLog(config.LOG_LEVEL, 0)
  for (const [given, meant] of misspeltVariables(
    process.env,
    VARIABLES.map(({ name }) => name),
  ))
    logger.warn(`${given} is no variable of this service: did you mean ${meant}?`)
  const liveness = Liveness.first(threads.count)
  const died: FirstThread['died'] = (thread, { message }) => {
    if (!liveness.isStopping) exitWith(new Error(`${thread} has died. ${message}`))
  }
  liveness.isStarting = true
  liveness.beat()
  void maker.work.watch(liveness.shared, config.SHUTDOWN_SECONDS)
  const ledger = ledgerMemory()
  Object.assign(progress, progressIn(logger))
  const keeper = new Keeper(threads, maker.work, {
    maxTableBytes: maxTableBytes(config),
    readFolder: (id) => readNamed(config, id, maker.work.inspect),
    hasChanged,
  })

  const metrics = new Metrics()
  const ends: (() => Promise<void>)[] = []
  const afterModels: (() => Promise<void>)[] = []
  const first: FirstThread = {
    ...{ config, logger, metrics, ledger, keeper, died },
    publish: (topic, value) => threads.publish(topic, value),
    afterModels: (add) => void afterModels.push(add),
    onEnd: (finish) => void ends.push(finish),
  }
  const kept: Record<string, object> = {}
  for (const feature of FEATURES) {
    const keeps = await startOf(feature, first)
    if (keeps !== undefined) kept[feature.name] = keeps
  }

  // Making the tables takes as long as importing the modules below: both run at the same time.
  const loading = startModels(config, keeper, maker.work.inspect, logger).then(async () => {
    for (const add of afterModels) await add()
  })
  loading.catch(() => {}) // reported below, once the port is open
  const [{ servingThread }, { selectBackend }, listening] = await Promise.all([
    import('./threads/serving-thread.js'),
    import('../first-layer/embeddings/backends/select.js'),
    import('./process/listening/listeners.js'),
  ])

  let backend: SelectedBackend | undefined
  let keys = allApiKeys(config)
  const metricsOf = (thread: number) => (thread === 0 ? metrics.values() : threads.metrics(thread))
  const scrape = gathered(threads.count, metricsOf)
  const rust = new RustLibrary({
    noRoom: () => overloaded('The model’s tokenizer has no room for this text now.'),
  })
  const { app, models, readTokenizer, finish } = await servingThread(config, {
    ...{ liveness, logger, metrics, ledger, certificate, keys, kept, ends, rust, admin: keeper },
    topics: threads.topics,
    backend: () => backend,
    scrape: async () => (threads.areStarted ? scrape() : undefined),
  })
  for (const entry of keeper.entries()) void models.put(entry) // those that were added before
  watchKeys(config, {
    changed(known) {
      keys = known
      threads.publish('keys', known)
      logger.info({ keys: known.length, names: known.map(({ name }) => name) }, 'the keys have changed')
    },
    broken: (reason) => logger.error({ reason }, 'API_KEYS_FILE cannot be taken: the keys from before stay'),
  })
  stopOnSignals({
    ...{ config, logger, liveness },
    isUnderNpm: isStartedByNpm(process.env),
    isReady: () => !liveness.isStarting,
    openRequests: () => app.connections.openRequests,
    async finish() {
      listening.closeListeners(app, threads.count)
      await Promise.all([finish(), threads.stop()])
    },
  })

  // The port opens first, so that an orchestrator sees a live process while the tables are being made.
  const url = await listening.openListeners(app, config).catch(startFailed(logger))
  tellStarted(logger, url, keys.length, listening.callersAddress(app))
  if (certificate !== undefined) logger.info(certificateFacts(certificate), 'TLS')
  backend = await selectBackend(config.TF_BACKEND).catch(startFailed(logger))
  await loading.catch(startFailed(logger))
  await models.bindLoaded(logger)
  await readTokenizer()
  if (liveness.isStopping) return

  // Not earlier: on few cores the other threads would take time from the making of the tables.
  const rooms = Object.fromEntries(Object.entries(kept).map(([name, keeps]) => [`kept ${name}`, keeps]))
  const options = {
    workerData: (thread: number) => ({
      ...{ config, thread, keys, kept: Object.keys(kept), certificate },
      shared: { liveness: liveness.shared, ledger },
    }),
    rooms: { ...rooms, models: keeper, tokenizers: rust, metrics: { of: metricsOf } },
    died(thread: number, cause: Error) {
      logger.fatal({ err: cause, died: thread }, 'a thread has died')
      exitWith(new Error(`Thread ${thread} has died: ${cause.message}`))
    },
  }
  const listener = listening.listenerOf(app.server)
  await threads.start(options, { models: keeper.entries(), backend, listener })
  liveness.isStarting = false
  logger.info({ threads: threads.count }, 'all threads serve')
  const { name, version, reason } = backend
  const tableBytes = keeper.entries().reduce((sum, entry) => sum + heldBytes(entry), 0)
  logger.info({ backend: name, version, reason, tableBytes, readyMs: Math.round(performance.now()) }, 'ready')
}

/** The result of `read`; if it is refused, one line names the reason, and the process ends. */
function orExit<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof CertificateError)) throw error
    return exitWith(error)
  }
}

const PROGRESS_MS = 2000

function progressIn(logger: Logger): Progress {
  let told = performance.now()
  return {
    made(model, share) {
      const now = performance.now()
      if (now - told < PROGRESS_MS) return
      told = now
      logger.info({ model, percent: Math.floor(share * 100) }, 'making tables')
    },
  }
}

/** Addresses under which a browser of this machine knows the service as `localhost`. */
const OWN_ADDRESS = /\/\/(127\.0\.0\.1|0\.0\.0\.0|\[::1?\])(?=:)/
const LOOPBACK = /^(::1$|(::ffff:)?127\.)/

function tellStarted(logger: Logger, url: string, keys: number, address: string): void {
  logger.info({ docs: `${url}/docs`, keys }, 'started')
  if (process.stdout.isTTY)
    logger.info(`open ${url.replace(OWN_ADDRESS, '//localhost')} in a browser; Ctrl+C ends the service`)
  if (keys === 0 && !LOOPBACK.test(address)) {
    logger.warn({ keys: 0, address }, 'no keys are set: whoever reaches this address may call')
  }
}

async function startOf(feature: Feature, first: FirstThread): Promise<object | undefined> {
  try {
    return await feature.start?.(first)
  } catch (error) {
    return error instanceof ConfigError ? exitWith(error) : startFailed(first.logger)(error as Error)
  }
}

function startFailed(logger: Logger): (error: Error) => never {
  return (error) => {
    const { code } = (error.cause ?? error) as NodeJS.ErrnoException
    if (code !== 'EADDRINUSE') logger.fatal({ err: error }, 'start failed') // its line names port and flag
    return exitWith(error)
  }
}
