import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

test('inputs and outputs of a bucket are those of folders, byte for byte', () =>
  inFolder(async (folder) => {
    const inputs = {
      'a.txt': sample,
      'b.txt.gz': gzipSync(sample),
      'long.txt': long,
      'rows.parquet': PARQUET,
    }
    for (const [name, bytes] of Object.entries(inputs)) {
      writeFileSync(join(folder, name), bytes)
      bucket.put(`in/${name}`, bytes)
    }
    const names = Object.keys(inputs)
    for (const to of ['ids', 'megatron']) {
      const args = [...END, '--to', to, '--threads', '2']
      const own = await runLines([...names.map((name) => join(folder, name)), join(folder, to), ...args])
      const left = readdirSync(tmpdir()).filter((name) => name.startsWith('inlet-run-'))
      const away = await runLines(
        [...names.map((name) => `s3://bucket/in/${name}`), `s3://bucket/${to}/`, ...args],
        bucket.env,
      )
      expect([own.code, away.code, away.stderr]).toEqual([0, 0, away.stderr])
      expect(away.lines.map(({ state }) => state)).not.toContain('failed')
      const files = filesIn(join(folder, to))
      expect(keysBelow(`${to}/`)).toEqual(Object.keys(files))
      for (const name of Object.keys(files))
        expect(bucket.objects.get(`${to}/${name}`)!.bytes.equals(readFileSync(join(folder, to, name)))).toBe(
          true,
        )
      expect(away.lines.map(({ output }) => output)).toEqual(
        own.lines.map(({ output }) => `s3://bucket${output.slice(folder.length)}`),
      )
      expect(readdirSync(tmpdir()).filter((name) => name.startsWith('inlet-run-'))).toEqual(left)
    }
  }))

test('finished work is not done again', async () => {
  bucket.put('in/a.txt', sample)
  const args = ['s3://bucket/in/a.txt', 's3://bucket/out']
  expect((await runLines(args, bucket.env)).lines).toMatchObject([{ state: 'done' }])
  const puts = bucket.count('PUT')
  expect((await runLines(args, bucket.env)).lines).toMatchObject([{ state: 'kept' }])
  expect(bucket.count('PUT')).toBe(puts)
  bucket.put('in/a.txt', sample.subarray(1))
  expect((await runLines(args, bucket.env)).lines).toMatchObject([{ state: 'done' }])
})

test('the record comes last, a dataset’s card before it', async () => {
  bucket.put('in/a.txt', sample)
  await runLines(['s3://bucket/in/a.txt', 's3://bucket/out'], bucket.env)
  const puts = bucket.asked.filter(({ method }) => method === 'PUT').map(({ key }) => key.split('/').at(-1))
  expect(puts.slice(0, -1)).toEqual(['documents.bin', 'tokens.bin', 'dataset.json'])
  expect(puts.at(-1)).toMatch(/^[a-z2-7]{26}\.json$/)
})

test('faults now and then change nothing', async () => {
  bucket.put('in/long.txt', long)
  await runLines(['s3://bucket/in/long.txt', 's3://bucket/whole'], bucket.env)
  let n = 0
  const faults: readonly (Fault | undefined)[] = ['500', undefined, 'cut', 'SlowDown', undefined, 'reset']
  bucket.fault = () => faults[n++ % faults.length]
  expect((await runLines(['s3://bucket/in/long.txt', 's3://bucket/broken'], bucket.env)).code).toBe(0)
  for (const key of keysBelow('whole/'))
    expect(bucket.objects.get(`broken/${key}`)!.bytes.equals(bucket.objects.get(`whole/${key}`)!.bytes)).toBe(
      true,
    )
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
  const left = readdirSync(tmpdir()).filter((name) => name.startsWith('inlet-run-'))
  bucket.fault = ({ method }) => (method === 'PUT' || method === 'POST' ? 'silent' : undefined)
  const { child, ended } = start(['run', 's3://bucket/in/long.txt', 's3://bucket/out'], bucket.env)
  await until(() => bucket.count('PUT') + bucket.count('POST') > 0)
  child.kill('SIGINT')
  expect((await ended).code).toBe(130)
  expect(keysBelow('out/')).toEqual([])
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith('inlet-run-'))).toEqual(left)
})

