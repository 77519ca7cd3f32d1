import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { inFolder, SAMPLE, start } from '../cli/run-command.js'
import { run } from '../cli/run-here.js'
import { until } from '../until.js'
import { FakeS3, type Fault } from './objects/fake-s3.js'
import { filesIn, runLines } from './run-lines.js'

const sample = readFileSync(SAMPLE)
/** Longer than a piece of an object, and than what one of its parts holds. */
const long = Buffer.from(`${'The quick brown fox jumps over the lazy dog. '.repeat(100)}\n`.repeat(1000))
const PARQUET = readFileSync(new URL('../goldens/parquet/text-gzip.parquet', import.meta.url))
const END = ['--documents', 'lines', '--document-end', 'endoftext']

let bucket: FakeS3

beforeEach(async () => {
  bucket = await FakeS3.start()
})

afterEach(() => bucket.stop())

/** The files that a bucket has below a prefix, as `filesIn` has those of a folder. */
function keysBelow(prefix: string): string[] {
  const keys = [...bucket.objects.keys()].filter((key) => key.startsWith(prefix))
  return keys.map((key) => key.slice(prefix.length)).sort()
}

/** Makes shards of texts in a folder, and stores them in the bucket below `out/`. */
async function storeShards(folder: string, texts: Readonly<Record<string, Buffer>>): Promise<string> {
  const out = join(folder, 'out')
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text)
  await runLines([...Object.keys(texts).map((name) => join(folder, name)), out, ...END])
  for (const name of Object.keys(filesIn(out))) bucket.put(`out/${name}`, readFileSync(join(out, name)))
  return out
}

/** Folders of runs and merges on this machine. */
const stagingFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('inlet-run-'))

const FAULTS: readonly (Fault | undefined)[] = ['500', undefined, 'cut', undefined, undefined, 'reset']
const CHATS = Buffer.from(`${JSON.stringify({ prompt: 'Where is the sea?', completion: ' Below.' })}\n`)
const INPUTS = {
  ...{ 'a.txt': sample, 'b.txt.gz': gzipSync(sample), 'long.txt': long, 'rows.parquet': PARQUET },
  'chats.jsonl': CHATS,
}

test.each([
  ['ids', 'whatever faults there are now and then', INPUTS, '1', FAULTS],
  ['megatron', 'in two threads', { 'a.txt': sample, 'rows.parquet': PARQUET }, '2', [undefined]],
] as const)(
  '--to %s: inputs and outputs of a bucket are those of folders, %s',
  (to, _, inputs, threads, faults) =>
    inFolder(async (folder) => {
      for (const [name, bytes] of Object.entries(inputs)) {
        writeFileSync(join(folder, name), bytes)
        bucket.put(`in/${name}`, bytes)
      }
      const names = Object.keys(inputs)
      const args = [...END, '--to', to]
      const own = await runLines([...names.map((name) => join(folder, name)), join(folder, to), ...args])
      const left = stagingFolders()
      let n = 0
      bucket.fault = () => faults[n++ % faults.length]
      const away = await runLines(
        [
          ...names.map((name) => `s3://bucket/in/${name}`),
          `s3://bucket/${to}/`,
          ...args,
          '--threads',
          threads,
        ],
        bucket.env,
      )
      expect([own.code, away.code, away.stderr]).toEqual([0, 0, away.stderr])
      expect(away.lines.map(({ state }) => state)).not.toContain('failed')
      const files = filesIn(join(folder, to))
      // Keys of shards are of the inputs' paths, which differ.
      const plain = (name: string) => name.replace(/(?<=[-/])[a-z2-7]{26}(?=\/|\.json|$)/, 'KEY')
      const outputs = (text: (name: string) => string, names: readonly string[]) =>
        Object.fromEntries(
          names.map((name) => {
            if (!name.startsWith('shards/')) return [plain(name), text(name)]
            const { key: _, input, output, ...facts } = JSON.parse(text(name))
            return [plain(name), { ...facts, input: basename(input), output: plain(output) }]
          }),
        )
      expect(
        outputs((name) => bucket.objects.get(`${to}/${name}`)!.bytes.toString('latin1'), keysBelow(`${to}/`)),
      ).toEqual(outputs((name) => readFileSync(join(folder, to, name), 'latin1'), Object.keys(files)))
      expect(away.lines.map(({ output }) => plain(`${output}/`))).toEqual(
        own.lines.map(({ output }) => plain(`s3://bucket${output.slice(folder.length)}/`)),
      )
      expect(stagingFolders()).toEqual(left)
    }),
)

