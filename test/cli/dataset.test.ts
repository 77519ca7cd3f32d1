import { writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { dataset } from '../../src/cli/dataset.js'
import { datasetUpload } from '../../src/corpus/upload-options.js'
import { listen, type TestService, testService } from '../helper.js'
import { inFolder, runBuilt, SAMPLE } from './run-command.js'
import { run } from './run-here.js'

const ADMIN_KEY = 'an-admin-key-of-32-characters-00'

let service: TestService
let INLET_URL: string
beforeAll(async () => {
  service = await testService({}, { hasDatasets: true })
  INLET_URL = `http://127.0.0.1:${await listen(service)}`
})
afterAll(() => service.close())

const inlet = (args: readonly string[], stdin: string | Uint8Array = '') =>
  run(['dataset', ...args], { INLET_URL }, stdin)

/** The output of `--json`. */
async function json(args: readonly string[], stdin: string | Uint8Array = '') {
  const { code, stdout, stderr } = await inlet([...args, '--json'], stdin)
  expect([code, args[0] === 'push' ? '' : stderr]).toEqual([0, ''])
  return JSON.parse(stdout.toString())
}

const LINES = [{ text: 'one two' }, { text: 'three' }]
const NDJSON = LINES.map((line) => `${JSON.stringify(line)}\n`).join('')
const IDS = Buffer.from(Uint16Array.of(7, 8, 50256, 9, 50256).buffer)

describe('inlet dataset push', () => {
  it.each([
    ['corpus.txt', 'a\n\nb\n', ['--encoding', 'gpt2', '--documents', 'lines'], { num_documents: 2 }],
    ['corpus.jsonl', NDJSON, ['--encoding', 'gpt2'], { num_documents: 2, num_tokens: 3, encoding: 'gpt2' }],
    ['corpus.NDJSON', NDJSON, ['--model', 'default'], { num_documents: 2, num_tokens: 3 }],
    ['corpus.ndjson.gz', gzipSync(NDJSON), ['--encoding', 'gpt2'], { num_documents: 2, num_tokens: 3 }],
    ['corpus.txt.br', brotliCompressSync('one two'), ['--encoding', 'gpt2'], { num_tokens: 2 }],
    [
      'train.bin',
      IDS,
      ['--dtype', 'uint16', '--separator-id', '50256'],
      { num_documents: 2, num_tokens: 5, encoding: null },
    ],
    ['corpus.data', NDJSON, ['--encoding', 'gpt2', '--type', 'ndjson'], { num_documents: 2 }],
    ['corpus.txt', NDJSON, ['--encoding', 'gpt2', '--type', 'application/x-ndjson'], { num_documents: 2 }],
  ])('sends %s as what its ending or --type says', async (name, content, flags, expected) => {
    await inFolder(async (folder) => {
      await writeFile(join(folder, name), content)
      expect(await json(['push', join(folder, name), ...flags])).toMatchObject(expected)
    })
  })

  it('prints ids on stdout, and what they are on stderr; a second push is no second copy', async () => {
    const args = ['push', SAMPLE, '--encoding', 'cl100k_base', '--document-end', 'endoftext']
    const first = await runBuilt(['dataset', ...args], { INLET_URL })
    const id = first.stdout.toString().trimEnd()
    expect([first.code, id]).toEqual([0, expect.stringMatching(/^ds_[a-z2-7]{26}$/)])
    const [line] = first.stderr.split('\n')
    expect(line).toMatch(
      /sample\.txt: 1 document, \d+ tokens \(cl100k_base\), \d\.\d kB in a temporary folder; each document ends with 100257 <\|endoftext\|>; uploaded in /,
    )
    const second = await inlet(args)
    expect(second.stdout.toString()).toBe(`${id}\n`)
    expect(second.stderr).toMatch(/; was there already\n/)
    expect((await json([...args, '--quiet'])).is_new).toBe(false)
  })

  it('makes a dataset of each of several files, and one of stdin', async () => {
    await inFolder(async (folder) => {
      const files = ['a.txt', 'b.txt'].map((name) => join(folder, name))
      for (const file of files) await writeFile(file, file)
      const flags = ['--encoding', 'gpt2', '--quiet']
      const { stdout, stderr } = await inlet(['push', ...files, ...flags])
      const ids = stdout.toString().trimEnd().split('\n')
      expect([new Set(ids).size, stderr]).toEqual([2, ''])
      const piped = await inlet(['push', '-', '--type', 'txt', ...flags], files[1])
      expect(piped.stdout.toString()).toBe(`${ids[1]}\n`)
      const all: { id: string }[] = await json(['ls'])
      expect(all.find(({ id }) => id === ids[1])).toMatchObject({ name: 'b.txt', num_documents: 1 })
    })
  })

  it.each([
    ['no file', ['push'], 2, /Missing required argument 'FILE'/],
    ['an ending that it does not know', ['push', 'x.csv'], 2, /--type is needed: x\.csv .*\.ndjson/],
    ['a type that it does not know', ['push', '-', '--type', 'csv'], 2, /--type must be .* Given: csv/],
    ['one name of two files', ['push', 'a.txt', 'b.txt', '--name', 'c'], 2, /--name .* 2 files/],
    [
      'a flag of another type',
      ['push', SAMPLE, '--encoding', 'gpt2', '--dtype', 'uint16'],
      2,
      /--dtype must not/,
    ],
    ['a file that is not there', ['push', 'none.txt', '--encoding', 'gpt2'], 1, /none\.txt cannot be read/],
    [
      'a header of llm.c',
      ['push', '-', '--type', 'bin', '--dtype', 'uint16'],
      1,
      /-: The body must be ids alone.*`tail -c \+1025 FILE`/,
      Buffer.from(Int32Array.of(20240520, 1, 0, 0).buffer),
    ],
    [
      'what the service refuses',
      ['push', SAMPLE, '--encoding', 'gpt9'],
      1,
      /sample\.txt: `encoding` must be one of/,
    ],
  ])('refuses %s', async (_, args, code, message, stdin = Buffer.alloc(0)) => {
    const ended = await inlet(args, stdin)
    expect([ended.code, ended.stderr, ended.stdout.length]).toEqual([code, expect.stringMatching(message), 0])
  })
})

it('encodes texts by gpt2 where no flag says another, and tells of documents without an end', async () => {
  const { stdout, stderr } = await inlet(['push', '-', '--type', 'txt'], 'by default')
  const all: { id: string }[] = await json(['ls'])
  expect(all.find(({ id }) => id === stdout.toString().trim())).toMatchObject({ encoding: 'gpt2' })
  expect(stderr).toMatch(/^Documents get no end token: --document-end endoftext/)
  expect((await inlet(['push', SAMPLE, '--document-end', 'endoftext'])).stderr).not.toMatch(/no end token/)
})

describe('a dataset that is there', () => {
  let id: string
  beforeAll(async () => {
    id = (await json(['push', SAMPLE, '--encoding', 'gpt2', '--name', 'a\u001b[2Jsample'])).id
  })

  it('is a row of ls, whose numbers stand at the right', async () => {
    const { stdout, stderr } = await inlet(['ls'])
    const [head, ...rows] = stdout.toString().split('\n')
    expect(head).toMatch(/^id +name +encoding +documents +tokens +size +uploaded$/)
    expect(rows.find((row) => row.startsWith(id))).toMatch(
      /^ds_\w+ {2}a\\x1b\[2Jsample +gpt2 +1 +964 +1\.9 kB {2}\d{4}-\d\d-\d\d \d\d:\d\d$/,
    )
    expect(stderr).toBe('')
    expect((await json(['ls'])).map((each: { id: string }) => each.id)).toContain(id)
  })

  it('is refused to a command that there is not', async () => {
    const { code, stderr } = await inlet(['push!'])
    expect([code, stderr]).toEqual([2, expect.stringMatching(/push!.*Did you mean push\?/)])
  })

  it('is deleted once, and refused after that', async () => {
    const other = (await json(['push', '-', '--type', 'txt', '--encoding', 'gpt2'], 'to be deleted')).id
    const first = await inlet(['rm', other])
    expect([first.code, first.stderr]).toEqual([0, `${other} is deleted.\n`])
    const second = await inlet(['rm', other])
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('must be the id of a dataset')])
  })
})

