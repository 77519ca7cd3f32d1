import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshMachine, type Packed } from './tarball.js'

const { version, optionalDependencies } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
)
/** Bytes of the tarball: a limit that only falls. */
const MOST_BYTES = 3_900_000
/** What a package has: its code, the interface, documents, and the model of its own. */
const PACKED =
  /^(dist\/|docs\/[\w-]+\.(md|txt)$|models\/tiny\/|(openapi\.yaml|package\.json|LICENSE|[A-Z]+\.md)$)/
/** From the interface's example. */
const TEXT = 'Hello, world!'
const IDS = [15496, 11, 995, 0]

let folder: string
let npm: ReturnType<typeof freshMachine>['npm']
let packed: Packed
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the package, installed where no other package can be had', () => {
  const at = (...path: string[]) => join(folder, 'project', ...path)
  beforeAll(() => {
    const machine = freshMachine()
    folder = machine.folder
    npm = machine.npm
    packed = machine.facts
    mkdirSync(at())
    writeFileSync(at('package.json'), '{ "type": "module" }')
    npm(at(), 'install', join(folder, machine.tarball))
  })

  it('is small, has no file that is not meant, and pins what it may use', () => {
    expect(packed.name).toBe('inlet-lm')
    expect(packed.size).toBeLessThan(MOST_BYTES)
    expect(packed.files.map(({ path }) => path).filter((path) => !PACKED.test(path))).toEqual([])
    for (const wanted of Object.values(optionalDependencies)) expect(wanted).toMatch(/^\d+\.\d+\.\d+$/)
  })

  it('needs none, and runs nothing at its install', () => {
    expect(readdirSync(at('node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['inlet-lm'])
    const { scripts, dependencies } = JSON.parse(
      readFileSync(at('node_modules/inlet-lm/package.json'), 'utf8'),
    )
    expect(dependencies).toBeUndefined()
    for (const name of ['preinstall', 'install', 'postinstall']) expect(scripts).not.toHaveProperty(name)
  })

  it('has the model that is its own, and none of those beside it in the checkout', () => {
    expect(readdirSync(at('node_modules/inlet-lm/models'))).toEqual(['tiny'])
  })

  it('is a library', () => {
    writeFileSync(
      at('rows.js'),
      `import { modelFromSeed } from 'inlet-lm'
       const model = await modelFromSeed(123, { embedding_dim: 8 })
       const batch = await model.embed(${JSON.stringify(TEXT)}, { context_length: 4, tail: 'pad' })
       console.log(batch.floats().length)
       model.dispose()`,
    )
    expect(execFileSync(process.execPath, ['rows.js'], { cwd: at(), encoding: 'utf8' })).toBe('32\n')
  })

  it('is a command', () => {
    writeFileSync(at('text.txt'), TEXT)
    const shown = npm(at(), 'exec', '--', 'inlet', 'tokenize', 'text.txt', '--json')
    expect(JSON.parse(shown)).toEqual(IDS)
    for (const name of ['inlet', 'inlet-lm'])
      expect(execFileSync(at('node_modules/.bin', name), ['--version'], { encoding: 'utf8' })).toBe(
        `inlet ${version}\n`,
      )
  })
})