test('names against the rule are wrong usage', async () => {
  const wrong = await run(['run', 's3://bucket/in/a.txt', 's3://b'], bucket.env)
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('OUT must be a folder, or s3://')])
  const merged = await run(['merge', 's3://BUCKET//out'], bucket.env)
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
    const own = await runLines([`${folder}/in/`, join(folder, 'out'), ...END, '--threads', '1'])
    const away = await runLines(['s3://bucket/in/', 's3://bucket/out', ...END, '--threads', '1'], bucket.env)
    const named = (lines: readonly { readonly input: string }[]) => lines.map(({ input }) => input).sort()
    const names = ['a/c.txt.gz', 'a/d.jsonl', 'b.txt']
    expect([own.code, named(own.lines)]).toEqual([0, names.map((name) => `${folder}/in/${name}`)])
    expect([away.code, named(away.lines)]).toEqual([0, names.map((name) => `s3://bucket/in/${name}`)])
    expect(away.lines.map(({ sha256 }) => sha256).sort()).toEqual(
      own.lines.map(({ sha256 }) => sha256).sort(),
    )
    const share = await runLines(['s3://bucket/in/', 's3://bucket/out', ...END, '--shard', '1/3'], bucket.env)
    expect(named(share.lines)).toEqual(['s3://bucket/in/a/d.jsonl'])
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

test('a list may be an object', async () => {
  bucket.put('in/a.txt', sample)
  bucket.put('list.txt', Buffer.from('s3://bucket/in/a.txt\n\n'))
  const args = ['--files-from', 's3://bucket/list.txt', 's3://bucket/out']
  expect((await runLines(args, bucket.env)).lines).toMatchObject([
    { input: 's3://bucket/in/a.txt', state: 'done' },
  ])
  const { code, stderr } = await runLines(
    ['--files-from', 's3://bucket/none.txt', 's3://bucket/out'],
    bucket.env,
  )
  expect([code, stderr]).toEqual([1, expect.stringContaining('There is no object s3://bucket/none.txt')])
})

test('shards in a bucket are merged, there or here, to the dataset that a folder has', () =>
  inFolder(async (folder) => {
    const names = ['a.txt', 'b.txt', 'c.txt']
    for (const [i, name] of names.entries()) {
      const part = i === 1 ? long : sample.subarray(0, 5000 + i)
      writeFileSync(join(folder, name), part)
      bucket.put(`in/${name}`, part)
    }
    await runLines([...names.map((name) => join(folder, name)), join(folder, 'out'), ...END])
    await runLines(['s3://bucket/in/', 's3://bucket/out', ...END], bucket.env)
    const here = JSON.parse((await run(['merge', join(folder, 'out')])).stdout.toString())
    const files = filesIn(here.output)
    const down = await run(['merge', 's3://bucket/out/', '--into', join(folder, 'down')], bucket.env)
    expect(JSON.parse(down.stdout.toString())).toMatchObject({
      id: here.id,
      sha256: here.sha256,
      state: 'done',
    })
    expect(filesIn(join(folder, 'down/datasets', here.id))).toEqual(files)

    const left = readdirSync(tmpdir()).filter((name) => name.startsWith('inlet-run-'))
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
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('inlet-run-'))).toEqual(left)
  }))

test('a merge of a bucket is refused where shards are missing, cut or not to be had', async () => {
  const merge = async (...args: string[]) => {
    const { code, stderr } = await run(['merge', ...args], bucket.env)
    return [code, stderr]
  }
  expect(await merge('s3://bucket/out')).toEqual([1, expect.stringMatching(/finished shards. Given: none/)])
  expect(await merge('s3://b//out')).toEqual([2, expect.stringMatching(/OUT must be a folder, or s3:/)])
  bucket.put('in/a.txt', sample)
  await runLines(['s3://bucket/in/', 's3://bucket/out', ...END], bucket.env)
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
  bucket.put('in/a.txt', long)
  await runLines(['s3://bucket/in/', 's3://bucket/out', ...END], bucket.env)
  const keys = keysBelow('merged/')
  const left = readdirSync(tmpdir()).filter((name) => name.startsWith('inlet-run-'))
  const asked = bucket.count('PUT')
  bucket.delay = 300
  const { child, ended } = start(['merge', 's3://bucket/out', '--into', 's3://bucket/merged'], bucket.env)
  await until(() => bucket.count('PUT') > asked)
  child.kill('SIGINT')
  expect((await ended).code).toBe(130)
  expect(keysBelow('merged/').filter((key) => key.endsWith('dataset.json'))).toEqual(keys)
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith('inlet-run-'))).toEqual(left)
})
