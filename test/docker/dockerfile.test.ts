import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readStages, type Stage } from './stages.js'

const ROOT = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')
const stages = readStages(new URL('Dockerfile', ROOT))
const last = stages[stages.length - 1]
const of = (stage: Stage, keyword: string) => stage.instructions.filter((each) => each.keyword === keyword)

describe('the Dockerfile', () => {
  it('ends in a stage that is not root, has a health check, and starts the service itself', () => {
    expect(of(last, 'USER').at(-1)?.text).toBe('node')
    expect(of(last, 'HEALTHCHECK')[0].text).toContain('dist/health-check.js')
    expect(JSON.parse(of(last, 'CMD')[0].text)).toEqual(['node', 'dist/server.js'])
  })

  it('listens on every address of the container, unlike `npm start`', () => {
    expect(of(last, 'ENV').map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/\bHOST=0\.0\.0\.0\b/),
    )
  })

  it('takes no development dependency along', () => {
    const copied = of(last, 'COPY').find(({ text }) => text.includes('node_modules'))
    const source = stages.find(({ name }) => name === copied?.flags.from) as Stage
    const installs = of(source, 'RUN').filter(({ text }) => text.includes('npm ci'))
    expect(installs).toHaveLength(1)
    expect(installs[0].text).toContain('npm ci --omit=dev --omit=optional')
  })

  it('runs nothing where the image does not run, and knows for which platform it is', () => {
    for (const stage of stages.slice(0, -1)) {
      expect(stage.platform, stage.name).toMatch(/^\$\{BUILDPLATFORM:-linux\/amd64\}$/)
      const reads = of(stage, 'RUN').some(({ text }) => text.includes('TARGETARCH'))
      expect(of(stage, 'ARG').some(({ text }) => text === 'TARGETARCH')).toBe(reads)
    }
    expect(last.platform).toBeUndefined()
    expect(of(last, 'RUN')).toEqual([])
  })

  it('takes one platform’s binary of the tokenizer library along', () => {
    const modules = stages.find(({ name }) => name === 'modules') as Stage
    const place = (text: string) => modules.instructions.findIndex((each) => each.text.includes(text))
    const removal = modules.instructions[place('-delete')].text
    expect(removal).toContain('tokenizers.linux-$(echo "$arch" | sed s/amd64/x64/)-gnu.node')
    expect(place('/app/node_modules/tokenizers')).toBeGreaterThan(place('npm ci'))
    expect(place('-delete')).toBeGreaterThan(place('/app/node_modules/tokenizers'))
    for (const arch of ['x64', 'arm64'])
      expect(read('node_modules/tokenizers/index.js')).toContain(`./tokenizers.linux-${arch}-gnu.node`)
  })

  it('stands on the slim image, and takes along what runs and nothing else', () => {
    expect(stages.map(({ base }) => base)).toEqual(Array(stages.length).fill('node:24-slim'))
    const copied = of(last, 'COPY').flatMap(({ text, flags }) =>
      text
        .split(/\s+/)
        .slice(0, -1)
        .map((path) => (flags.from === undefined ? path : `${flags.from}:${path}`)),
    )
    expect(copied.sort()).toEqual([
      'LICENSE',
      'build:/app/data',
      'build:/app/dist',
      'models',
      'modules:/app/node_modules',
      'openapi.yaml', // what GET /openapi.yaml answers
      'package.json',
    ])
  })

  it('has each configuration that a step of the build reads', () => {
    const build = read('build.mjs')
    const files = Array.from(build.matchAll(/import\('\.\/(\S+)'\)/g), ([, file]) => read(file!))
    const named = [build, ...files].flatMap((text) => text.match(/\b(tsconfig|rolldown)\.[\w.]+/g) ?? [])
    const [first] = stages
    const copied = of(first!, 'COPY').flatMap(({ text }) => text.split(/\s+/).slice(0, -1))
    expect(named).toContain('tsconfig.types.json')
    expect(copied).toEqual(expect.arrayContaining(['build.mjs', 'openapi.yaml', ...named]))
  })

  it('copies from the context only what .dockerignore lets through', () => {
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1))
    const copies = stages.flatMap((stage) =>
      of(stage, 'COPY').filter(({ flags }) => flags.from === undefined),
    )
    for (const { text } of copies) {
      for (const path of text.split(/\s+/).slice(0, -1)) expect(allowed).toContain(path)
    }
    expect(read('.dockerignore')).toMatch(/^\*$/m)
  })
})

describe('docker/bake.json', () => {
  const { variable, target } = JSON.parse(read('docker/bake.json'))

  it('makes this version for both platforms, and TensorFlow’s for the one that has it', () => {
    expect(variable.VERSION.default).toBe(JSON.parse(read('package.json')).version)
    expect(target.default).toMatchObject({ context: '.', platforms: ['linux/amd64', 'linux/arm64'] })
    const { args, platforms } = target['tfjs-node']
    expect(platforms).toEqual(['linux/amd64'])
    const declared = stages.flatMap((stage) => of(stage, 'ARG').map(({ text }) => text.split('=')[0]))
    for (const name of Object.keys(args)) expect(declared).toContain(name)
  })
})

describe('docker/compose.yaml', () => {
  it('gives the service only what it needs', () => {
    const { inlet } = parse(read('docker/compose.yaml')).services
    expect(inlet).toMatchObject({ read_only: true, cap_drop: ['ALL'], build: { context: '..' } })
    expect(inlet.ports).toEqual(['127.0.0.1:8000:8000'])
  })
})
