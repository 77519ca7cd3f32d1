import '../built.js'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
/** From the interface's example. */
const TEXT = 'Hello, world!'
const IDS = [15496, 11, 995, 0]
const LISTENING = /Server listening at (http:\S+?)"/

/** A fresh machine for npm: its cache is empty, and no registry answers. */
let folder: string
let tarball: string
const env = () => ({
  ...process.env,
  npm_config_cache: join(folder, 'cache'),
  npm_config_registry: 'http://127.0.0.1:9/',
  npm_config_offline: 'true',
  npm_config_update_notifier: 'false',
  LOG_LEVEL: 'info',
})
const npm = (cwd: string, ...given: string[]) =>
  execFileSync('npm', given, { cwd, env: env(), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'install-'))
  // Without its scripts: the other tests read dist at the same time.
  const [{ filename }] = JSON.parse(
    npm(ROOT, 'pack', '--ignore-scripts', '--json', '--pack-destination', folder),
  )
  tarball = join(folder, filename)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the package, installed where no other package can be had', () => {
  const at = (...path: string[]) => join(folder, 'project', ...path)
  beforeAll(() => {
    mkdirSync(at())
    writeFileSync(at('package.json'), '{ "type": "module" }')
    npm(at(), 'install', tarball)
  })

  it('needs none, and runs nothing at its install', () => {
    expect(readdirSync(at('node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['inlet'])
    const { scripts, dependencies } = JSON.parse(readFileSync(at('node_modules/inlet/package.json'), 'utf8'))
    expect(dependencies).toBeUndefined()
    for (const name of ['preinstall', 'install', 'postinstall']) expect(scripts).not.toHaveProperty(name)
  })

  it('has the model that is its own, and none of those beside it in the checkout', () => {
    expect(readdirSync(at('node_modules/inlet/models'))).toEqual(['tiny'])
  })

  it('is a library', () => {
    writeFileSync(
      at('rows.js'),
      `import { modelFromSeed } from 'inlet'
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
    expect(npm(at(), 'exec', '--', 'inlet', '--version')).toBe(`inlet ${version}\n`)
  })
})

describe('npx of the tarball in an empty folder', () => {
  let child: ChildProcess
  afterAll(async () => {
    if (child.exitCode !== null || child.pid === undefined) return
    const ended = once(child, 'close')
    process.kill(-child.pid, 'SIGKILL')
    await ended
  })

  it('is a service', async () => {
    mkdirSync(join(folder, 'empty'))
    // npm takes an absolute path for a command.
    const given = [
      'exec',
      '--yes',
      '--',
      join('..', basename(tarball)),
      'serve',
      '--host',
      '127.0.0.1',
      '--port',
      '0',
      '--threads',
      '1',
    ]
    const options = { cwd: join(folder, 'empty'), env: env(), detached: true } as const
    child = spawn('npm', given, { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
    let log = ''
    for await (const chunk of child.stdout!) {
      log += chunk
      if (log.includes('"msg":"ready"') && LISTENING.test(log)) break
    }
    const [, url] = LISTENING.exec(log)!
    const answer = await fetch(`${url}/v1/tokenize`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: TEXT }),
    })
    expect(await answer.json()).toMatchObject({ input_ids: IDS })
    expect(readdirSync(join(folder, 'empty'))).toEqual([])
  })
})
