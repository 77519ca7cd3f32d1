import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ERRORS } from '../../src/service/features.js'
import { testService } from '../helper.js'

const ROOT = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')
const { version, scripts } = JSON.parse(read('package.json'))
const PAGES = [
  'SECURITY.md',
  'CHANGELOG.md',
  'docker/kubernetes/README.md',
  'docker/kubernetes/local/README.md',
  'docker/helm/inlet/README.md',
  'docs/releasing.md',
]

describe.each(PAGES)('%s', (path) => {
  const page = read(path)

  it('links to what exists', () => {
    for (const [, target] of page.matchAll(/\]\((?!https?:)([^)#]+)\)/g))
      expect(existsSync(new URL(target, new URL(path, ROOT))), target).toBe(true)
  })

  it('names scripts that there are', () => {
    for (const [, name] of page.matchAll(/npm run ([\w:]+)/g)) expect(scripts).toHaveProperty(name)
    const local = new URL('docker/kubernetes/local/', ROOT)
    for (const [, script, order] of page.matchAll(/^\.\/(\w+\.sh) (\w+)/gm))
      expect(readFileSync(new URL(script, local), 'utf8')).toMatch(
        new RegExp(`^# ${script}.*\\b${order}\\b`, 'm'),
      )
  })
})

describe('CHANGELOG.md', () => {
  it('has a section for this version, or announces it', () => {
    const [newest, ...older] = [...read('CHANGELOG.md').matchAll(/^## \[(.+?)\]/gm)].map(([, name]) => name)
    expect(newest).toBe('Unreleased')
    if (older.length > 0) expect(older[0]).toBe(version)
    else expect(read('CHANGELOG.md')).toContain(`The first version will be ${version}.`)
  })
})

describe('SECURITY.md', () => {
  it('is right about special tokens, and about rows', async () => {
    const { app, close } = await testService({ EMBEDDING_DIM: '32' })
    const ask = async (url: string, payload: object) =>
      (await app.inject({ method: 'POST', url, payload })).json()
    const text = 'a<|endoftext|>b'
    const outputs = ['input_ids', 'token_embeddings']
    const allowed = await ask('/v1/input-embeddings', { text, outputs })
    const refused = await ask('/v1/input-embeddings', { text, outputs, allowed_special: [] })
    expect(allowed.outputs.input_ids.data[0]).toEqual([64, 50256, 65])
    expect(refused.outputs.input_ids.data[0]).not.toContain(50256)
    const vector = refused.outputs.token_embeddings.data[0]
    const { neighbors } = await ask('/v1/models/default/neighbors', { vector, k: 1 })
    expect(neighbors.map(([{ id }]: [{ id: number }]) => id)).toEqual(refused.outputs.input_ids.data[0])
    await close()
  })

  it('names errors of the service by their status', () => {
    const statuses = [...read('SECURITY.md').matchAll(/\b(4\d\d|5\d\d)\b/g)].map(([status]) => Number(status))
    const known = Object.values(ERRORS).map(([status]) => status)
    for (const status of statuses) expect(known).toContain(status)
  })
})

describe('npm run sbom', () => {
  it('lists what the service runs and serves, and nothing that only builds it', () => {
    execFileSync(process.execPath, ['docker/sbom.mjs'], { cwd: ROOT, stdio: 'pipe' })
    const bill = JSON.parse(read('build/sbom/packages.cdx.json'))
    expect(bill.metadata.component).toMatchObject({ name: 'inlet-lm', version, type: 'application' })
    const names = bill.components.map(({ name }: { name: string }) => name)
    const bundled = [
      'fastify',
      'zod',
      'pino',
      'prom-client',
      'js-tiktoken',
      '@tensorflow/tfjs-core',
      'preact',
    ]
    const more = ['@tensorflow/tfjs-backend-cpu', '@opentelemetry/sdk-trace-base', 'tokenizers']
    expect(names).toEqual(expect.arrayContaining([...bundled, ...more, '@fastify/swagger-ui']))
    for (const name of ['vitest', 'typescript', '@tensorflow/tfjs-node', '@fastify/static'])
      expect(names).not.toContain(name)
    for (const { name, hashes, version: own } of bill.components) {
      expect(own, name).toBeDefined()
      if (name !== 'chat-template') expect(hashes, name).toBeDefined() // of this repository: no registry has it
    }
  })
})
