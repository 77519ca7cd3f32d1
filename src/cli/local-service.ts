import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { buildApp } from '../app.js'
import { type Config, readConfig } from '../config.js'
import { heldBytes } from '../models/keeper/eviction.js'
import { singleThreadModels } from '../models/single-thread.js'
import { folderEntries } from '../models/sources/folders.js'
import { MakerThread } from '../threads/maker-thread.js'
import { CommandError } from './exit.js'

/** Where a service is, and how to call it. */
export interface Service {
  readonly url: string
  readonly key?: string
  /** How long the service may be silent; absent: without limit. */
  readonly timeoutSeconds?: number
}

/** A service that runs in this process. */
export interface LocalService extends Service {
  /** Milliseconds from the call until the tables were ready. */
  readonly readyMs: number
  readonly backend: string
  readonly tableBytes: number
  close(): Promise<void>
}

/** The user of a command shares its service with nobody: limits apply only where the environment sets them. */
const NO_LIMITS = {
  MAX_BODY_BYTES: String(2 ** 40),
  MAX_JSON_BODY_BYTES: String(2 ** 29),
  MAX_RESPONSE_BYTES: String(2 ** 40),
  MAX_JSON_RESPONSE_BYTES: String(2 ** 40),
  MAX_BYTES_IN_FLIGHT: String(2 ** 40),
  REQUEST_DEADLINE_SECONDS: '86400', // the writer of stdin and the reader of stdout may be slow
  WRITE_STALL_SECONDS: '86400',
}

/** The configuration of a service for one command. Only that command has the key. */
export function localConfig(env: NodeJS.ProcessEnv, key: string): Config {
  const own = { HOST: '', PORT: '', API_KEYS_FILE: '', THREADS: '1', API_KEYS: `command:${key}` }
  return readConfig({ ...NO_LIMITS, ...env, ...own })
}

/**
 * Starts the service in this process, on a free port of the loopback interface, with a new random key. A command
 * calls it over HTTP, as it calls a remote service, so both give the same answers.
 *
 * The environment configures the service as usual, except for its address, keys and threads.
 *
 * @throws CommandError for a wrong value in the environment, or a model that this machine cannot hold
 */
export async function startLocalService(env = process.env): Promise<LocalService> {
  const started = performance.now()
  const key = randomBytes(24).toString('base64url')
  try {
    const config = localConfig(env, key)
    const models = await singleThreadModels(config, {
      maker: new MakerThread(),
      folders: await folderEntries(config, () => {}),
    })
    const app = await buildApp(config, { logger: pino({ level: 'silent' }), models })
    app.server.requestTimeout = 0
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    return {
      url,
      key,
      readyMs: performance.now() - started,
      backend: models.backend?.name ?? '',
      tableBytes: models.entries().reduce((sum, entry) => sum + heldBytes(entry), 0),
      close: () => app.close(),
    }
  } catch (error) {
    throw new CommandError((error as Error).message, { cause: error }) // the service's own message, one line
  }
}