test('finished work is not done again; a list may be an object', async () => {
  bucket.put('in/a.txt', sample)
  bucket.put('list.txt', Buffer.from('s3://bucket/in/a.txt\n\n'))
  const run = (list: string) => runLines(['--files-from', list, 's3://bucket/out'], bucket.env)
  const lines = async () => (await run('s3://bucket/list.txt')).lines
  const input = 's3://bucket/in/a.txt'
  expect(await lines()).toMatchObject([{ input, state: 'done' }])
  // The record comes last, a dataset's card before it.
  const puts = bucket.asked.filter(({ method }) => method === 'PUT').map(({ key }) => key.split('/').at(-1))
  const record = expect.stringMatching(/^[a-z2-7]{26}\.json$/)
  expect(puts).toEqual(['documents.bin', 'tokens.bin', 'dataset.json', record])
  expect(await lines()).toMatchObject([{ input, state: 'kept' }])
  expect(bucket.count('PUT')).toBe(puts.length)
  bucket.put('in/a.txt', sample.subarray(1))
  expect(await lines()).toMatchObject([{ input, state: 'done' }])
  const { code, stderr } = await run('s3://bucket/none.txt')
  expect([code, stderr]).toEqual([1, expect.stringContaining('There is no object s3://bucket/none.txt')])
})

test('keys are opaque: empty parts are read, below a prefix too', async () => {
  for (const key of ['p//a.jsonl', '/p//b.jsonl']) bucket.put(key, Buffer.from('{"text":"Hello"}\n'))
  const inputs = ['s3://bucket/p//', 's3://bucket//p//b.jsonl']
  const { code, lines } = await runLines([...inputs, 's3://bucket/out'], bucket.env)
  expect([code, lines.map(({ input, documents }) => [input, documents])]).toEqual([
    0,
    [
      ['s3://bucket//p//b.jsonl', 1],
      ['s3://bucket/p//a.jsonl', 1],
    ],
  ])
  const merged = await run(['merge', 's3://bucket/out'], bucket.env)
  expect(JSON.parse(merged.stdout.toString())).toMatchObject({ documents: 2, shards: 2 })
})

test('an object that changes while it is read, or is not there, fails alone', async () => {
  bucket.put('in/a.txt', sample)
  bucket.put('in/changing.txt', long)
  bucket.fault = ({ key, headers }) => {
    if (key === 'in/changing.txt' && headers.range?.startsWith('bytes=4194304-'))
      bucket.put('in/changing.txt', Buffer.from(long).fill('y', 0, 1))
    return undefined
  }
  const names = ['a', 'changing', 'missing'].map((name) => `s3://bucket/in/${name}.txt`)
  const { code, lines } = await runLines([...names, 's3://bucket/out'], bucket.env)
  expect(code).toBe(3)
  expect(lines).toMatchObject([
    { state: 'done' },
    { state: 'failed', error: 'The file has changed while it was read.' },
    { state: 'failed', error: 'There is no object s3://bucket/in/missing.txt.' },
  ])
  expect(keysBelow('out/shards/')).toHaveLength(1)
})

