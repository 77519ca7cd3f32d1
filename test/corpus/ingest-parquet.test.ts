import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetMetadata } from 'hyparquet'
import { beforeAll, describe, expect, test } from 'vitest'
import { readDocuments } from '../../src/run/read/read-documents.js'
import type { Recipe } from '../../src/run/recipe.js'
import { type OpenTokenizer, openTokenizer } from '../../src/run/recipe.js'
import { inFolder } from '../cli/run-command.js'
import { tokenizeText } from '../first-layer/tokens/tokenize-text.js'
import { runLines } from '../run/run-lines.js'
import { Collected } from './collected.js'

const FOLDER = new URL('../goldens/parquet/', import.meta.url).pathname
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.parquet'))
const { texts, ids } = JSON.parse(readFileSync(join(FOLDER, 'documents.json'), 'utf8')) as {
  texts: string[]
  ids: number[][]
}
const recipe: Recipe = {
  ...{ to: 'ids', documents: 'one', text_column: 'text' },
  tokenizer: { card: { type: 'tiktoken', encoding: 'gpt2' }, encoding: 'gpt2' },
}

let made: OpenTokenizer
beforeAll(async () => {
  made = await openTokenizer(recipe)
})

async function read(path: string, own: Partial<Recipe> = {}) {
  const told: number[] = []
  const sink = new Collected()
  const shard = { path, holds: 'parquet' as const, bytes: 0 }
  const facts = await readDocuments(shard, { ...recipe, ...own }, made, sink, (bytes) => told.push(bytes))
  return { ...facts, told: told.reduce((sum, bytes) => sum + bytes), documents: sink.documents }
}

describe('a file', () => {
  const of = (kind: string) => FILES.filter((name) => name.startsWith(`${kind}-`))

  test.each(of('text'))('%s: a document for each string', async (name) => {
    const { documents, characters, told, sha256, bytes } = await read(join(FOLDER, name))
    const options = { allowedSpecial: made.allowedSpecial }
    const idsOf = (text: string) => [...tokenizeText(made.tokenizer, text, options).toInt32Array()]
    expect(documents).toEqual(texts.map((text) => (text === '' ? [] : idsOf(text))))
    expect(characters).toBe(texts.reduce((sum, text) => sum + [...text].length, 0))
    const file = readFileSync(join(FOLDER, name))
    expect([told, bytes]).toEqual([file.length, file.length])
    expect(sha256).toBe(createHash('sha256').update(file).digest('hex'))
  })

  test.each(of('ids'))('%s: a document for each list', async (name) => {
    expect((await read(join(FOLDER, name))).documents).toEqual(ids)
  })

  test.each([
    ['null-text', 'Row 1 of the column text must be a string, or a list of ids. Given: null'],
    ['null-ids', 'Row 1 of the column input_ids must be a string, or a list of ids. Given: nothing'],
    ['null-id', 'Row 1: `input_ids.1` must be an integer within ±(2^53 − 1). Given: null'],
    ['negative-id', 'Row 1: `input_ids.1` must be at least 0. Given: -3'],
    ['large-id', 'Row 2: `input_ids.1` must be below 50257, the encoding’s number of ids. Given: 50257'],
    [
      'wide-id',
      'Row 0: `input_ids.0` must be below 50257, the encoding’s number of ids. Given: 1099511627776',
    ],
    ['not-utf8', 'Row 1 of the column text must be UTF-8.'],
    ['numbers', 'Row 0 of the column text must be a string, or a list of ids. Given: 1'],
    ['nested', 'Row 0: `input_ids.0` must be an integer within ±(2^53 − 1). Given: an array of 1'],
    ['floats', 'Row 0: `input_ids.0` must be an integer within ±(2^53 − 1). Given: 0.5'],
    ['labels', '`labels` must not be given: a dataset has the ids of one text alone, and would lose it.'],
    ['no-column', 'The file must have a column text or input_ids. Given: url, content'],
  ])('bad-%s is refused', async (name, message) => {
    await expect(read(join(FOLDER, `bad-${name}.parquet`))).rejects.toThrow(message)
  })
})

