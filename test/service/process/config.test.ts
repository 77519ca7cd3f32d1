import { describe, expect, test } from 'vitest'
import { ConfigError } from '../../../src/models/variables.js'
import { readConfig, VARIABLES } from '../../../src/service/features.js'
import { misspeltVariables } from '../../../src/service/process/config.js'

const MIB = 2 ** 20

/** Wrong values for each variable whose values are checked as they are read. */
const WRONG: Readonly<Record<string, readonly string[]>> = {
  HOST: ['unix:/run/a.sock', '/run/a.sock'],
  ADMIN_PORT: ['abc', '-1', '65536'],
  ADMIN_HOST: ['unix:/run/a.sock', '/run/a.sock'],
  PORT: ['abc', '-1', '65536', '80.5', '0x50', ' 80', '1e3', '99999999999999999999'],
  LOG_LEVEL: ['loud', 'INFO'],
  ENCODING: ['bert', 'GPT2'],
  ARCHITECTURE: ['mamba'],
  POSITION_EMBEDDING: [
    'fourier',
    '{"type":',
    '{"type":"rope","head_dim":-1}',
    '{"type":"rope","theta":1}',
    '[]',
  ],
  VOCAB_SIZE: ['0', '-5', '2147483648', '5 '],
  EMBEDDING_DIM: ['0', '256.0', '1048577', 'NaN'],
  MAX_POSITION_EMBEDDINGS: ['0', 'many'],
  TYPE_VOCAB_SIZE: ['0', '65537'],
  SEED: ['1.5', 'seed', '18446744073709551616', '-9223372036854775809', '--1'],
  INIT_STD: ['0', '-1', 'Infinity', '1e9', 'NaN', '.'],
  MODELS: ['tiny', '=path', 'tiny=', 'a=b,a=c', '-a=b', 'default=b'],
  MODELS_STRICT: ['2', 'true'],
  DEFAULT_MODEL: ['-a', 'a/b/c', 'a/', 'ä', 'x'.repeat(129)],
  MODELS_LOAD: ['lazy', 'START'],
  MAX_TABLE_BYTES: ['0', '-1', '1GiB'],
  TF_BACKEND: ['wasm', 'CPU'],
  THREADS: ['0', '1025', 'two'],
  CORS_ORIGINS: ['example.org', 'https://a.org/', 'null', 'https://*.ex.org'],
  API_KEYS: ['no-colon', 'a:', ':b', 'a:b,a:c'],
  API_KEYS_FILE: ['/nonexistent'],
  ADMIN_KEY: ['two words', 'ä', ' '],
  ADMIN_KEY_FILE: ['/nonexistent'],
  MAX_BODY_BYTES: ['0', '-1', '1099511627777', '64MiB'],
  MAX_JSON_BODY_BYTES: ['0', '536870913'],
  MAX_JSON_RESPONSE_BYTES: ['0', 'x'],
  MAX_RESPONSE_BYTES: ['0', '8_000'],
  DATASETS: ['no', 'ON'],
  DATA_QUOTA_BYTES: ['-1', '1125899906842625', '1e9'],
  MAX_DATASET_MEMORY_BYTES: ['-1', '1125899906842625', '1e9'],
  MAX_DATASET_BYTES: ['0', '1125899906842625'],
  MAX_DOCUMENTS: ['0', '16777217'],
  MAX_BYTES_IN_FLIGHT: ['0', '1048575', '512MiB'],
  MAX_QUEUE: ['-1', 'none'],
  QUEUE_TIMEOUT_MS: ['0', '2s'],
  MAX_CONNECTIONS: ['0', '1000001'],
  KEEP_ALIVE_SECONDS: ['0', '86401'],
  REQUEST_DEADLINE_SECONDS: ['0', '1.5'],
  WRITE_STALL_SECONDS: ['0', '-1'],
  DRAIN_SECONDS: ['-1', '3601'],
  SHUTDOWN_SECONDS: ['0', 'never'],
  REQUIRE_KEYS: ['true', '2'],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['collector:4318', 'grpc://a', 'http://'],
}

/** Checked by the socket, and by who reads the folder or the files; any name is one. */
const CHECKED_LATER = [
  ...['MODELS_DIR', 'DATA_DIR'],
  ...['TLS_CERT_FILE', 'TLS_KEY_FILE', 'TLS_CLIENT_CA_FILE'],
]

