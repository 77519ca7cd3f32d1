import { pino } from 'pino'
import { buildApp } from './app.js'
import { type Config, ConfigError, readConfig } from './config.js'
import type { Model } from './embeddings/model.js'
import { loadModel } from './embeddings/singleton.js'

const config = readConfigOrExit()
const logger = pino({ name: 'inlet', level: config.LOG_LEVEL })

let model: Model | undefined
const app = await buildApp(config, { logger, model: () => model })

// The port opens first: an orchestrator sees life while the tables are being made.
const address = await app.listen({ host: config.HOST, port: config.PORT }).catch(exitWith)
logger.info({ docs: `${address}/docs` }, 'started')
stopOnSignals()
model = await loadModel(config, logger).catch(exitWith)
logger.info({ backend: model.backend.name, tableBytes: model.tableBytes }, 'ready')

function readConfigOrExit(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`inlet: ${error.message}\n`)
    return process.exit(1)
  }
}

function exitWith(error: unknown): never {
  logger.fatal({ err: error }, 'start failed')
  process.stderr.write(`inlet: ${(error as Error).message}\n`)
  return process.exit(1)
}

/** What runs is finished first; a second signal does not wait for it. */
function stopOnSignals(): void {
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, async () => {
      if (stopping) process.exit(1)
      stopping = true
      logger.info({ signal }, 'stopping: finishing what runs')
      await app.close()
      logger.info('stopped')
      process.exit(0)
    })
  }
}
