import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inFolder, SAMPLE } from '../cli/run-command.js'
import { run } from '../cli/run-here.js'
import { filesIn, runLines } from './run-lines.js'

const sample = readFileSync(SAMPLE, 'utf8')
const lines = sample.split('\n').filter((line) => line !== '')
const END = ['--documents', 'lines', '--document-end', 'endoftext']

/** The sample's lines in files of a few. @returns their paths, and the folder of their run */
async function shards(folder: string, names: readonly string[]) {
  const size = Math.ceil(lines.length / names.length)
  const paths = names.map((name) => join(folder, name))
  for (const [i, path] of paths.entries())
    writeFileSync(path, `${lines.slice(i * size, (i + 1) * size).join('\n')}\n`)
  const out = join(folder, 'out')
  expect((await runLines([...paths, out, ...END])).code).toBe(0)
  return { paths, out }
}

test('merged shards are the dataset of one upload: the same id, the same files', () =>
  inFolder(async (folder) => {
    const { out } = await shards(folder, ['a.txt', 'b.txt', 'c.txt'])
    const { code, stdout } = await run(['merge', out])
    const id = 'ds_yviikfg7vmofhapw6ct2hxkd7g' // of docs/training.md
    expect(code).toBe(0)
    const told = JSON.parse(stdout.toString())
    expect(told).toMatchObject({ id, output: join(out, 'datasets', id), state: 'done', shards: 3 })
    const whole = join(folder, 'whole')
    await runLines([SAMPLE, whole, ...END])
    expect(filesIn(told.output)).toEqual(filesIn(join(whole, 'datasets', id)))
    const again = await run(['merge', out])
    expect(JSON.parse(again.stdout.toString())).toMatchObject({ id, state: 'kept' })
  }))

test('documents longer than a read, without ids, and more than a read has', () =>
  inFolder(async (folder) => {
    const long = Array.from({ length: 140_000 }, (_, i) => i % 50_000)
    const short = Array.from({ length: 9000 }, (_, i) => [[], [i], [i, 1, 2]][i % 3]!)
    const json = (documents: readonly number[][]) =>
      documents.map((input_ids) => `${JSON.stringify({ input_ids })}\n`).join('')
    const parts = [[[], long, []], short, [long.slice(0, 65_536), [7]]]
    const paths = parts.map((part, i) => {
      const path = join(folder, `${i}.jsonl`)
      writeFileSync(path, json(part))
      return path
    })
    const whole = join(folder, 'whole.jsonl')
    writeFileSync(whole, json(parts.flat()))
    const out = join(folder, 'out')
    expect((await runLines([...paths, out])).code).toBe(0)
    const merged = JSON.parse((await run(['merge', out])).stdout.toString())
    const { lines: made } = await runLines([whole, join(folder, 'once')])
    expect(made[0]).toMatchObject({ sha256: merged.sha256, documents: 9005 })
    const { output } = made[0] as { output: string }
    expect(filesIn(merged.output)).toEqual(filesIn(output))
  }))

test('a list gives the order: paths, names and keys', () =>
  inFolder(async (folder) => {
    const { paths, out } = await shards(folder, ['c.txt', 'a.txt', 'b.txt'])
    const byName = JSON.parse((await run(['merge', out])).stdout.toString())
    const [name] = Object.keys(filesIn(join(out, 'shards', 'b.txt')))
    const list = [paths[0], 'a.txt', name!.replace('.json', '')].join('\n')
    const byList = JSON.parse((await run(['merge', out, '--list', '-'], {}, list)).stdout.toString())
    expect(byList.id).toBe('ds_yviikfg7vmofhapw6ct2hxkd7g')
    expect(byName.id).not.toBe(byList.id)
    expect(byName.tokens).toBe(byList.tokens)
  }))

test('shards that are doubtful, missing or of several recipes are refused by name', () =>
  inFolder(async (folder) => {
    const { paths, out } = await shards(folder, ['a.txt', 'b.txt'])
    const failed = async (...args: string[]) => {
      const { code, stderr } = await run(['merge', out, ...args])
      return `${code} ${stderr}`
    }
    const list = join(folder, 'list')
    writeFileSync(list, 'a.txt\nc.txt\n')
    expect(await failed('--list', list)).toMatch(/^1 .*c\.txt must be a finished shard/)
    expect(await failed('--list', join(folder, 'no'))).toMatch(/^1 .*--list .*ENOENT/)
    writeFileSync(paths[0]!, 'changed')
    await runLines([paths[0]!, out, ...END])
    expect(await failed()).toMatch(/^0 /) // a path's own bytes decide
    writeFileSync(list, paths.join('\n'))
    expect(await failed('--list', list)).toMatch(/^0 /)
    rmSync(paths[0]!)
    expect(await failed()).toMatch(/^1 .*a\.txt has several shards.*[a-z2-7]{26}, [a-z2-7]{26}/)
    writeFileSync(paths[0]!, 'changed')
    await runLines([paths[1]!, out])
    expect(await failed('--list', list)).toMatch(/^1 .*b\.txt has several shards/) // of the same bytes
    const ends: string[] = []
    for (const key of Object.keys(filesIn(join(out, 'shards', 'b.txt')))) {
      writeFileSync(list, `${paths[0]}\n${key.replace('.json', '')}`)
      ends.push(await failed('--list', list))
    }
    expect(ends.sort()).toEqual([
      expect.stringMatching(/^0 /),
      expect.stringMatching(/^1 .*one recipe.*a\.txt/),
    ])
    expect((await run(['merge', join(folder, 'empty')])).stderr).toMatch(/finished shards/)
  }))

