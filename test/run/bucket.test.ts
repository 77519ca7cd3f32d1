import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { inFolder, run, SAMPLE, start } from '../cli/run-command.js'
import { FakeS3, type Fault } from '../objects/fake-s3.js'
import { until } from '../until.js'
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

test('what is done is not done again', async () => {
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
  const merged = await run(['merge', 's3://bucket/out'], bucket.env)
  expect([merged.code, merged.stderr]).toEqual([2, expect.stringContaining('OUT must be a folder')])
})
