import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { expect, test } from 'vitest'
import { inFolder, run, SAMPLE } from '../cli/run-command.js'
import { decodeArrow } from '../decode.js'
import { runLines } from './run-lines.js'

const WINDOWS = ['--context-length', '16', '--stride', '8', '--tail', 'pad', '--dtype', 'float16']

test.each([
  ['safetensors', [...WINDOWS, '--position-embedding', 'rope', '--position-embedding.head-dim', '4']],
  ['safetensors', ['--outputs', 'input_ids,target_ids', '--context-length', '4', '--ids-dtype', 'int64']],
  ['npy', [...WINDOWS, '--outputs', 'token_embeddings', '--batch-size', '3', '--shuffle', '--seed', '5']],
  ['arrow', [...WINDOWS, '--outputs', 'input_ids,input_embeddings']],
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

test('parquet with outputs: the numbers of arrow, and the same bytes twice', () =>
  inFolder(async (folder) => {
    const flags = ['--to', 'parquet', ...WINDOWS, '--outputs', 'input_ids,input_embeddings']
    const { lines } = await runLines([SAMPLE, join(folder, 'out'), ...flags])
    const file = readFileSync(lines[0]!.output)
    const [windows] = (await runLines([SAMPLE, join(folder, 'out'), ...flags.with(1, 'arrow')])).lines
    const { tensors, metadata } = decodeArrow(readFileSync(windows!.output))
    const { buffer, byteOffset } = file
    const rows = await parquetReadObjects({
      file: buffer.slice(byteOffset, byteOffset + file.length) as ArrayBuffer,
    })
    const ids = rows.flatMap(({ input_ids }) => [...input_ids])
    expect(Buffer.from(Int32Array.from(ids).buffer)).toEqual(tensors.input_ids!.bytes)
    expect([rows.length, rows[0]!.input_embeddings.length]).toEqual(
      tensors.input_embeddings!.shape.slice(0, 2),
    )
    expect(metadata.num_windows).toBe(String(rows.length))
    const again = await runLines([SAMPLE, join(folder, 'again'), ...flags])
    expect(readFileSync(again.lines[0]!.output)).toEqual(file)
  }))

test.each(['parquet', 'arrow'])('%s without outputs: the ids of documents', (to) =>
  inFolder(async (folder) => {
    const out = join(folder, 'out')
    writeFileSync(join(folder, 'a.ndjson'), '{"text":"Hello, world!"}\n{"text":""}\n{"input_ids":[0,1]}\n')
    const { lines } = await runLines([join(folder, 'a.ndjson'), out, '--to', to])
    expect(lines).toMatchObject([{ documents: 3, tokens: 6 }])
    expect(lines[0]!.output).toMatch(new RegExp(`a-[a-z2-7]{26}\\.${to}$`))
    if (to === 'arrow') return
    const ids = await runLines([lines[0]!.output, out, '--to', 'bin']) // it is an input too
    expect(ids.lines).toMatchObject([{ documents: 3, tokens: 6 }])
    const expected = Uint16Array.of(15496, 11, 995, 0, 0, 1)
    expect(readFileSync(ids.lines[0]!.output)).toEqual(Buffer.from(expected.buffer))
  }),
)

test('several shards in threads that share the tables; each line of an input is a document', () =>
  inFolder(async (folder) => {
    const out = join(folder, 'out')
    const names = ['a', 'b', 'c', 'd', 'e']
    for (const name of names)
      writeFileSync(join(folder, `${name}.ndjson`), '{"text":"Hello"}\n{"input_ids":[0,1]}\n')
    const paths = names.map((name) => join(folder, `${name}.ndjson`))
    const args = [...paths, out, '--to', 'npy', '--outputs', 'token_embeddings', '--threads', '2']
    const { lines } = await runLines([...args, '--context-length', '2', '--tail', 'pad'])
    expect(lines.map(({ documents, tokens }) => [documents, tokens])).toEqual(names.map(() => [2, 3]))
    expect(new Set(lines.map(({ sha256 }) => sha256)).size).toBe(1)
    const again = await runLines([...args, '--context-length', '2', '--tail', 'pad'])
    expect(again.lines.map(({ state }) => state)).toEqual(names.map(() => 'kept'))
    const other = await runLines([...args, '--context-length', '2', '--tail', 'pad'], { SEED: '7' })
    expect(other.lines.map(({ state }) => state)).toEqual(names.map(() => 'done'))
    expect(other.lines[0]!.sha256).not.toBe(lines[0]!.sha256)
  }))

test.each([
  ['windows without embeddings', ['--context-length', '4'], /--context-length must not.*--to safetensors/],
  ['two types of numbers', ['--to', 'npy', '--dtype', 'uint16'], /--dtype.*uint16/],
  ['an encoding', ['--to', 'npy', '--encoding', 'gpt2'], /--encoding must not be given beside --to npy/],
  ['several tensors for npy', ['--to', 'npy', '--outputs', 'input_ids,target_ids'], /--outputs must/],
  ['bfloat16 for npy', ['--to', 'npy', '--outputs', 'token_embeddings', '--dtype', 'bfloat16'], /bfloat16/],
  [
    'bfloat16 for Parquet',
    ['--to', 'parquet', '--outputs', 'token_embeddings', '--dtype', 'bfloat16'],
    /bfloat16/,
  ],
  [
    'windows of a table of ids',
    ['--to', 'parquet', '--context-length', '4'],
    /--context-length must not.*--outputs/,
  ],
  [
    'tensors of positions beside those of windows',
    ['--to', 'arrow', '--outputs', 'input_ids,position_embeddings'],
    /equally many rows/,
  ],
  ['a model that is not there', ['--to', 'npy', '--model', 'none', '--outputs', 'input_ids'], /none/],
])('%s: refused before a shard begins', (_, flags, message) =>
  inFolder(async (folder) => {
    const { code, stderr, lines } = await runLines([SAMPLE, join(folder, 'out'), ...flags])
    expect(lines).toEqual([])
    expect([1, 2]).toContain(code)
    expect(stderr).toMatch(message)
  }),
)
