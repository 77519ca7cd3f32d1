import { parentPort, workerData } from 'node:worker_threads'
import { type SelectedBackend, selectBackend } from '../../first-layer/embeddings/backends/select.js'
import type { TokenizerLibrary } from '../../first-layer/tokens/rust/rust-library.js'
import { Metrics } from '../metrics/metrics.js'
import type { ModelAdmin } from '../models/keeper/keeper.js'
import { Channel, Topics } from '../process/channel.js'
import { closeListeners, goOnAfterErrors, listenAt } from '../process/listening/listeners.js'
import { Liveness } from '../process/liveness.js'
import { openLog } from '../process/log/logger.js'
import { gathered } from './scrapes.js'
import { servingThread } from './serving-thread.js'
import type { Serving, ServingThread, WorkerData } from './threads.js'

// One more event loop of the service: it accepts connections of the first thread's address and serves on its tables.

if (parentPort === null) throw new Error('worker.js is started by the service, not by hand.')
const channel = new Channel(parentPort)
const data = workerData as WorkerData
const liveness = new Liveness(data.shared.liveness, data.thread)
liveness.watch(0)
const logger = openLog(data.config.LOG_LEVEL, data.thread)
const topics = new Topics()
let backend: SelectedBackend | undefined
let isStopping = false

const metrics = new Metrics()
const { app, models, readTokenizer, finish } = await servingThread(data.config, {
  ...{
    liveness,
    logger,
    metrics,
    topics,
    keys: data.keys,
    certificate: data.certificate,
    ledger: data.shared.ledger,
  },
  admin: channel.room<ModelAdmin>('models'),
  rust: channel.room<TokenizerLibrary>('tokenizers'),
  kept: Object.fromEntries(data.kept.map((name) => [name, channel.room(`kept ${name}`)])),
  ends: [],
  backend: () => backend,
  scrape: gathered(liveness.threads, (thread) =>
    thread === data.thread ? metrics.values() : channel.call<object[]>('metrics', 'of', [thread]),
  ),
})
await app.ready()
channel.listen({ thread: { serve, stop, metrics: () => metrics.values() } satisfies ServingThread }, topics)

async function serve({ models: entries, backend: selected, listener }: Serving): Promise<void> {
  for (const entry of entries) void models.put(entry) // all before it waits: changes that arrive later are newer
  await selectBackend('cpu')
  await models.bindLoaded(logger)
  backend = selected
  await readTokenizer()
  if (isStopping) return
  await listenAt(app.server, listener)
  goOnAfterErrors(app)
}

async function stop(): Promise<void> {
  isStopping = true
  closeListeners(app, liveness.threads)
  await finish()
}
