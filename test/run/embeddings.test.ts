import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inFolder, SAMPLE } from '../cli/run-command.js'
import { run } from '../cli/run-here.js'
import { runLines } from './run-lines.js'

const WINDOWS = ['--context-length', '16', '--stride', '8', '--tail', 'pad', '--dtype', 'float16']

test.each([
  ['safetensors', [...WINDOWS, '--position-embedding', 'rope', '--position-embedding.head-dim', '4']],
  ['safetensors', ['--outputs', 'input_ids,target_ids', '--context-length', '4', '--ids-dtype', 'int64']],
  ['npy', [...WINDOWS, '--outputs', 'token_embeddings', '--batch-size', '3', '--shuffle', '--seed', '5']],
])('%s %j: the bytes that inlet embed writes', (format, flags) =>
  inFolder(async (folder) => {
    const [out, alone] = [join(folder, 'out'), join(folder, `alone.${format}`)]
    const { lines, code } = await runLines([SAMPLE, out, '--to', format, ...flags])
    expect([code, lines.map(({ state }) => state)]).toEqual([0, ['done']])
    await run(['embed', SAMPLE, '-o', alone, ...flags])
    expect(readFileSync(lines[0]!.output)).toEqual(readFileSync(alone))
    expect(lines[0]!.output).toMatch(new RegExp(`sample-[a-z2-7]{26}\\.${format}$`))
  }),
)

test('several shards in threads that share the tables; each line of an input is a document', () =>
  inFolder(async (folder) => {
    const out = join(folder, 'out')
    const names = ['a', 'b', 'c', 'd', 'e']
    for (const name of names)
      writeFileSync(join(folder, `${name}.ndjson`), '{"text":"Hello"}\n{"input_ids":[0,1]}\n')
    const paths = names.map((name) => join(folder, `${name}.ndjson`))
    const flags = ['--to', 'npy', '--outputs', 'token_embeddings', '--context-length', '2', '--tail', 'pad']
    const { lines } = await runLines([...paths, out, ...flags, '--threads', '2'])
    expect(lines.map(({ documents, tokens }) => [documents, tokens])).toEqual(names.map(() => [2, 3]))
    expect(new Set(lines.map(({ sha256 }) => sha256)).size).toBe(1)
    const again = await runLines([...paths, out, ...flags])
    expect(again.lines.map(({ state }) => state)).toEqual(names.map(() => 'kept'))
    const other = await runLines([paths[0]!, out, ...flags], { SEED: '7' })
    expect(other.lines[0]!.state).toBe('done')
    expect(other.lines[0]!.sha256).not.toBe(lines[0]!.sha256)
  }))

test.each([
  ['windows without embeddings', ['--context-length', '4'], /--context-length must not.*--to safetensors/],
  ['two types of numbers', ['--to', 'npy', '--dtype', 'uint16'], /--dtype.*uint16/],
  ['an encoding', ['--to', 'npy', '--encoding', 'gpt2'], /--encoding must not be given beside --to npy/],
  ['several tensors for npy', ['--to', 'npy', '--outputs', 'input_ids,target_ids'], /--outputs must/],
  ['a model that is not there', ['--to', 'npy', '--model', 'none', '--outputs', 'input_ids'], /none/],
])('%s: refused before a shard begins', (_, flags, message) =>
  inFolder(async (folder) => {
    const { code, stderr, lines } = await runLines([SAMPLE, join(folder, 'out'), ...flags])
    expect(lines).toEqual([])
    expect([1, 2]).toContain(code)
    expect(stderr).toMatch(message)
  }),
)