test('a bucket that refuses is said, without keys', async () => {
  bucket.put('in/a.txt', sample)
  bucket.fault = ({ method }) => (method === 'PUT' ? 'AccessDenied' : undefined)
  const ended = await runLines(['s3://bucket/in/a.txt', 's3://bucket/out'], bucket.env)
  expect(ended.lines).toMatchObject([{ state: 'failed', error: expect.stringContaining('403 AccessDenied') }])
  expect(ended.stderr + ended.stdout).not.toMatch(/a-secret|a-key-id/)
  expect(keysBelow('out/')).toEqual([])
})

test('a run that is interrupted leaves nothing, here or there', async () => {
  bucket.put('in/long.txt', long)
  const left = stagingFolders()
  bucket.fault = ({ method }) => (method === 'PUT' || method === 'POST' ? 'silent' : undefined)
  const { child, ended } = start(['run', 's3://bucket/in/long.txt', 's3://bucket/out'], bucket.env)
  await until(() => bucket.count('PUT') + bucket.count('POST') > 0)
  child.kill('SIGINT')
  expect((await ended).code).toBe(130)
  expect(keysBelow('out/')).toEqual([])
  expect(stagingFolders()).toEqual(left)
})

test('names against the rule are wrong usage', async () => {
  const wrong = await run(['run', 's3://bucket/in/a.txt', 's3://b'], bucket.env)
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('OUT must be a folder, or s3://')])
  const merged = await run(['merge', 's3://BUCKET/../out'], bucket.env)
  expect([merged.code, merged.stderr]).toEqual([2, expect.stringContaining('OUT must be a folder')])
})

test('a prefix is every object below it, by name, as a folder is every file below it', () =>
  inFolder(async (folder) => {
    const files = [
      'b.txt',
      'a/c.txt.gz',
      'a/d.jsonl',
      'a/notes.md',
      '_SUCCESS',
      '.hidden.txt',
      '_temporary/e.txt',
    ]
    const bytes = { 'a/c.txt.gz': gzipSync(sample), 'a/d.jsonl': Buffer.from('{"text":"one"}\n') } as Record<
      string,
      Buffer
    >
    mkdirSync(join(folder, 'in/a'), { recursive: true })
    mkdirSync(join(folder, 'in/_temporary'))
    bucket.put('in/a/', Buffer.alloc(0)) // as some programs mark folders
    bucket.put('inner.txt', sample)
    for (const name of files) {
      writeFileSync(join(folder, 'in', name), bytes[name] ?? sample)
      bucket.put(`in/${name}`, bytes[name] ?? sample)
    }
    const own = await runLines([`${folder}/in/`, join(folder, 'out'), ...END])
    const away = await runLines(['s3://bucket/in/', 's3://bucket/out', ...END, '--shard', '0/2'], bucket.env)
    const named = (lines: readonly { readonly input: string }[]) => lines.map(({ input }) => input).sort()
    const names = ['a/c.txt.gz', 'a/d.jsonl', 'b.txt']
    expect([own.code, named(own.lines)]).toEqual([0, names.map((name) => `${folder}/in/${name}`)])
    const share = [names[0], names[2]] // each second one
    expect([away.code, named(away.lines)]).toEqual([0, share.map((name) => `s3://bucket/in/${name}`)])
    const [c, , b] = own.lines.map(({ sha256 }) => sha256)
    expect(away.lines.map(({ sha256 }) => sha256)).toEqual([c, b])
  }))

test.each([
  [
    's3://bucket/none/',
    's3://bucket/out',
    /s3:\/\/bucket\/none\/ must have a file that ends with .*Given: none/,
  ],
  ['s3://bucket/in/', 's3://bucket/out', /with other endings, as s3:\/\/bucket\/in\/a\.md/],
  [
    's3://bucket/in/',
    's3://bucket/in/out',
    /OUT must not lie below a folder of inputs, s3:\/\/bucket\/in\/\. Given/,
  ],
  ['/no/such/', 'out', /\/no\/such\/ cannot be read/],
])('%s to %s is refused', async (input, out, message) => {
  bucket.put('in/a.md', sample)
  const { code, stderr } = await runLines([input, out], bucket.env)
  expect(code).toBeGreaterThan(0)
  expect(stderr).toMatch(message)
})