describe('a wrong value is refused by name', () => {
  const cases = Object.entries(WRONG).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  )
  test.each(cases)('%s=%s', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(ConfigError)
    expect(() => readConfig({ [name]: value })).toThrow(name)
    const { rule } = VARIABLES.find((variable) => variable.name === name)!
    expect(() => readConfig({ [name]: value })).toThrow(rule)
  })

  test('of every variable there is', () => {
    const names = VARIABLES.map(({ name }) => name).filter((name) => !CHECKED_LATER.includes(name))
    expect(Object.keys(WRONG).sort()).toEqual(names.sort())
  })
})

test('an endpoint that is refused is not shown: it may hold a password', () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'me:s3cret@host'
  expect(() => readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT })).toThrow('OTEL_EXPORTER_OTLP_ENDPOINT must be')
  expect(() => readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT })).not.toThrow(/s3c/)
})

test('an empty variable counts as absent', () => {
  const empty = Object.fromEntries(VARIABLES.map(({ name }) => [name, '']))
  expect(readConfig(empty)).toEqual(readConfig({}))
})

test('without any variable there is the default model and the documented limits', () => {
  expect(readConfig({})).toMatchObject({
    HOST: '127.0.0.1',
    PORT: 8000,
    ENCODING: 'gpt2',
    EMBEDDING_DIM: 256,
    MAX_POSITION_EMBEDDINGS: 1024,
    SEED: 123n,
    INIT_STD: 1,
    ARCHITECTURE: 'gpt2',
    TYPE_VOCAB_SIZE: 2,
    TF_BACKEND: 'auto',
    MAX_BODY_BYTES: 64 * MIB,
    MAX_JSON_BODY_BYTES: 2 * MIB,
    MAX_JSON_RESPONSE_BYTES: 256 * MIB,
    MAX_RESPONSE_BYTES: 8 * 1024 * MIB,
  })
})

test('right values are read as they are', () => {
  const env = {
    PORT: '0',
    SEED: '-9223372036854775808',
    INIT_STD: '2e-2',
    VOCAB_SIZE: '12',
    CORS_ORIGINS: 'https://a.org, http://localhost:3000',
    THREADS: '3',
  }
  expect(readConfig(env)).toMatchObject({
    PORT: 0,
    SEED: -(2n ** 63n),
    INIT_STD: 0.02,
    VOCAB_SIZE: 12,
    CORS_ORIGINS: ['https://a.org', 'http://localhost:3000'],
    THREADS: 3,
  })
})

test('nothing else of the environment is read, and the configuration does not change', () => {
  const config = readConfig({ PATH: '/bin', port: '1', __proto__: { PORT: '1' } as never })
  expect(config.PORT).toBe(8000)
  expect(Object.isFrozen(config)).toBe(true)
  expect(Object.keys(config)).not.toContain('PATH')
})

test('a variable that is nearly one of the service’s is told, and no other', () => {
  const names = VARIABLES.map(({ name }) => name)
  const env = {
    APIKEYS: 'a:b',
    THREAD: '2',
    max_body_byte: '1',
    MODEL_DIR: 'm',
    PORT: '1',
    PATH: '/bin',
    HOME: '/',
    HOSTNAME: 'h',
  }
  expect(misspeltVariables(env, names)).toEqual([
    ['APIKEYS', 'API_KEYS'],
    ['THREAD', 'THREADS'],
    ['max_body_byte', 'MAX_BODY_BYTES'],
    ['MODEL_DIR', 'MODELS_DIR'],
  ])
})

test('every variable has its rule and its description', () => {
  for (const { name, rule, doc } of VARIABLES)
    expect([name, rule.length > 5, doc.length > 10]).toEqual([name, true, true])
})

test('TensorFlow has its own threads: more than one of ours is refused with it', () => {
  const TF_BACKEND = 'tensorflow'
  expect(() => readConfig({ TF_BACKEND, THREADS: '2' })).toThrow(ConfigError)
  expect(() => readConfig({ TF_BACKEND, THREADS: '2' })).toThrow(/^THREADS must be 1 .*Given: 2$/)
  expect(readConfig({ TF_BACKEND, THREADS: '1' })).toMatchObject({ TF_BACKEND, THREADS: 1 })
  expect(readConfig({ TF_BACKEND })).toMatchObject({ TF_BACKEND })
})
