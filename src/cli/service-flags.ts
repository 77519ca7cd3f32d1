import { KEY } from '../callers/api-keys.js'
import type { Flag } from './command.js'
import { UsageError } from './exit.js'
import type { Service } from './service-call.js'

const DEFAULT_TIMEOUT_SECONDS = 60
const MAX_TIMEOUT_SECONDS = 86_400

/** Flags for the service that a command calls. */
function flagsOf(defaultUrl: string): readonly Flag[] {
  return [
    {
      name: 'url',
      value: 'URL',
      doc: `A running service. Default: INLET_URL; ${defaultUrl}`,
    },
    {
      name: 'key',
      value: 'KEY',
      doc: 'API key. Default: INLET_API_KEY, which other users of the machine cannot see.',
    },
    {
      name: 'timeout',
      value: 'SECONDS',
      doc: `How long a service may be silent, before its answer and within it. Default: INLET_TIMEOUT, or ${DEFAULT_TIMEOUT_SECONDS}. A connection must be there within 10.`,
    },
  ]
}

/** Flags of commands that run in this process where they name no service. */
export const serviceFlags = flagsOf(
  'without both, the recipe runs in this process, the model configured by the environment as the service’s.',
)

const LOCAL_URL = 'http://localhost:8000'

/** Flags of commands that always call a service. */
export const neededServiceFlags = flagsOf(`without both ${LOCAL_URL}.`)

/** The service that the flags, or else the environment, name; without both that of this machine. */
export function neededService(values: ReadonlyMap<string, string>, env = process.env): Service {
  return remoteService(new Map([['url', env.INLET_URL || LOCAL_URL], ...values]), env)!
}

/**
 * The service that the flags, or else the environment, name; undefined where they name none.
 *
 * @throws UsageError for an invalid address, key or time
 */
export function remoteService(
  values: ReadonlyMap<string, string>,
  env: NodeJS.ProcessEnv = process.env,
): Service | undefined {
  const [url, urlSource] = given(values, 'url', env, 'INLET_URL')
  const [key, keySource] = given(values, 'key', env, 'INLET_API_KEY')
  const [timeout = String(DEFAULT_TIMEOUT_SECONDS), timeoutSource] = given(
    values,
    'timeout',
    env,
    'INLET_TIMEOUT',
  )
  if (url === undefined) return undefined
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UsageError(`${urlSource} must be an http or https address. Given: ${url}`)
  }
  if (key !== undefined && !KEY.test(key)) {
    throw new UsageError(`${keySource} must be visible ASCII characters.`)
  }
  return { url, key, timeoutSeconds: parseTimeout(timeout, timeoutSource) }
}

/** @throws UsageError naming `source` */
export function parseTimeout(given: string, source: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(given) ? Number(given) : Number.NaN
  if (seconds > 0 && seconds <= MAX_TIMEOUT_SECONDS) return seconds
  const rule = `seconds above 0, at most ${MAX_TIMEOUT_SECONDS}`
  throw new UsageError(`${source} must be ${rule}. Given: ${given}`)
}

/** The value of a flag, else of an environment variable that is not empty; and the name of that source. */
function given(
  values: ReadonlyMap<string, string>,
  flag: string,
  env: NodeJS.ProcessEnv,
  variable: string,
): [value: string | undefined, source: string] {
  return values.has(flag) ? [values.get(flag), `--${flag}`] : [env[variable] || undefined, variable]
}
