import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { positionSchemes } from '../../src/first-layer/embeddings/positions/registry.js'
import { decodeNpy } from '../decode.js'
import { listen, type TestService, testService } from '../helper.js'

const run = promisify(execFile)
const PAGES = ['positions', 'positions-relative', 'positions-older', 'architectures']
const page = PAGES.map((name) =>
  readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8'),
).join('')

interface Call {
  readonly heading: string
  readonly command: string
  /** The numbers that its page shows below the call. */
  readonly shown: string | undefined
}

/** The `sh` blocks of the pages, each with the `text` block right after it. */
const calls: readonly Call[] = page.split(/^#+ /m).flatMap((section) => {
  const [heading = ''] = section.split('\n', 1)
  const blocks = section.matchAll(/```sh\n([\s\S]*?)```\n(?:\n```text\n([\s\S]*?)```)?/g)
  return Array.from(blocks, ([, command = '', shown]) => ({ heading, command, shown }))
})

const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => false,
)
if (!hasCurl) console.info('skipped where there is no curl: the calls of the pages about positions')

let service: TestService
let port: number
let folder: string
beforeAll(async () => {
  service = await testService({ EMBEDDING_DIM: '256' })
  port = await listen(service)
  folder = mkdtempSync(join(tmpdir(), 'positions-'))
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

async function stdoutOf(command: string): Promise<string> {
  const here = command.replaceAll('localhost:8000', `127.0.0.1:${port}`)
  const { stdout } = await run('sh', ['-ec', here], { cwd: folder, maxBuffer: 2 ** 28 })
  return stdout
}

type Nested = readonly (Nested | number | string)[]

/** Rows of the last axis, whatever stands around them. */
function rowsOf(data: Nested): (number | string)[][] {
  return Array.isArray(data[0])
    ? data.flatMap((each) => rowsOf(each as Nested))
    : [data as (number | string)[]]
}

/** `0 1 … / 2 3 …` against the rows of an answer: `…` is more of a row, or more rows. */
function expectShown(name: string, shown: string, data: Nested): void {
  const rows = rowsOf(data).map((row) => row.map(String))
  const parts = shown.split(/\/+/).map((part) => part.trim().split(/\s+/))
  const whole = parts.at(-1)?.[0] !== '…' && parts.at(-1)?.at(-1) !== '…'
  if (whole) expect(parts, name).toHaveLength(rows.length)
  for (const [i, part] of parts.entries()) {
    const prefix = part.at(-1) === '…' ? part.slice(0, -1) : part
    expect(prefix, `${name}, row ${i}`).toEqual(rows[i]?.slice(0, prefix.length))
    if (prefix === part) expect(part, `${name}, row ${i}`).toHaveLength(rows[i]?.length ?? 0)
  }
  const matrices = shown.split('//').slice(0, -1)
  for (const matrix of matrices) expect(matrix.split('/')).toHaveLength((data[0] as Nested).length)
}

describe.skipIf(!hasCurl)('the calls of the pages about positions', () => {
  const answering = calls.filter(({ command }) => command.startsWith('curl') && !/\| node|-o /.test(command))

  it('are there for every scheme, with their numbers', () => {
    for (const { type, tensorNames } of positionSchemes.filter(({ tensorNames }) => tensorNames.length > 0)) {
      const own = answering.filter(({ heading }) => heading === `\`${type}\``)
      expect(own.length, type).toBeGreaterThan(0)
      const shown = own.map((call) => call.shown).join('\n')
      expect(tensorNames.filter((name) => shown.includes(name)).length, type).toBeGreaterThan(0)
    }
  })

  it.each(answering)('$heading: answers with the numbers below it: $command', async ({ command, shown }) => {
    const { error, outputs } = JSON.parse(await stdoutOf(command))
    expect(error).toBeUndefined()
    for (const line of shown?.trim().split('\n') ?? []) {
      const [, name = '', numbers = ''] = /^(\w+) +(.*)$/.exec(line) ?? []
      expect(outputs, name).toHaveProperty(name)
      expectShown(name, numbers, outputs[name].data)
    }
  })

  it('show the cat at two positions', async () => {
    const cat = calls.find(({ heading }) => heading === 'The cat moves')!
    expect(await stdoutOf(cat.command)).toBe(cat.shown)
    const rope = cat.command.replace('"outputs"', '"position_embedding": "rope", "outputs"')
    expect(rope).not.toBe(cat.command)
    const equal = cat.shown?.replace('input_embeddings different', 'input_embeddings equal')
    expect(await stdoutOf(rope)).toBe(equal)
  })

  it('save one tensor as a NumPy array', async () => {
    const { command } = calls.find((call) => call.command.includes('-o cos.npy'))!
    await stdoutOf(command)
    const { dtype, shape } = decodeNpy(readFileSync(join(folder, 'cos.npy')))
    expect({ dtype, shape }).toEqual({ dtype: 'float32', shape: [8, 32] })
  })

  it('are all run here', () => {
    const others = calls.filter((call) => !answering.includes(call)).map(({ heading }) => heading)
    expect(others).toEqual(['The cat moves', 'Asking for a scheme'])
  })
})

describe('docs/positions.md', () => {
  it.each(positionSchemes)('says the default of each option ($type)', ({ type, options }) => {
    const section = page.split(/^## /m).find((each) => each.startsWith(`\`${type}\``)) ?? ''
    for (const [name, option] of Object.entries<z.ZodType>(options.shape)) {
      const cell = new RegExp(`^\\| \`${name}\` \\| ([^|]*) \\|`, 'm').exec(section)?.[1]
      expect(cell, name).toBeDefined()
      const fallback = option.safeParse(undefined).data
      if (fallback === undefined) continue
      expect(cell?.replaceAll('`', '').replace('−', '-'), name).toBe(String(fallback))
    }
  })

  it('shows JSON bodies and option objects that parse', () => {
    const objects = [...page.matchAll(/POSITION_EMBEDDING='(\{.*?\})'/g)]
    expect(objects.length).toBeGreaterThan(0)
    for (const [, json = ''] of objects) expect(() => JSON.parse(json)).not.toThrow()
  })
})