test('shards in a bucket are merged, there or here, to the dataset that a folder has', () =>
  inFolder(async (folder) => {
    const [a, c] = [sample.subarray(0, 5000), sample.subarray(0, 5002)]
    const out = await storeShards(folder, { 'a.txt': a, 'b.txt': long, 'c.txt': c, 'd.jsonl': CHATS })
    const here = JSON.parse((await run(['merge', out])).stdout.toString())
    const files = filesIn(here.output)
    expect(Object.keys(files)).toContain('mask.bin')
    const down = await run(['merge', 's3://bucket/out/', '--into', join(folder, 'down')], bucket.env)
    expect(JSON.parse(down.stdout.toString())).toMatchObject({
      id: here.id,
      sha256: here.sha256,
      state: 'done',
    })
    expect(filesIn(join(folder, 'down/datasets', here.id))).toEqual(files)

    const left = stagingFolders()
    const merge = () => run(['merge', 's3://bucket/out'], bucket.env)
    const made = JSON.parse((await merge()).stdout.toString())
    expect(made).toMatchObject({ id: here.id, state: 'done', output: `s3://bucket/out/datasets/${here.id}` })
    expect(keysBelow(`out/datasets/${here.id}/`)).toEqual(Object.keys(files))
    for (const name of Object.keys(files))
      expect(
        bucket.objects
          .get(`out/datasets/${here.id}/${name}`)!
          .bytes.equals(readFileSync(join(here.output, name))),
      ).toBe(true)
    const stored = bucket.asked.filter(({ method, key }) => method !== 'GET' && key.includes(here.id))
    expect(stored.at(-1)!.key).toBe(`out/datasets/${here.id}/dataset.json`)
    expect(JSON.parse((await merge()).stdout.toString())).toMatchObject({ id: here.id, state: 'kept' })
    expect(stagingFolders()).toEqual(left)
  }))

test('a merge of a bucket is refused where shards are missing, cut or not to be had', async () => {
  const merge = async (...args: string[]) => {
    const { code, stderr } = await run(['merge', ...args], bucket.env)
    return [code, stderr]
  }
  expect(await merge('s3://bucket/out')).toEqual([1, expect.stringMatching(/finished shards. Given: none/)])
  expect(await merge('s3://b//out')).toEqual([2, expect.stringMatching(/OUT must be a folder, or s3:/)])
  await inFolder((folder) => storeShards(folder, { 'a.txt': sample }))
  expect(await merge('s3://bucket/out', '--into', 's3://b')).toEqual([
    2,
    expect.stringMatching(/--into must be/),
  ])
  const [tokens] = keysBelow('out/').filter((key) => key.endsWith('tokens.bin'))
  const whole = bucket.objects.get(`out/${tokens}`)!.bytes
  bucket.put(`out/${tokens}`, whole.subarray(2))
  expect(await merge('s3://bucket/out')).toEqual([
    1,
    expect.stringMatching(/must have \d+ bytes, as its card says/),
  ])
  bucket.put(`out/${tokens}`, whole)
  bucket.fault = ({ method }) => (method === 'GET' ? 'AccessDenied' : undefined)
  expect(await merge('s3://bucket/out')).toEqual([1, expect.stringMatching(/AccessDenied|access/i)])
})

test('a merge that is interrupted leaves nothing, here or there', async () => {
  await inFolder((folder) => storeShards(folder, { 'a.txt': sample }))
  const left = stagingFolders()
  bucket.fault = ({ method }) => {
    if (method === 'PUT' && bucket.count('PUT') === 1) child.kill('SIGINT')
    return undefined
  }
  const { child, ended } = start(['merge', 's3://bucket/out', '--into', 's3://bucket/merged'], bucket.env)
  expect((await ended).code).toBe(130)
  expect(keysBelow('merged/').filter((key) => key.endsWith('dataset.json'))).toEqual([])
  expect(stagingFolders()).toEqual(left)
})
