import { parentPort, workerData } from 'node:worker_threads'
import { Datasets } from '../../features/datasets/datasets.js'
import { type SelectedBackend, selectBackend } from '../../first-layer/embeddings/backends/select.js'
import { takeFirstModels } from '../models/library/bind.js'
import { reportUses } from '../models/library/library.js'
import type { Config } from '../process/config.js'
import { exchangeCertificate, goOnAfterErrors } from '../process/listening/listeners.js'
import { Liveness } from '../process/liveness.js'
import { openLog } from '../process/log/logger.js'
import type { Order, Report, WorkerData } from './messages.js'
import { RemoteAdmin, RemoteDatasets, RemoteLearning } from './remote-admin.js'
import { RemoteCalls } from './remote-calls.js'
import { servingThread } from './serving-thread.js'
import { WorkerScrapes } from './worker-scrapes.js'

// One more event loop of the service: it accepts from the first thread's socket and serves on its tables.

if (parentPort === null) throw new Error('worker.js is started by the service, not by hand.')
const port = parentPort
const data = workerData as WorkerData<Config>
const { config, thread } = data
const liveness = new Liveness(data.shared.liveness, thread)
const logger = openLog(config.LOG_LEVEL, thread)
const report = (message: Report) => port.postMessage(message)

let backend: SelectedBackend | undefined
let { keys } = data
const calls = new RemoteCalls((id, room, method, args) => report({ type: 'call', id, room, method, args }))
const scrapes = new WorkerScrapes(
  thread,
  liveness.threads,
  () => metrics.values(),
  (id) => report({ type: 'scrape', id }),
)
const datasets = data.dataFolder && new Datasets(new RemoteDatasets(calls), data.dataFolder)
const { app, library, metrics, traces } = await servingThread(config, {
  ...{ liveness, logger, datasets, certificate: data.certificate },
  admin: new RemoteAdmin(calls),
  learning: new RemoteLearning(calls),
  ledger: data.shared.ledger,
  rust: { run: (work) => calls.call('tokenizers', 'run', [work]) },
  backend: () => backend,
  isStarting: () => backend === undefined,
  keys: () => keys,
  scrape: () => scrapes.ask(),
})
await app.ready()
app.server.maxConnections = data.maxConnections

port.on('message', async (order: Order) => {
  if (order.type === 'serve') await serve(order)
  else if (order.type === 'put') tell(order.id, library.put(order.entry))
  else if (order.type === 'drop') tell(order.id, library.drop(order.model))
  else if (order.type === 'forget') tell(order.id, forget(order.dataset))
  else if (order.type === 'answer') calls.take(order)
  else if (order.type === 'keys') keys = order.keys
  else if (order.type === 'certificate') exchangeCertificate(app, order.certificate)
  else if (order.type === 'stop') await stop()
  else if (order.type === 'collect') report({ type: 'collected', metrics: await metrics.values() })
  else scrapes.take(order.id, order.scrape)
})

reportUses(library, (models) => report({ type: 'used', models }))

let isStopping = false

async function serve(order: Extract<Order, { type: 'serve' }>): Promise<void> {
  await takeFirstModels(library, order.models, selectBackend('cpu'), logger)
  backend = order.backend
  if (isStopping) return
  app.server.listen({ fd: order.listener }, () => {
    goOnAfterErrors(app)
    report({ type: 'serving' })
  })
}

function tell(id: number, drained: Promise<void>): void {
  report({ type: 'taken', id })
  void drained.then(() => report({ type: 'drained', id }))
}

async function forget(dataset: string): Promise<void> {
  datasets?.forget(dataset)
}

/** Stops this thread. It leaves the listener's descriptor to the first one: once closed, its number may be reused. */
async function stop(): Promise<void> {
  isStopping = true
  await app.connections.end((open) => liveness.tellOpenRequests(open))
  await traces?.finish()
  report({ type: 'stopped' })
}