test('the column of documents may have a name that is refused beside it', async () => {
  expect((await read(join(FOLDER, 'bad-labels.parquet'), { text_column: 'labels' })).documents).toEqual([
    [2, 3],
  ])
})

test('the column is the one that is named, ids too', async () => {
  expect((await read(join(FOLDER, 'ids-int32.parquet'), { text_column: 'input_ids' })).documents).toEqual(ids)
  const named = await read(join(FOLDER, 'bad-no-column.parquet'), { text_column: 'content' })
  expect(named.documents).toEqual([[65]])
})

test('a file that is none, is cut, or says too much of itself, is refused', () =>
  inFolder(async (folder) => {
    const file = readFileSync(join(FOLDER, 'text-snappy.parquet'))
    const long = Buffer.from(file)
    long.writeUInt32LE(1 << 30, file.length - 8)
    const refused = async (bytes: Uint8Array, message: RegExp) => {
      writeFileSync(join(folder, 'a.parquet'), bytes)
      await expect(read(join(folder, 'a.parquet'))).rejects.toThrow(message)
    }
    await refused(Buffer.from('PAR1'), /must be Parquet/)
    await refused(Buffer.from('{"text":"a"}\n'), /must be Parquet: .*PAR1/)
    await refused(file.subarray(0, -1), /must be Parquet/)
    await refused(long, /must be Parquet: .*1073741824/)
  }))

test('a row group that is broken is named, with its column', () =>
  inFolder(async (folder) => {
    const file = readFileSync(join(FOLDER, 'text-snappy.parquet'))
    const { row_groups } = parquetMetadata(new Uint8Array(file).buffer)
    const column = row_groups[1]!.columns.find(({ meta_data }) => meta_data!.path_in_schema[0] === 'text')
    const start = Number(column!.meta_data!.dictionary_page_offset)
    file.fill(0xff, start, start + 8)
    writeFileSync(join(folder, 'a.parquet'), file)
    const message = /^The content must be Parquet: .* in column text, row group 1$/
    await expect(read(join(folder, 'a.parquet'))).rejects.toThrow(message)
  }))

test('inlet run names a broken file in one line', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'a.parquet')
    writeFileSync(path, readFileSync(join(FOLDER, 'text-snappy.parquet')).subarray(0, -1))
    const { code, stderr, lines } = await runLines([path, join(folder, 'out')])
    const message = 'The content must be Parquet: parquet file invalid (footer != PAR1)'
    expect([code, lines]).toMatchObject([3, [{ input: path, state: 'failed', error: message }]])
    expect(stderr.split('\n')[0]).toBe(`${path}: ${message}`)
  }))

test('inlet run makes of it the dataset that JSON lines are, and refuses it packed and from standard input', () =>
  inFolder(async (folder) => {
    const out = join(folder, 'out')
    writeFileSync(join(folder, 'a.jsonl'), texts.map((text) => JSON.stringify({ text })).join('\n'))
    writeFileSync(join(folder, 'packed.parquet.gz'), '')
    const paths = [
      join(folder, 'a.jsonl'),
      join(FOLDER, 'text-zstd.parquet'),
      join(folder, 'packed.parquet.gz'),
    ]
    const { code, lines } = await runLines([...paths, out, '--document-end', 'endoftext'])
    expect(code).toBe(3)
    const [first, second, refused] = paths.map((path) => lines.find(({ input }) => input === path))
    expect([first, second]).toMatchObject([
      { documents: texts.length },
      { output: first!.output, tokens: first!.tokens },
    ])
    expect(refused!.error).toBe('Parquet must not be packed as a whole: its pages are. Given: gzip')
    const again = await runLines([paths[1]!, out, '--document-end', 'endoftext'])
    expect(again.lines).toMatchObject([{ state: 'kept', output: first!.output }])
    const stdin = await runLines(['-', out, '--type', 'parquet'])
    expect([stdin.code, stdin.stderr.toString()]).toEqual([
      2,
      expect.stringContaining('Parquet must be a file'),
    ])
  }))