it('sends the key, and says why a caller may not delete what another has uploaded', async () => {
  const keyed = await testService(
    { API_KEYS: 'ada:a-key-of-sixteen-or-more', ADMIN_KEY },
    { hasDatasets: true },
  )
  const url = `http://127.0.0.1:${await listen(keyed)}`
  const as = (key: string, ...args: string[]) =>
    run(['dataset', ...args], { INLET_URL: url, INLET_API_KEY: key })
  try {
    const pushed = await as(ADMIN_KEY, 'push', SAMPLE, '--encoding', 'gpt2', '-q')
    const id = pushed.stdout.toString().trim()
    const refused = await as('a-key-of-sixteen-or-more', 'rm', id)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/must bring an admin key/)])
    expect((await as(ADMIN_KEY, 'rm', id)).code).toBe(0)
  } finally {
    await keyed.close()
  }
})

async function whileAnswering<T>(listener: RequestListener, use: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.close()
  }
}

it('lists all pages', async () => {
  const listener: RequestListener = ({ url = '' }, response) => {
    const after = new URL(url, 'http://x').searchParams.get('after')
    const page = { ds_1: 'ds_2', ds_2: 'ds_3' }[after ?? ''] ?? 'ds_1'
    const entry = { id: page, name: null, encoding: null, num_documents: 1, num_tokens: 1, size_bytes: 1 }
    response.writeHead(200, { 'content-type': 'application/json', connection: 'close' })
    response.end(
      JSON.stringify({ data: [{ ...entry, created: 0, stored: 'disk' }], has_more: page !== 'ds_3' }),
    )
  }
  await whileAnswering(listener, async (url) => {
    const { stdout } = await run(['dataset', 'ls', '--url', url])
    expect(Array.from(stdout.toString().matchAll(/^ds_\d/gm), ([id]) => id)).toEqual(['ds_1', 'ds_2', 'ds_3'])
  })
})

