import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { drawing } from '../attacks/harness/random.mjs'
import { modelsFolder } from './models-folder.mjs'
import { brokenBodies, mediaTypes, packedBodies, wrongFields, wrongQueries } from './requests/faults.mjs'
import { checkpoints, staticEmbeddings, tokenizers } from './requests/folders.mjs'
import { inferences, metadata } from './requests/inference.mjs'
import { inputEmbeddings, positionEmbeddings } from './requests/input-embeddings.mjs'
import { jsonBodies } from './requests/json-bodies.mjs'
import { datasets, learning, renders } from './requests/kept.mjs'
import { changes, roles } from './requests/models.mjs'
import { pages } from './requests/pages.mjs'
import { limited, loading, neighbors, stopping } from './requests/states.mjs'
import { headers, messages, methods, origins, unfinished } from './requests/transport.mjs'

const SMALL = { EMBEDDING_DIM: '8', MAX_POSITION_EMBEDDINGS: '64' }

const CALLERS = {
  callers: [
    { name: 'user', key: 'user-key' },
    { name: 'tiny', key: 'tiny-key', models: ['tiny', 'default'] },
    { name: 'ops', key: 'ops-key', admin: true },
  ],
}

/**
 * Environments of the service, each with its requests in their order.
 *
 * @param seed which requests are drawn
 */
export function configurations(seed) {
  const folder = modelsFolder()
  const draw = drawing(seed)
  return [
    {
      name: 'requests',
      env: { ...SMALL, MODELS_DIR: folder },
      *requests() {
        yield* inputEmbeddings(draw, 700)
        yield* positionEmbeddings()
        yield* neighbors()
        yield* wrongFields()
        yield* wrongQueries()
        yield* brokenBodies()
        yield* packedBodies()
        yield* mediaTypes()
        yield* pages()
      },
    },
    {
      name: 'folders',
      env: { ...SMALL, MODELS_DIR: folder, ADMIN_KEY: 'admin-key', ENCODING: 'cl100k_base', SEED: '7' },
      *requests() {
        yield* withAdmin(checkpoints())
        yield* staticEmbeddings(draw)
        yield* tokenizers(draw)
      },
    },
    {
      name: 'inference',
      env: { ...SMALL, MODELS_DIR: folder, CORS_ORIGINS: 'https://example.org' },
      *requests() {
        yield* inferences(draw, 150)
        yield* metadata()
        yield* origins()
        yield* methods()
        yield* headers()
        yield* messages()
      },
    },
    {
      name: 'models',
      env: { ...SMALL, MODELS_DIR: folder, ADMIN_KEY: 'admin-key', CORS_ORIGINS: '*' },
      *requests() {
        yield* changes()
        yield* origins()
        yield { method: 'GET', path: '/metrics' }
      },
    },
    {
      name: 'keys',
      env: { ...SMALL, MODELS_DIR: folder, ADMIN_KEY: 'admin-key', API_KEYS_FILE: callersFile() },
      *requests() {
        yield* roles()
        yield { method: 'GET', path: '/metrics', headers: { authorization: 'Bearer admin-key' } }
      },
    },
    {
      name: 'operators',
      env: {
        ...SMALL,
        MODELS_DIR: folder,
        ADMIN_PORT: '0',
        REQUIRE_KEYS: '1',
        API_KEYS: 'a:user-key,b:other-key',
        MODELS_LOAD: 'request',
      },
      *requests() {
        yield* methods()
        yield* roles()
      },
    },
    {
      name: 'json',
      env: { ...SMALL, MODELS_DIR: folder },
      *requests() {
        yield* jsonBodies(drawing(seed), 4000)
      },
    },
    {
      name: 'kept',
      env: { ...SMALL, MODELS_DIR: folder, ADMIN_KEY: 'admin-key' },
      *requests() {
        yield* datasets()
        yield* learning()
        yield* renders()
      },
    },
    { name: 'limits', env: { ...SMALL, ...LIMITS, MODELS_DIR: folder }, requests: () => limited() },
    { name: 'deadline', env: { ...SMALL, REQUEST_DEADLINE_SECONDS: '1' }, requests: () => unfinished() },
    {
      name: 'bert',
      env: {
        ...SMALL,
        ARCHITECTURE: 'bert',
        VOCAB_SIZE: '500',
        INIT_STD: '0.02',
        TYPE_VOCAB_SIZE: '3',
        ENCODING: 'o200k_base',
      },
      requests: () => inputEmbeddings(draw, 60, { vocab: 500 }),
    },
    {
      name: 'position',
      env: {
        ...SMALL,
        ARCHITECTURE: 'gemma',
        POSITION_EMBEDDING: '{"type":"rope","head_dim":4,"rope_theta":100}',
        VOCAB_SIZE: '600',
      },
      requests: () => inputEmbeddings(draw, 60, { vocab: 600 }),
    },
    {
      name: 'two-threads',
      env: { ...SMALL, THREADS: '2', MODELS_DIR: folder, ADMIN_KEY: 'admin-key' },
      requests: () => inputEmbeddings(draw, 100),
    },
    {
      name: 'loading',
      env: { EMBEDDING_DIM: '2048', MAX_POSITION_EMBEDDINGS: '1024', MAX_TABLE_BYTES: String(2 ** 30) },
      ready: false,
      requests: () => loading(),
    },
    { name: 'stopping', env: { ...SMALL, DRAIN_SECONDS: '2' }, requests: () => stopping() },
  ]
}

/** Limits that small requests reach. */
const LIMITS = {
  MAX_BODY_BYTES: '2000',
  MAX_JSON_BODY_BYTES: '1000',
  MAX_JSON_RESPONSE_BYTES: '20000',
  MAX_RESPONSE_BYTES: '30000',
  MAX_DOCUMENTS: '5',
  MAX_TABLE_BYTES: '4000000',
  MAX_BYTES_IN_FLIGHT: '1048576',
  MAX_CONNECTIONS: '2',
  MODELS_LOAD: 'request',
  ADMIN_KEY: 'admin-key',
}

function* withAdmin(requests) {
  for (const each of requests) {
    const isAdmin = each.path.endsWith('/tables')
    yield isAdmin ? { ...each, headers: { ...each.headers, authorization: 'Bearer admin-key' } } : each
  }
}

function callersFile() {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-recorded-keys-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'callers.json')
  writeFileSync(path, JSON.stringify(CALLERS))
  return path
}
