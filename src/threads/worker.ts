import { parentPort, workerData } from 'node:worker_threads'
import { buildApp } from '../app.js'
import { modelSpec } from '../default-model.js'
import { Model } from '../embeddings/model.js'
import { Metrics } from '../http/figures/metrics.js'
import { Life } from '../load/life.js'
import { openLog } from '../log/logger.js'
import type { Birth, Order, Report } from './messages.js'
import { scrapeText } from './thread-metrics.js'
import { watchThreads } from './watch-threads.js'
import { WorkerScrapes } from './worker-scrapes.js'

// One more event loop of the service: it accepts from the first thread's socket and serves on its tables.

if (parentPort === null) throw new Error('threads/worker.js is started by the service, not by hand.')
const port = parentPort
const birth = workerData as Birth
const { config, thread } = birth
const life = new Life(birth.shared.life, thread)
const { logger, dropped, flush } = openLog(config, life, birth.logDescriptor)
const report = (message: Report) => port.postMessage(message)

let model: Model | undefined
let { keys } = birth
/** A descriptor of the listener that this thread has alone. */
let ownsListener = false
const metrics = new Metrics()
metrics.collectNodeMetrics()
metrics.watchLog(dropped)
const scrapes = new WorkerScrapes(
  thread,
  life.threads,
  () => metrics.values(),
  (id) => report({ type: 'scrape', id }),
)
const app = await buildApp(config, {
  logger,
  metrics,
  life,
  load: { memory: birth.shared.ledger, thread },
  keys: () => keys,
  model: () => model,
  metricsText: async () => scrapeText(await scrapes.ask()),
})
await app.ready()
watchThreads(app, life, config.SHUTDOWN_SECONDS)

port.on('message', async (order: Order) => {
  if (order.type === 'serve') await serve(order)
  else if (order.type === 'keys') keys = order.keys
  else if (order.type === 'drain') app.connections.makeLast()
  else if (order.type === 'stop') await stop()
  else if (order.type === 'collect') report({ type: 'collected', metrics: await metrics.values() })
  else scrapes.take(order.id, order.scrape)
})

let isStopping = false

async function serve({ model: shared, listener }: Extract<Order, { type: 'serve' }>): Promise<void> {
  model = await Model.join(await modelSpec(config), shared, thread)
  if (isStopping) return
  ownsListener = listener.isOwn
  app.server.listen({ fd: listener.fd }, () => report({ type: 'serving' }))
}

/** A listener that all threads share is closed by the first one: its number may soon be that of something else. */
async function stop(): Promise<void> {
  isStopping = true
  if (ownsListener) await app.connections.closeListener()
  await app.connections.end((open) => life.tellOpenRequests(open))
  flush() // the process ends when all threads have stopped
  report({ type: 'stopped' })
}
