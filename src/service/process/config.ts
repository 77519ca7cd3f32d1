import { closestMatch } from 'leven'
import { z } from 'zod'
import {
  ConfigError,
  integer,
  LIMIT_VARIABLES,
  MAX_BYTES,
  MAX_STORED_BYTES,
  MIB,
  MODEL_VARIABLES,
  oneOf,
  optionalInteger,
  readVariables,
  type Shapes,
  withRule,
  zeroOrOne,
} from '../../models/variables.js'
import { ApiKeyError, parseAdminKey, parseApiKeys } from './keys/api-keys.js'
import { adminKey, allApiKeys } from './keys/configured-keys.js'
import { readAdminKeyFile, readKeyFile } from './keys/key-file.js'
import { isHost } from './listening/address.js'

/** A variable that holds secrets: errors name its fault, and show nothing of it. */
function secretKeys<Keys>(rule: string, parse: (given: string) => Keys) {
  const keys = z.string().transform((given, context) => {
    try {
      return parse(given)
    } catch (error) {
      if (!(error instanceof ApiKeyError)) throw error
      context.addIssue({ code: 'custom', message: error.message })
      return z.NEVER
    }
  })
  return keys.optional().meta({ rule, secret: true })
}

/**
 * Whether this is an origin as a browser sends it: scheme, host, port, no path. Any sandboxed page sends
 * `null`: refused.
 */
function isOrigin(given: string): boolean {
  return given === '*' || (URL.canParse(given) && new URL(given).origin === given && !/^null$|\*/.test(given))
}

/**
 * The variables. Their order is that of `inlet serve --help`, and of configuration.md, which is made from it; `group` is the
 * heading there of this one and of those after it.
 */
const SCHEMA = {
  HOST: withRule(z.string().refine(isHost).prefault('127.0.0.1'), 'an address')
    .describe('Address to listen on, `0.0.0.0` for every one of the machine as in the image.')
    .meta({ group: 'Address and log' }),
  PORT: integer(8000, 0, 65_535).describe('TCP port to listen on; 0 takes any free one.'),
  ADMIN_PORT: optionalInteger(0, 65_535).describe(
    'Port for operators: metrics, docs and the routes that change models are then there alone. Default: all at `PORT`.',
  ),
  ADMIN_HOST: withRule(z.string().refine(isHost).optional(), 'an address').describe(
    'Address for that port. Default: `HOST`.',
  ),
  TLS_CERT_FILE: withRule(z.string().optional(), 'a file in PEM').describe(
    'Certificate, with those between it and its root after it; the service then speaks HTTPS.',
  ),
  TLS_KEY_FILE: withRule(z.string().optional(), 'a file in PEM').describe('Its key, without a password.'),
  TLS_CLIENT_CA_FILE: withRule(z.string().optional(), 'a file in PEM').describe(
    'Authorities: only clients with a certificate of theirs may connect. Not asked for at `ADMIN_PORT`.',
  ),
  LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info').describe(
    'Least level that is logged.',
  ),
  ...MODEL_VARIABLES,
  API_KEYS: secretKeys('name:key pairs with commas between them, each name once', parseApiKeys)
    .describe('Keys that callers need. If neither this nor `API_KEYS_FILE` is set, no key is required.')
    .meta({ group: 'Callers' }),
  API_KEYS_FILE: secretKeys(
    'a file of name:key lines, or of callers as JSON, each name once',
    readKeyFile,
  ).describe(
    'File with more keys, one `name:key` a line, or JSON that says who may use how much (below); blank lines and `#` lines are skipped. Read again when it changes.',
  ),
  ADMIN_KEY: secretKeys('one key of visible ASCII characters', parseAdminKey).describe(
    'Key of the routes that change models; it opens all others too. If neither this nor `ADMIN_KEY_FILE` is set, no request may change models.',
  ),
  ADMIN_KEY_FILE: secretKeys('a file with one key of visible ASCII characters', readAdminKeyFile).describe(
    'File with that key instead; white space around it does not count.',
  ),
  REQUIRE_KEYS: withRule(zeroOrOne().prefault('0'), '0 or 1').describe('1: no start without keys.'),
  CORS_ORIGINS: withRule(
    z
      .string()
      .transform((given) => given.split(',').map((origin) => origin.trim()))
      .refine((origins) => origins.every(isOrigin))
      .optional(),
    '"*", or origins such as https://example.org, without * in a host, with commas between them',
  ).describe('Web origins whose pages may call the service. Default: none.'),
  THREADS: optionalInteger(1, 1024)
    .describe(
      'Event loops that serve, on one copy of the tables. Default: the cores that the container may use.',
    )
    .meta({ group: 'Limits' }),
  ...LIMIT_VARIABLES,
  DATA_DIR: withRule(z.string().optional(), 'a folder').describe(
    'Folder for what stays: datasets, and checkpoints of models that learn. Several processes may share one. Default: none, datasets are in a temporary folder, which goes with the process.',
  ),
  DATA_QUOTA_BYTES: integer(16 * 1024 * MIB, 0, MAX_STORED_BYTES).describe(
    'Most bytes that datasets and checkpoints together take in `DATA_DIR`.',
  ),
  MAX_DOCUMENTS: integer(65_536, 1, 2 ** 24).describe('Most documents of one request.'),
  MAX_BYTES_IN_FLIGHT: optionalInteger(MIB, MAX_BYTES).describe(
    'Bytes that all requests together may hold. Default: half of the memory that the container may use.',
  ),
  MAX_QUEUE: integer(256, 0, 1_000_000).describe('Requests that may wait for room.'),
  QUEUE_TIMEOUT_MS: integer(2000, 1, 600_000).describe('Longest wait for room, in milliseconds.'),
  MAX_CONNECTIONS: integer(10_000, 1, 1_000_000).describe('Connections at once.'),
  KEEP_ALIVE_SECONDS: integer(72, 1, 86_400).describe(
    'How long a connection without a request stays open. Above the idle timeout of the balancer before the service.',
  ),
  REQUEST_DEADLINE_SECONDS: integer(300, 1, 86_400).describe(
    'Longest time from a request’s head to the last byte of its answer. `X-Request-Timeout` asks for less.',
  ),
  WRITE_STALL_SECONDS: integer(60, 1, 86_400).describe(
    'How long a reader may take no byte of its answer before its connection is closed.',
  ),
  DRAIN_SECONDS: optionalInteger(0, 3600)
    .describe('After SIGTERM, how long new requests are still taken. Default: 5; 0 at a terminal.')
    .meta({ group: 'The end' }),
  SHUTDOWN_SECONDS: integer(25, 1, 3600).describe(
    'After SIGTERM, when the process ends whatever still runs.',
  ),
} as const

