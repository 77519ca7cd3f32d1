import { readdirSync, readlinkSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { embedFlags } from '../../src/cli/embed.js'
import { listen, type TestService, testService } from '../helper.js'
import { until } from '../until.js'
import { inFolder, runBuilt, SAMPLE, start } from './run-command.js'
import { run } from './run-here.js'

const WINDOWS = ['--context-length', '8', '--stride', '8']
const QUERY = 'context_length=8&stride=8'
const FORMATS = [
  ['npy', 'application/x-npy'],
  ['pt', 'application/x-pytorch'],
  ['safetensors', 'application/vnd.safetensors'],
  ['json', 'application/json'],
  ['bin', 'application/octet-stream'],
] as const

let open: TestService
let url: string
let sample: Buffer

beforeAll(async () => {
  open = await testService()
  url = `http://127.0.0.1:${await listen(open)}`
  sample = await readFile(SAMPLE)
})
afterAll(() => open.close())

/** What a descriptor is of; none where it has been closed since it was listed. */
function targetOf(descriptor: string): string | undefined {
  try {
    return readlinkSync(descriptor)
  } catch {
    return undefined
  }
}

async function answer(accept: string, text: Uint8Array<ArrayBufferLike> = sample): Promise<Buffer> {
  const response = await fetch(`${url}/v1/input-embeddings?${QUERY}`, {
    method: 'POST',
    headers: { accept, 'content-type': 'text/plain; charset=utf-8' },
    body: new Uint8Array(text),
  })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toContain(accept)
  return Buffer.from(await response.arrayBuffer())
}

describe('a text to a file', () => {
  it.each(FORMATS)('is, as .%s, byte for byte what the service answers', async (ending, accept) => {
    await inFolder(async (folder) => {
      const file = join(folder, `own.${ending}`)
      const { code, stderr } = await run(['embed', SAMPLE, ...WINDOWS, '-o', file])
      expect([code, stderr]).toEqual([0, expect.stringContaining(file)])
      expect((await answer(accept)).equals(await readFile(file))).toBe(true)
      expect(await readdir(folder)).toEqual([`own.${ending}`])
    })
  })

  it('takes the place of the file that was there; --quiet says nothing', async () => {
    await inFolder(async (folder) => {
      const file = join(folder, 'there.npy')
      await writeFile(file, 'something longer ago')
      expect((await run(['embed', SAMPLE, ...WINDOWS, '-qo', file])).stderr).toBe('')
      expect((await answer('application/x-npy')).equals(await readFile(file))).toBe(true)
    })
  })
})

describe('stdin and stdout', () => {
  it('carry the text in and the tensors out', async () => {
    const { code, stdout, stderr } = await runBuilt(['embed', '-', ...WINDOWS, '-f', 'npy', '-q'], {}, sample)
    expect([code, stderr]).toEqual([0, ''])
    expect((await answer('application/x-npy')).equals(stdout)).toBe(true)
  })

  it('are the default, and the default format is JSON', async () => {
    const text = Buffer.from('Every effort moves you towards the next word.')
    const { code, stdout } = await run(['embed', ...WINDOWS], {}, text)
    expect(code).toBe(0)
    expect(stdout.toString()).toBe((await answer('application/json', text)).toString())
  })
})

test('a text too short for a window: the way out, in flags', async () => {
  const { code, stderr } = await run(['embed', '--context-length', '4'], {}, 'Hello, world!')
  expect([code, stderr]).toEqual([
    1,
    'inlet: --context-length 4 needs 5 tokens for a window and its target: --tail "pad" makes one of fewer, and without --context-length a document is one. Given: 4 tokens\n',
  ])
})

describe('embed refuses', () => {
  it.each([
    ['a window longer than the table', ['--context-length', '1025'], 'context_length=1025'],
    ['more windows than there are', ['--context-length', '1000'], 'context_length=1000'],
  ])('%s: the service’s message, 1, and nothing left behind', async (_, flags, query) => {
    const response = await fetch(`${url}/v1/input-embeddings?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: new Uint8Array(sample),
    })
    const { error } = (await response.json()) as { error: { message: string } }
    await inFolder(async (folder) => {
      const { code, stderr } = await run(['embed', SAMPLE, ...flags, '-o', join(folder, 'refused.npy')])
      expect([code, stderr]).toEqual([1, `inlet: ${embedFlags.named(error.message)}\n`])
      expect(await readdir(folder)).toEqual([])
    })
  })

  it.each([
    ['a window of no tokens', ['--context-length', '0'], '--context-length must be at least 1. Given: 0'],
    ['shuffling without a seed', ['--shuffle'], '--seed is needed where --shuffle is true'],
    [
      'a length without truncation',
      ['--max-length', '4'],
      '--max-length must not be given without --truncation',
    ],
    ['an unknown flag', ['--context-lenght', '8'], '--context-lenght'],
    ['a flag without its value', ['--context-length'], '--context-length'],
    ['a format that is none', ['--format', 'pickle'], '--format'],
    ['an output that names no format', ['-o', 'tensors.onnx'], '--format'],
    ['the address of a service', ['--url', 'http://localhost:8000'], '--url'],
    ['a second file', ['another.txt'], 'another.txt'],
    [
      'a value of another type',
      ['--context-length', 'four'],
      '--context-length must be an integer. Given: "four"',
    ],
  ])('%s: 2, named, before the text is read', async (_, flags, named) => {
    const { code, stdout, stderr } = await run(['embed', 'not-there.txt', ...flags])
    expect([code, stdout.length]).toEqual([2, 0])
    expect(stderr).toContain(named)
  })

  it('a text that is not there: 1, named', async () => {
    const { code, stderr } = await run(['embed', 'not-there.txt'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('not-there.txt')])
  })

  it('a folder that is not there for an answer that fills the socket: 1, named, and an end', async () => {
    await inFolder(async (folder) => {
      const file = join(folder, 'not-there', 'x.npy')
      const text = Buffer.alloc(1 << 18, sample)
      const { code, stderr } = await runBuilt(
        ['embed', '--context-length', '8', '--stride', '1', '-o', file],
        {},
        text,
      )
      expect([code, stderr]).toEqual([1, expect.stringContaining(`${file} cannot be written`)])
    })
  })

  it.skipIf(process.platform !== 'linux')('a model that is not there, and keeps no text open', async () => {
    await inFolder(async (folder) => {
      const text = join(folder, 'text.txt')
      await writeFile(text, 'Hello')
      expect((await run(['embed', text, '--model', 'nobody'])).code).toBe(1)
      const held = () => readdirSync('/proc/self/fd').map((fd) => targetOf(`/proc/self/fd/${fd}`))
      await until(() => !held().includes(text))
    })
  })

  it.skipIf(process.platform !== 'linux')('a disk that is full: 1', async () => {
    const { code, stderr } = await run(['embed', SAMPLE, ...WINDOWS, '-f', 'npy', '-o', '/dev/full'])
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^inlet: \/dev\/full cannot be written: ENOSPC/),
    ])
  })
})

describe('an interrupt', () => {
  it('SIGTERM while the text is still coming: 143, no file', async () => {
    await inFolder(async (folder) => {
      const { child, ended } = start(['embed', '-', ...WINDOWS, '-o', join(folder, 'x.npy')])
      const moreThanAPipeHolds = Buffer.alloc(1 << 20, sample)
      await new Promise((resolve) => child.stdin.write(moreThanAPipeHolds, resolve)) // and not ended
      child.kill('SIGTERM')
      expect((await ended).code).toBe(143)
      expect(await readdir(folder)).toEqual([])
    })
  })

  it('SIGHUP while the answer is written: 129, and the file begun is taken away', async () => {
    await inFolder(async (folder) => {
      const windows = ['--context-length', '1024', '--stride', '1'] // of gigabytes: none has been written to its end
      const { child, ended } = start(['embed', '-', ...windows, '-o', join(folder, 'x.npy')])
      child.stdin.end(Buffer.alloc(1 << 20, sample))
      await until(() => readdirSync(folder).length > 0 || child.exitCode !== null)
      expect(readdirSync(folder)).toEqual([expect.stringMatching(/^\.x\.npy\.[\da-f]{6}\.part$/)])
      child.kill('SIGHUP')
      expect((await ended).code).toBe(129)
      expect(await readdir(folder)).toEqual([])
    })
  })
})