test('every field of an upload is a flag of push', () => {
  const [push] = dataset.commands
  const flags = Object.values(push!.flags).flatMap((group) =>
    group.map(({ notation }) => notation.split(' ')[0]),
  )
  expect(flags).toEqual(
    expect.arrayContaining(Object.keys(datasetUpload.shape).map((name) => `--${name.replaceAll('_', '-')}`)),
  )
})

describe('inlet dataset show', () => {
  const TEXTS = ['', 'one two three', 'four', '', 'five six seven eight'].join('\n')
  const push = async (lines: string) => {
    const { stdout } = await inlet(['push', '-', '--type', 'txt', '--documents', 'lines', '-q'], lines)
    return stdout.toString().trim()
  }
  const shown = async (args: readonly string[], env = {}) => {
    const { code, stdout, stderr } = await run(['dataset', 'show', ...args], { INLET_URL, ...env })
    expect([code, stderr.replace(/^Epoch.*\n/, '')]).toEqual([0, ''])
    return { lines: stdout.toString().trimEnd().split('\n'), stderr }
  }

  it('prints the object, a member a line', async () => {
    const id = await push(TEXTS)
    const { lines } = await shown([id])
    expect(lines).toContain(`id                      ${id}`)
    expect(lines.join('\n')).toMatch(/\nnum_documents +3\n/)
  })

  const RECIPE = ['--context-length', '4', '--batch-size', '2', '--packing', 'best_fit']

  it('prints which documents stand in the batch of a step, with their lines, and their texts', async () => {
    const id = await push(TEXTS)
    const { lines, stderr } = await shown([id, '--step', '0', ...RECIPE, '--text'])
    expect(stderr).toBe('Epoch 0, batch 0:\n')
    expect(lines).toEqual([
      'row  document  line  start  end  first_token  num_tokens  num_target_tokens',
      '  0         0     2      0    3            0           3                  2',
      'one two three',
      '',
      '  0         1     3      3    4            0           1                  0',
      'four',
      '',
      '  1         2     5      0    4            0           4                  3',
      'five six seven eight',
    ])
  })

  it('counts steps over epochs, from the one of --epoch on; a mixture has one epoch', async () => {
    const id = await push(TEXTS)
    const recipe = [
      ...RECIPE.slice(0, 2),
      '--batch-size',
      '1',
      ...RECIPE.slice(4),
      '--shuffle',
      'true',
      '--seed',
      '1',
    ]
    const whole = async (args: readonly string[]) => shown([id, ...recipe, ...args])
    const fifth = await whole(['--step', '5'])
    expect(fifth.stderr).toBe('Epoch 2, batch 1:\n')
    expect((await whole(['--step', '1', '--epoch', '2'])).lines).toEqual(fifth.lines)
    expect((await whole(['--step', '0', '--epoch', '2'])).lines).not.toEqual(fifth.lines)
    const made = await fetch(`${INLET_URL}/v1/datasets`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ mixture: [{ dataset: id, weight: 1 }] }),
    })
    const { id: mixture } = (await made.json()) as { id: string }
    const { lines, stderr } = await shown([mixture, '--step', '7', ...RECIPE])
    expect(stderr).toBe('Epoch 0, batch 7:\n')
    expect(lines[1]).toContain(id)
  })

  it('prints what is trained of the texts in green', async () => {
    const id = await push(TEXTS)
    const { lines } = await shown([id, '--step', '0', ...RECIPE, '--text'], { FORCE_COLOR: '1' })
    expect(lines).toContain('\u001b[32mone two three\u001b[39m')
  })

  it('refuses a step that is no integer, and tells what the service refuses', async () => {
    const wrong = await inlet(['show', 'ds_x', '--step', 'two'])
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('--step must be an integer, 0 or more. Given: two'),
    ])
    const none = await inlet(['show', 'ds_none', '--step', '1', ...RECIPE])
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('must be the id of a dataset')])
  })
})
