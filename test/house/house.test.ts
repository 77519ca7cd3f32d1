import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { circles, importsOfFiles } from './imports.js'
import { SMALL, sum, walk } from './walk.mjs'

/** The rooms of src: each imports only itself and rooms before it. */
const ROOMS = [
  'first-layer',
  'files',
  'checkpoints',
  'models',
  'corpus',
  'library',
  'service',
  'features',
  'run',
  'cli',
]
/** The rooms of the first layer, from below; what stands in none makes use of them all. */
const FIRST_LAYER = [
  ...['errors.ts', 'memory.ts', 'python-json.ts', 'package-file.ts', 'running/', 'kernels/', 'random/'],
  ...['tensors/', 'answer.ts', 'options/', 'tokens/', 'windows/', 'lookups/'],
  ...['embeddings/', 'options/embedding.ts', 'pooling/', 'cards/', 'learning/', 'neighbors/'],
]
/** The rooms of service, from below. The errors that all of them throw stand under them. */
const SERVICE = [
  ...['answer/error-table.ts', 'process/', 'models/', 'answer/', 'request/', 'connections/', 'metrics/'],
  ...['document/', 'feature.ts', 'features.ts', 'app.ts', 'threads/', 'start.ts'],
]
/** It may only be lowered. */
const MAX_LINES = 54_700
/** They may only be lowered. */
const MOST = {
  '/v1/input-embeddings': { files: 46, calls: 323 },
  '/health/live': { files: 8, calls: 21 },
}

const imports = importsOfFiles()
const all = [...imports].flatMap(([from, targets]) => targets.map((to) => ({ from, to })))
const arrows = (isWrong: (from: string[], to: string[]) => boolean) =>
  all
    .filter(({ from, to }) => isWrong(from.split('/'), to.split('/')))
    .map(({ from, to }) => `${from} → ${to}`)

/** The place of a path among a room's own rooms; −1: in none. */
const placeIn = (room: string, rooms: readonly string[]) => (path: readonly string[]) => {
  const has = rooms.filter((each) => path.join('/').startsWith(`${room}/${each}`))
  return rooms.indexOf(has.toSorted((a, b) => b.length - a.length)[0] ?? '')
}

describe('imports', () => {
  it('lead to rooms before one’s own in the list; features.ts alone names the features', () => {
    const room = ([name]: string[]) => ROOMS.indexOf(name!)
    const up = arrows((from, to) => room(from) >= 0 && room(to) > room(from))
    expect(up.filter((arrow) => !arrow.startsWith('service/features.ts → features/'))).toEqual([])
  })

  it('lead down between the rooms of service too', () => {
    const place = placeIn('service', SERVICE)
    expect(arrows((from, to) => place(from) >= 0 && place(to) > place(from))).toEqual([])
    expect(arrows((from) => from[0] === 'service' && place(from) < 0)).toEqual([])
  })

  it('lead down between the rooms of the first layer too', () => {
    const place = placeIn('first-layer', FIRST_LAYER)
    const isUp = (from: string[], to: string[]) =>
      place(to) > place(from) || (place(to) < 0 && to[0] === 'first-layer')
    expect(arrows((from, to) => place(from) >= 0 && isUp(from, to))).toEqual([])
  })

  it('never lead from one feature to another', () => {
    const isOther = (from: string[], to: string[]) => from[0] === to[0] && from[1] !== to[1]
    expect(arrows((from, to) => from[0] === 'features' && isOther(from, to))).toEqual([])
  })

  it('never lead from a command to a feature', () => {
    expect(arrows(([from], [to]) => (from === 'run' || from === 'cli') && to === 'features')).toEqual([])
  })

  it('never lead from a command to the service, but from the one that starts it', () => {
    const up = arrows(([from], [to]) => (from === 'run' || from === 'cli') && to === 'service')
    expect(up.filter((arrow) => !arrow.startsWith('cli/serve.ts → '))).toEqual([])
  })

  it('never lead to what a feature says of its routes: the service starts without it', () => {
    expect(arrows((_, [room, , file]) => room === 'features' && file === 'document.ts')).toEqual([])
  })

  it('form no circle, not even of types', () => {
    expect(circles(imports)).toEqual([])
  })
})

it(`src and the packages' src have at most ${MAX_LINES} lines`, () => {
  const root = new URL('../../', import.meta.url)
  const packages = readdirSync(new URL('packages/', root)).map((name) => `packages/${name}/src/`)
  const sources = ['src/', ...packages].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true })
      .map((path) => `${folder}${path}`)
      .filter((path) => /\.tsx?$/.test(path)),
  )
  const lines = sources.reduce(
    (sum, path) => sum + readFileSync(new URL(path, root), 'utf8').split('\n').length - 1,
    0,
  )
  console.log(`src and packages: ${lines} lines in ${sources.length} files`)
  expect(lines).toBeLessThanOrEqual(MAX_LINES)
})

it(`one warm request enters few files, by few calls: ${JSON.stringify(MOST)}`, async () => {
  const walks = await walk([{ path: '/v1/input-embeddings', body: SMALL }, { path: '/health/live' }])
  for (const [i, [path, most]] of Object.entries(MOST).entries()) {
    const walked = walks[i]!
    const calls = sum(walked)
    console.log(`${path}: ${walked.size} files, ${calls} calls`)
    const told = `${path}\n${[...walked].map(([file, count]) => `${count} ${file}`).join('\n')}`
    expect(walked.size, told).toBeGreaterThan(0)
    expect(walked.size, told).toBeLessThanOrEqual(most.files)
    expect(calls, told).toBeLessThanOrEqual(most.calls)
  }
})
