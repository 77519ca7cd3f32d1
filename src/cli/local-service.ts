import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { buildApp } from '../app.js'
import { type Config, readConfig } from '../config.js'
import { modelsAlone } from '../models/alone.js'
import { folderEntries } from '../models/folders.js'
import { heldBytes } from '../models/room.js'
import { MakerThread } from '../threads/maker-thread.js'
import { CommandError } from './exit.js'

/** A service that can be called. */
export interface Service {
  readonly url: string
  readonly key?: string
  /** How long it may be silent; absent: for ever. */
  readonly timeoutSeconds?: number
}

/** The service, within this process. */
export interface LocalService extends Service {
  /** Milliseconds from the call to the tables being there. */
  readonly readyMs: number
  readonly backend: string
  readonly tableBytes: number
  close(): Promise<void>
}

/** Whoever runs a command owns the machine: the limits that protect a service are off unless they are given. */
const NO_LIMITS = {
  MAX_BODY_BYTES: String(2 ** 40),
  MAX_JSON_BODY_BYTES: String(2 ** 29),
  MAX_RESPONSE_BYTES: String(2 ** 40),
  MAX_JSON_RESPONSE_BYTES: String(2 ** 40),
  MAX_BYTES_IN_FLIGHT: String(2 ** 40),
  REQUEST_DEADLINE_SECONDS: '86400', // a text on stdin, and who reads stdout, may take as long as they like
  WRITE_STALL_SECONDS: '86400',
}

/** The configuration of a service for one command, which alone has the key. */
export function localConfig(env: NodeJS.ProcessEnv, key: string): Config {
  const own = { HOST: '', PORT: '', API_KEYS_FILE: '', THREADS: '1', API_KEYS: `command:${key}` }
  return readConfig({ ...NO_LIMITS, ...env, ...own })
}

/**
 * Starts the service in this process, on a free port of the loopback interface, with a key that nobody else
 * knows. A command calls it as it calls one far away: there is one path, and the answers are the service's own.
 *
 * The environment configures the model as it does the service's; its port, keys and threads are not used.
 *
 * @throws CommandError for a wrong value in the environment, or a model that this machine cannot hold
 */
export async function startLocalService(env = process.env): Promise<LocalService> {
  const started = performance.now()
  const key = randomBytes(24).toString('base64url')
  try {
    const config = localConfig(env, key)
    const models = await modelsAlone(config, {
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
    throw new CommandError((error as Error).message, { cause: error }) // as the service says it: one line
  }
}