/** The variables of features: each adds its own (`Feature.config`). */
// biome-ignore lint/suspicious/noEmptyInterface: features merge into it
export interface FeatureVariables {}

export type Config = Readonly<z.output<z.ZodObject<typeof SCHEMA>>> & FeatureVariables

/** The limits on bodies and answers, in bytes, and on documents. */
export type LimitVariables = Pick<Config, keyof typeof LIMIT_VARIABLES | 'MAX_DOCUMENTS'>

export interface Variable {
  readonly name: string
  readonly rule: string
  readonly default: string
  readonly doc: string
  /** The heading of `inlet serve --help` that it begins. */
  readonly group: string | undefined
}

/** Every variable of the service without features, then these. */
export function variablesWith(features: Shapes): readonly Variable[] {
  return Object.entries({ ...SCHEMA, ...features } as Readonly<Record<string, z.ZodType>>).map(
    ([name, schema]) => ({
      name,
      rule: String(schema.meta()?.rule ?? ''),
      default: String((schema.def as { defaultValue?: unknown }).defaultValue ?? ''),
      doc: schema.description ?? '',
      group: schema.meta()?.group as string | undefined,
    }),
  )
}

/**
 * Reads the configuration. An empty variable counts as absent, as compose files leave them.
 * @param features the variables of features; those that are left out have no value
 * @throws ConfigError "PORT must be an integer from 0 to 65535. Given: "abc""
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>, features: Shapes = {}): Config {
  const config = readVariables(env, { ...SCHEMA, ...features }) as Config
  checkTogether(config)
  checkKeys(config)
  return Object.freeze(config)
}

/**
 * The variables that the service does not know and that nearly have the name of one that it does.
 * @param known names; @returns `[['APIKEYS', 'API_KEYS']]`
 */
export function misspeltVariables(env: object, known: readonly string[]): [given: string, meant: string][] {
  return Object.keys(env).flatMap((given) => {
    if (known.includes(given)) return []
    const maxDistance = given.length < 8 ? 1 : 2 // of short names, others are near by chance
    const meant = closestMatch(given.toUpperCase(), known, { maxDistance })
    return meant === undefined ? [] : [[given, meant]]
  })
}

export function unusableDataDir({ message }: Error): never {
  throw new ConfigError(`DATA_DIR must be a folder that the service can write to. ${message}`)
}

/** Whether npm runs this process (`npm start`), and passes signals on to it. */
export function isStartedByNpm(env: Readonly<Record<string, string | undefined>>): boolean {
  return env.npm_lifecycle_event !== undefined
}

function checkKeys(config: Config): void {
  try {
    if (allApiKeys(config).length > 0 || !config.REQUIRE_KEYS) return
  } catch (error) {
    const variables = adminKey(config) === undefined ? 'API_KEYS' : 'API_KEYS and ADMIN_KEY'
    throw new ConfigError(`API_KEYS_FILE must not repeat what ${variables} has. ${(error as Error).message}`)
  }
  throw new ConfigError('REQUIRE_KEYS=1 needs a key in API_KEYS or API_KEYS_FILE.')
}

/** The rules between variables. */
function checkTogether(config: Config): void {
  const { ADMIN_KEY, ADMIN_KEY_FILE, PORT, ADMIN_PORT, ADMIN_HOST, TF_BACKEND, THREADS = 1 } = config
  const [hasCertificate, hasKey] = [config.TLS_CERT_FILE !== undefined, config.TLS_KEY_FILE !== undefined]
  const rules: readonly [isBroken: boolean, message: string][] = [
    [
      ADMIN_KEY !== undefined && ADMIN_KEY_FILE !== undefined,
      'ADMIN_KEY must not stand beside ADMIN_KEY_FILE: there is one admin key.',
    ],
    [ADMIN_PORT === PORT && PORT > 0, `ADMIN_PORT must not be PORT. Given: ${ADMIN_PORT}`],
    [ADMIN_HOST !== undefined && ADMIN_PORT === undefined, 'ADMIN_HOST needs ADMIN_PORT.'],
    [hasCertificate !== hasKey, 'TLS_CERT_FILE needs TLS_KEY_FILE, and TLS_KEY_FILE needs TLS_CERT_FILE.'],
    [
      config.TLS_CLIENT_CA_FILE !== undefined && !hasCertificate,
      'TLS_CLIENT_CA_FILE needs TLS_CERT_FILE and TLS_KEY_FILE.',
    ],
    [
      TF_BACKEND === 'tensorflow' && THREADS > 1,
      `THREADS must be 1 under TF_BACKEND=tensorflow. Given: ${THREADS}`,
    ],
  ]
  const broken = rules.find(([isBroken]) => isBroken)
  if (broken !== undefined) throw new ConfigError(broken[1])
}