test('a shard whose documents are out of order is refused by its place, and nothing is left', () =>
  inFolder(async (folder) => {
    const { out } = await shards(folder, ['a.txt', 'b.txt'])
    const [shard] = readdirSync(join(out, 'datasets'))
    const documents = join(out, 'datasets', shard!, 'documents.bin')
    const starts = new BigUint64Array(new Uint8Array(readFileSync(documents)).buffer)
    starts.subarray(1, 3).reverse()
    writeFileSync(documents, starts)
    const { code, stderr } = await run(['merge', out])
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(new RegExp(`${shard} must have its documents in order`)),
    ])
    expect(readdirSync(join(out, 'datasets'))).toHaveLength(2)
  }))

/** Partitions, as Hive and Spark write them: one last name, two of the same bytes. */
async function partitions(folder: string, ...args: readonly string[]) {
  const texts = { '2023': 'Hello', '2024': ' world', '2025': 'Hello' }
  const paths = Object.entries(texts).map(([year, text]) => {
    mkdirSync(join(folder, 'in', `year=${year}`), { recursive: true })
    const path = join(folder, 'in', `year=${year}`, 'part-0.jsonl')
    writeFileSync(path, `${JSON.stringify({ text })}\n`)
    return path
  })
  const out = join(folder, 'out')
  const { code, lines } = await runLines([join(folder, 'in/'), out, ...args])
  return { paths, out, code, lines }
}

test('inputs of one last name in several folders all count, in the order of their paths', () =>
  inFolder(async (folder) => {
    const { paths, out, code, lines } = await partitions(folder)
    expect([code, lines.map(({ input }) => input)]).toEqual([0, paths])
    // What lies in the working folder under that name is another file.
    writeFileSync(join(folder, 'part-0.jsonl'), '{"text":"Hello"}\n')
    const merged = await run(['merge', out], {}, '', folder)
    expect(JSON.parse(merged.stdout.toString())).toMatchObject({ documents: 3, tokens: 3, shards: 3 })
    const whole = join(folder, 'whole.jsonl')
    writeFileSync(whole, paths.map((path) => readFileSync(path, 'utf8')).join(''))
    const { lines: once } = await runLines([whole, join(folder, 'once')])
    expect(JSON.parse(merged.stdout.toString()).sha256).toBe(once[0]!.sha256)
    const byName = await run(['merge', out, '--list', '-'], {}, 'part-0.jsonl')
    expect(byName.stderr).toMatch(/part-0\.jsonl is the name of several inputs.*year=2023.*year=2024/)
    const one = await run(['merge', out, '--list', '-'], {}, paths[1])
    expect(JSON.parse(one.stdout.toString())).toMatchObject({ documents: 1, shards: 1 })
  }))

test('outputs of equal bytes under one last name are two files', () =>
  inFolder(async (folder) => {
    const { lines, out } = await partitions(folder, '--to', 'bin')
    expect(new Set(lines.map(({ output }) => output)).size).toBe(3)
    expect(readdirSync(out).filter((name) => name.endsWith('.bin'))).toHaveLength(3)
  }))

test('of an input that has changed, its present bytes count; a file that was named by two paths is one input', () =>
  inFolder(async (folder) => {
    const { paths, out } = await partitions(folder)
    writeFileSync(paths[1]!, '{"text":"Hello, world"}\n')
    const again = await run(['run', 'in/', out], {}, '', folder) // in/… is what /…/in/… is
    expect(again.code).toBe(0)
    const { code, stdout, stderr } = await run(['merge', out], {}, '', folder)
    expect([code, stderr]).toEqual([0, expect.anything()])
    expect(JSON.parse(stdout.toString())).toMatchObject({ documents: 3, tokens: 5 })
  }))

test('records of before, which have last names alone, are merged by themselves and refused beside others', () =>
  inFolder(async (folder) => {
    const { out } = await shards(folder, ['a.txt', 'b.txt'])
    for (const name of ['a.txt', 'b.txt']) {
      const [file] = Object.keys(filesIn(join(out, 'shards', name)))
      const path = join(out, 'shards', name, file!)
      const record = JSON.parse(readFileSync(path, 'utf8'))
      writeFileSync(path, JSON.stringify({ ...record, input: name, recipe: 'a'.repeat(26) }))
    }
    expect(JSON.parse((await run(['merge', out])).stdout.toString())).toMatchObject({ shards: 2 })
    writeFileSync(join(folder, 'c.txt'), 'new')
    await runLines([join(folder, 'c.txt'), out, ...END])
    const { code, stderr } = await run(['merge', out])
    expect([code, stderr]).toEqual([1, expect.stringMatching(/one recipe: --list names some.*c\.txt/)])
  }))
