import type { Server } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import { pino } from 'pino'
import { buildApp } from '../app.js'
import { modelSpec } from '../default-model.js'
import { Model } from '../embeddings/model.js'
import { Metrics } from '../http/metrics.js'
import type { Birth, Order, Report } from './messages.js'

// One more event loop of the service: it accepts from the first thread's socket and serves on its tables.

if (parentPort === null) throw new Error('threads/worker.js is started by the service, not by hand.')
const port = parentPort
const { config, thread, listenFd } = workerData as Birth
const logger = pino({ name: 'inlet', level: config.LOG_LEVEL }).child({ thread })
const report = (message: Report) => port.postMessage(message)

let model: Model | undefined
let nextScrape = 0
let stopping = false
const metrics = new Metrics()
metrics.collectNodeMetrics()
const scrapes = new Map<number, (metrics: readonly object[][]) => void>()
const app = await buildApp(config, {
  logger,
  metrics,
  model: () => model,
  metricsText: async () => Metrics.text(await metricsOfAll()),
})
await app.ready()

port.on('message', async (order: Order) => {
  if (order.type === 'serve') {
    model = await Model.join(await modelSpec(config), order.model, thread)
    // The first thread closes the descriptor when it stops: then there is nothing left to listen on.
    if (!stopping) app.server.listen({ fd: listenFd }, () => report({ type: 'serving' }))
  } else if (order.type === 'stop') {
    stopping = true
    keepDescriptor(app.server)
    await app.close()
    report({ type: 'stopped' })
  } else if (order.type === 'collect') {
    report({ type: 'collected', id: order.id, metrics: await metrics.values() })
  } else {
    scrapes.get(order.id)?.(order.metrics)
    scrapes.delete(order.id)
  }
})

/** The first thread asks all, this one included. */
function metricsOfAll(): Promise<readonly object[][]> {
  const id = nextScrape++
  return new Promise((resolve) => {
    scrapes.set(id, resolve)
    report({ type: 'scrape', id })
  })
}

const LOOK_MS = 20

/**
 * Closing the server then means finishing what runs. The descriptor itself belongs to the first thread: closed
 * here, its number could already be that of another thread's connection.
 */
function keepDescriptor(server: Server): void {
  server.close = (done) => {
    const look = setInterval(() => {
      server.closeIdleConnections()
      server.getConnections((_, count) => {
        if (count > 0) return
        clearInterval(look)
        done?.()
      })
    }, LOOK_MS)
    return server
  }
}
