import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { runAsync } from '../../../src/first-layer/steps.js'
import { tokenizeText } from '../../../src/first-layer/tokens/tokenize.js'
import { readDocuments } from '../../../src/run/read/read-documents.js'
import type { Recipe } from '../../../src/run/recipe.js'
import { type OpenTokenizer, openTokenizer } from '../../../src/run/tokenizer.js'
import { ParquetWriter } from '../../../src/run/write/parquet/parquet-writer.js'
import { listPath, listSchema, rootSchema } from '../../../src/run/write/parquet/schema.js'
import { inFolder } from '../../cli/run-command.js'
import { Collected } from '../../datasets/ingest/collected.js'
import { checkProperty } from '../../property.js'
import { runLines } from '../run-lines.js'

const FOLDER = new URL('../../goldens/parquet/', import.meta.url).pathname
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.parquet'))
const { texts, ids } = JSON.parse(readFileSync(join(FOLDER, 'documents.json'), 'utf8')) as {
  texts: string[]
  ids: number[][]
}
const recipe: Recipe = {
  ...{ to: 'ids', documents: 'one', textColumn: 'text' },
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
    const idsOf = async (text: string) => [
      ...(await runAsync(tokenizeText(made.tokenizer, text, options))).toInt32Array(),
    ]
    expect(documents).toEqual(await Promise.all(texts.map((text) => (text === '' ? [] : idsOf(text)))))
    expect(characters).toBe(texts.reduce((sum, text) => sum + [...text].length, 0))
    const file = readFileSync(join(FOLDER, name))
    expect([told, bytes]).toEqual([file.length, file.length])
    expect(sha256).toBe(createHash('sha256').update(file).digest('hex'))
  })

  test.each(of('ids'))('%s: a document for each list', async (name) => {
    expect((await read(join(FOLDER, name))).documents).toEqual(ids)
  })

  test.each([
    ['null-text', 'Row 1 of the column text must not be null.'],
    ['null-ids', 'Row 1 of the column input_ids must not be null.'],
    ['null-id', 'Row 1 of the column input_ids must not be null.'],
    ['negative-id', 'Row 1: `input_ids.1` must be at least 0. Given: -3'],
    ['large-id', 'Row 2: `input_ids.1` must be below 50257, the encoding’s number of ids. Given: 50257'],
    [
      'wide-id',
      'Row 0: `input_ids.0` must be below 50257, the encoding’s number of ids. Given: 1099511627776',
    ],
    ['not-utf8', 'Row 1 of the column text must be UTF-8.'],
    ['numbers', 'The column text must have strings, or lists of integers. Given: optional INT64'],
    [
      'nested',
      /^The column input_ids must have strings, or lists of integers\. Given: optional group LIST of/,
    ],
    ['floats', /^The column input_ids must have strings, or lists of integers\. Given: .*DOUBLE/],
    ['no-column', 'The file must have a column text or input_ids. Given: url, content'],
    ['no-rows', 'The column text must have a row. Given: none'],
  ])('bad-%s is refused', async (name, message) => {
    await expect(read(join(FOLDER, `bad-${name}.parquet`))).rejects.toThrow(message)
  })
})

test('the column is the one that is named, ids too', async () => {
  expect((await read(join(FOLDER, 'ids-int32.parquet'), { textColumn: 'input_ids' })).documents).toEqual(ids)
  const named = await read(join(FOLDER, 'bad-no-column.parquet'), { textColumn: 'content' })
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
    await refused(Buffer.alloc(0), /must be Parquet, which ends with PAR1/)
    await refused(Buffer.from('PAR1'), /must be Parquet, which ends with PAR1/)
    await refused(Buffer.from('{"text":"a"}\n'), /must be Parquet.*Given: "a\\"}\\n"/)
    await refused(file.subarray(0, -1), /must be Parquet/)
    await refused(long, /metadata must have at most \d+ bytes, of \d+\. Given: 1073741824/)
  }))

test('a page beyond its bound is refused before it is read', () =>
  inFolder(async (folder) => {
    const schema = listSchema('input_ids', 1, { type: 'INT32' })
    const writer = new ParquetWriter(
      rootSchema([schema]),
      [{ type: 'INT32', path: listPath('input_ids', 1) }],
      [],
    )
    const begin = writer.begin()
    writer.beginGroup()
    writer.beginColumn()
    const none = new Uint8Array(0)
    const page = { rows: 1, values: 1, emptyLists: 0, repetition: none, definition: none, bytes: 2 ** 30 + 1 }
    const path = join(folder, 'a.parquet')
    writeFileSync(path, Buffer.concat([begin, writer.page(page), Buffer.alloc(1 << 20), writer.end()]))
    const message =
      'at most 1073741824 bytes. Given: 1073741825, unpacked 1073741825, in column input_ids, row group 0'
    await expect(read(path)).rejects.toThrow(message)
  }))

test('a file with any byte changed is read or refused, and nothing else', async () => {
  const names = ['text-pages-v2', 'text-none', 'text-delta', 'ids-pages', 'ids-pages-v2', 'text-snappy']
  const change = fc.record({
    name: fc.constantFrom(...names),
    changes: fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 3 }),
  })
  await inFolder((folder) =>
    checkProperty(
      fc.asyncProperty(change, async ({ name, changes }) => {
        const file = Buffer.from(readFileSync(join(FOLDER, `${name}.parquet`)))
        for (const [at, value] of changes) file[at % file.length] = value
        writeFileSync(join(folder, 'a.parquet'), file)
        await read(join(folder, 'a.parquet')).catch((error) => expect(error).toBeInstanceOf(Error))
      }),
      300,
    ),
  )
})

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
