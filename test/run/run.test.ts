import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { appendFile, open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { fieldsNamed } from '../../src/cli/run-recipe.js'
import { loadEncoding } from '../../src/first-layer/tokens/encoding.js'
import { openTokenizer, type Recipe, type RunTokenizer } from '../../src/run/recipe.js'
import { inFolder, SAMPLE, start } from '../cli/run-command.js'
import { run } from '../cli/run-here.js'
import { tokenizeText } from '../first-layer/tokens/tokenize-text.js'
import { until } from '../until.js'
import { filesIn, runLines } from './run-lines.js'

const sample = readFileSync(SAMPLE, 'utf8')
const END = ['--documents', 'lines', '--document-end', 'endoftext']

async function idsOf(text: string): Promise<number[]> {
  const allowedSpecial = new Set(['<|endoftext|>'])
  return [...tokenizeText(await loadEncoding('gpt2'), text, { allowedSpecial }).toInt32Array()]
}

/** Files in the making in a folder, which may not exist yet. */
function aside(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('.aside-')) : []
}

const le16 = (ids: readonly number[]) => Buffer.from(Uint16Array.from(ids).buffer)
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test('ids: the dataset that an upload of the same text is, with the same id', () =>
  inFolder(async (folder) => {
    const [input, out] = [join(folder, 'train.txt'), join(folder, 'out')]
    const first = readFileSync(SAMPLE).subarray(0, 3204)
    writeFileSync(input, first) // the first upload of docs/training.md
    const { code, lines } = await runLines([input, out])
    expect(code).toBe(0)
    expect(lines).toMatchObject([{ input, state: 'done', documents: 1, bytes: 3204 }])
    const [{ output, tokens, sha256: told }] = lines as [(typeof lines)[0]]
    expect(output).toBe(join(out, 'datasets/ds_7dzn64vx2yjz5wlxl4keysuuwq'))
    const file = readFileSync(join(output, 'tokens.bin'))
    expect(file).toEqual(le16(await idsOf(first.toString())))
    expect([told, tokens]).toEqual([sha256(file), file.length / 2])
  }))

test('a document may begin with an id too; the summary names both with their literals', () =>
  inFolder(async (folder) => {
    const [input, out] = [join(folder, 'a.txt'), join(folder, 'out')]
    writeFileSync(input, 'Hello, world!\nHello\n')
    const ends = ['--document-start', '50256', '--document-end', 'eos', '--documents', 'lines']
    const { lines, stderr } = await runLines([input, out, ...ends, '--to', 'bin'])
    expect(readFileSync(lines[0]!.output)).toEqual(
      le16([50256, 15496, 11, 995, 0, 50256, 50256, 15496, 50256]),
    )
    const literals = 'each document begins with 50256 <|endoftext|> and ends with 50256 <|endoftext|>'
    expect(stderr).toMatch(/^1 shard: 1 done, 0 kept, 0 failed; 9 tokens of 20 B in /)
    expect(stderr.trimEnd().endsWith(literals)).toBe(true)
    const ids = join(folder, 'ids')
    await run(['run', input, ids, ...ends])
    const merged = await run(['merge', ids])
    expect(merged.stderr).toMatch(/: 2 documents, 9 tokens of 1 shard in /)
    expect(merged.stderr).toMatch(literals)
    const refused = await run(['run', input, out, '--document-start', 'bos'])
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching('--document-start must be an id: there is no bos for gpt2. Given: "bos"'),
    ])
  }))

test('--validation holds documents out by their hash, whatever the shards, and twice is once', () =>
  inFolder(async (folder) => {
    const lines = Array.from({ length: 400 }, (_, i) => JSON.stringify({ input_ids: [i, i % 7, 5] }))
    const long = JSON.stringify({ input_ids: Array.from({ length: 200_000 }, (_, i) => i % 1000) })
    const documentsBelow = async (out: string) => {
      const { stdout } = await run(['merge', out, '--json'])
      const { output } = JSON.parse(stdout.toString())
      const ids = readFileSync(join(output, 'tokens.bin'))
      const starts = readFileSync(join(output, 'documents.bin'))
      const at = (d: number) => 2 * Number(starts.readBigUInt64LE(8 * d))
      return Array.from({ length: starts.length / 8 - 1 }, (_, d) =>
        ids.subarray(at(d), at(d + 1)).toString('hex'),
      )
    }
    const split = async (name: string, parts: readonly (readonly string[])[]) => {
      const paths = parts.map((_part, i) => join(folder, `${name}-${i}.jsonl`))
      for (const [i, path] of paths.entries()) writeFileSync(path, parts[i]!.join('\n'))
      const out = join(folder, name)
      const asked = [...paths, out, '--validation', '0.25']
      const first = await runLines(asked)
      const files = filesIn(out)
      const again = await runLines(asked)
      expect(again.lines.map(({ state }) => state)).toEqual(paths.map(() => 'kept'))
      expect(filesIn(out)).toEqual(files)
      return { first, train: await documentsBelow(out), held: await documentsBelow(join(out, 'validation')) }
    }
    const one = await split('one', [[...lines, long]])
    const many = await split('many', [
      lines.slice(300).reverse(),
      [long, ...lines.slice(0, 100)],
      lines.slice(100, 300),
    ])
    expect([...many.held].sort()).toEqual([...one.held].sort())
    expect([...many.train].sort()).toEqual([...one.train].sort())
    expect(one.train.length + one.held.length).toBe(401)
    expect(one.held.length).toBeGreaterThan(60)
    expect(one.held.length).toBeLessThan(140)
    const told = one.first.lines[0] as unknown as { documents: number; validation: { documents: number } }
    expect([told.documents, told.validation.documents]).toEqual([one.train.length, one.held.length])
    const bin = await runLines([
      join(folder, 'one-0.jsonl'),
      join(folder, 'bin'),
      '--to',
      'bin',
      '--validation',
      '0.25',
    ])
    const held = (bin.lines[0] as unknown as { validation: { output: string } }).validation.output
    expect(readFileSync(held).toString('hex')).toBe(one.held.join(''))
    const refused = await run(['run', join(folder, 'one-0.jsonl'), join(folder, 'no'), '--validation', '1'])
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching('--validation must be less than 1'),
    ])
  }))

test('text, JSON lines, gzip and Brotli of the same documents are the same dataset', () =>
  inFolder(async (folder) => {
    const out = join(folder, 'out')
    const ndjson = sample
      .split('\n')
      .filter((line) => line !== '')
      .map((body) => JSON.stringify({ body, n: 1 }))
      .join('\n')
    const inputs = {
      'a.txt': sample,
      'b.txt.gz': gzipSync(sample),
      'c.ndjson': ndjson,
      'd.jsonl.br': brotliCompressSync(ndjson),
    }
    for (const [name, bytes] of Object.entries(inputs)) writeFileSync(join(folder, name), bytes)
    const paths = Object.keys(inputs).map((name) => join(folder, name))
    const { code, lines } = await runLines([...paths, out, ...END, '--text-column', 'body'])
    expect(code).toBe(0)
    const id = 'ds_yviikfg7vmofhapw6ct2hxkd7g' // the third upload of docs/training.md
    expect(lines.map(({ output }) => output)).toEqual(paths.map(() => join(out, 'datasets', id)))
    expect(readdirSync(join(out, 'datasets'))).toEqual([id])
    expect(readdirSync(join(out, 'shards'))).toEqual(Object.keys(inputs))
  }))

test('bin: a file of ids, which is kept; another recipe, other bytes and a lost output are made', () =>
  inFolder(async (folder) => {
    const [a, b, out] = [join(folder, 'a.txt'), join(folder, 'b.txt'), join(folder, 'out')]
    writeFileSync(a, 'Hello, world!\nHello\n')
    writeFileSync(b, 'two')
    const ids = [15496, 11, 995, 0, 50256, 15496, 50256]
    const run = async (dtype: 'uint16' | 'uint32', states: readonly string[]) => {
      const { lines } = await runLines([a, b, out, ...END, '--to', 'bin', '--dtype', dtype])
      expect(lines.map(({ state }) => state)).toEqual(states)
      const [line] = lines as [(typeof lines)[0]]
      expect(line).toMatchObject({ documents: 2, tokens: 7 })
      expect(line.output).toMatch(/\/a-[a-z2-7]{26}\.bin$/)
      const file = readFileSync(line.output)
      const elements = dtype === 'uint16' ? Uint16Array : Uint32Array
      expect(file).toHaveLength(ids.length * elements.BYTES_PER_ELEMENT)
      expect([...new elements(new Uint8Array(file).buffer)]).toEqual(ids)
      expect(line.sha256).toBe(sha256(file))
      return line.output
    }
    const output = await run('uint16', ['done', 'done'])
    const before = filesIn(out)
    await run('uint16', ['kept', 'kept'])
    expect(filesIn(out)).toEqual(before)
    expect(await run('uint32', ['done', 'done'])).not.toBe(output)
    writeFileSync(b, 'three')
    rmSync(output)
    expect(await run('uint16', ['done', 'done'])).toBe(output)
  }))

test('shards that fail are named, exit code 3; the others are done, and nothing else is left', () =>
  inFolder(async (folder) => {
    const out = join(folder, 'out')
    const inputs: Record<string, string | Uint8Array> = {
      'bytes.txt': Buffer.of(0x61, 0xff),
      'cut.txt.gz': gzipSync(sample).subarray(0, -20),
      'fine.txt': 'fine',
      'line.ndjson': '{"text":"a"}\n{"text":4}',
    }
    for (const [name, bytes] of Object.entries(inputs)) writeFileSync(join(folder, name), bytes)
    const names = [...Object.keys(inputs), 'missing.txt']
    const ended = await runLines([...names.map((name) => join(folder, name)), out])
    expect(ended.code).toBe(3)
    expect(ended.lines.map(({ state }) => state)).toEqual(
      names.map((name) => (name === 'fine.txt' ? 'done' : 'failed')),
    )
    const errors = ended.lines.map(({ error }) => error)
    const said = [/UTF-8/, /gzip/, /^$/, /Line 2.*text.*string/, /ENOENT/]
    for (const [i, pattern] of said.entries()) expect(errors[i] ?? '').toMatch(pattern)
    expect(ended.stderr).toMatch(/4 of 5 shards failed: .*bytes\.txt.*missing\.txt/)
    expect(readdirSync(out).sort()).toEqual(['datasets', 'shards'])
    expect(readdirSync(join(out, 'datasets'))).toHaveLength(1)
    expect(readdirSync(join(out, 'shards'))).toEqual(['fine.txt'])
  }))

test.each(['ids', 'bin', 'megatron', 'npy'])(
  '--to %s: an input without documents is done, without an output',
  (to) =>
    inFolder(async (folder) => {
      const out = join(folder, 'out')
      const inputs: Record<string, string | Uint8Array> = {
        'blank.ndjson': '\n \n',
        'bytes.parquet': '',
        'fine.ndjson': '{"text":"fine"}',
        'none.txt': '',
        'packed.txt.gz': gzipSync(''),
        'zero.jsonl.gz': '',
      }
      for (const [name, bytes] of Object.entries(inputs)) writeFileSync(join(folder, name), bytes)
      const rows = new URL('../goldens/parquet/no-rows.parquet', import.meta.url).pathname
      const paths = [...Object.keys(inputs).map((name) => join(folder, name)), rows]
      const args = [...paths, out, '--to', to, ...(to === 'npy' ? ['--outputs', 'input_ids'] : [])]
      const { code, lines } = await runLines(args)
      expect(code).toBe(0)
      for (const { input, ...line } of lines) {
        const none = { state: 'done', output: null, sha256: null, output_bytes: 0, documents: 0, tokens: 0 }
        expect(line).toMatchObject(input.includes('fine') ? { state: 'done', documents: 1, tokens: 1 } : none)
      }
      const merged = await run(['merge', out])
      const refusal = `--to ids to be one dataset. Given: ${to}`
      if (to !== 'ids')
        return expect([merged.code, merged.stderr]).toEqual([1, expect.stringContaining(refusal)])
      expect(JSON.parse(merged.stdout.toString())).toMatchObject({ documents: 1, shards: 1 })
      const again = await runLines(args)
      expect([again.code, again.lines.map(({ state }) => state)]).toEqual([0, paths.map(() => 'kept')])
    }),
)

test.each([
  ['no folder', [], /Missing required argument 'IN… OUT'/],
  ['no input', ['out'], /an input is needed/],
  ['a file in place of the folder', ['a.txt', 'a.txt'], /OUT must be a folder.*a\.txt/],
  ['an ending that tells nothing', ['a.csv', 'out'], /--type is needed: a\.csv/],
  ['a wrong type', ['a.txt', 'out', '--type', 'csv'], /--type must be one of txt.* Given: csv/],
  ['a wrong share', ['a.txt', 'out', '--shard', '3/2'], /--shard.*3\/2/],
  ['a wrong number of threads', ['a.txt', 'out', '--threads', '0'], /--threads.*0/],
  ['an unknown output', ['a.txt', 'out', '--to', 'csv'], /--to must be.*csv/],
  ['an unknown encoding', ['a.txt', 'out', '--encoding', 'gpt5'], /--encoding.*gpt5/],
  ['two tokenizers', ['a.txt', 'out', '--encoding', 'gpt2', '--model', 'm'], /--encoding must not.*--model/],
  ['a type without bin', ['a.txt', 'out', '--dtype', 'uint16'], /--dtype must not.*--to/],
  [
    'an end that the tokenizer does not have',
    ['a.txt', 'out', '--document-end', '60000'],
    /--document-end must be below 50257.*60000/,
  ],
])('%s is refused, exit code 2', (_, args, message) =>
  inFolder(async (folder) => {
    writeFileSync(join(folder, 'a.txt'), 'a')
    const named = args.map((arg) => (/^(a\.txt|out)$/.test(arg) ? join(folder, arg) : arg))
    const { code, stderr, lines } = await runLines(named)
    expect([code, lines]).toEqual([2, []])
    expect(stderr).toMatch(message)
  }),
)

test.each([
  ['ids that do not fit', 'cl100k_base', { dtype: 'uint16' }, /--dtype must be uint32/],
  ['a literal that is no special token', 'gpt2', { allowed_special: ['<|x|>'] }, /--allowed-special must be/],
] as const)('%s: a thread’s tokenizer is not opened', async (_, encoding, fields, message) => {
  const tokenizer: RunTokenizer = { card: { type: 'tiktoken', encoding }, encoding }
  const recipe: Recipe = { to: 'bin', documents: 'one', text_column: 'text', tokenizer, ...fields }
  const error = await openTokenizer(recipe).catch((thrown) => thrown)
  expect(fieldsNamed(error.message)).toMatch(message)
})

test('a list of files may have blanks around its paths and between them, within a path, and lines that are blank', () =>
  inFolder(async (folder) => {
    const paths = ['a.txt', 'b c.txt'].map((name) => join(folder, name))
    for (const path of paths) writeFileSync(path, path.slice(-5))
    writeFileSync(join(folder, 'list'), `  ${paths[0]}\t\r\n \n\n\t${paths[1]} \n   `)
    const { code, lines } = await runLines(['--files-from', join(folder, 'list'), join(folder, 'out')])
    expect([code, lines.map(({ input, state }) => [input, state])]).toEqual([
      0,
      paths.map((path) => [path, 'done']),
    ])
    writeFileSync(join(folder, 'list'), ' \n\t\n')
    const none = await runLines(['--files-from', join(folder, 'list'), join(folder, 'out')])
    expect([none.code, none.stderr]).toEqual([2, 'inlet: an input is needed: a file, or - for stdin.\n'])
  }))

test('OUT that is a link to nothing is refused, with what it points to; one to a folder is that folder', () =>
  inFolder(async (folder) => {
    const [input, out] = [join(folder, 'a.txt'), join(folder, 'out')]
    writeFileSync(input, 'Hello')
    symlinkSync('gone', out)
    const { code, stderr, lines } = await runLines([input, out])
    const rule = `inlet run IN… OUT: OUT must be a folder. Given: ${out}, a link to gone, which is not there`
    expect([code, stderr, lines]).toEqual([2, `inlet: ${rule}\n`, []])
    mkdirSync(join(folder, 'gone'))
    expect((await runLines([input, out])).lines).toMatchObject([{ state: 'done', tokens: 1 }])
  }))

const windows = process.platform === 'win32'
test.skipIf(windows)('a FIFO is read to its end, once, whether or not it was an input before', () =>
  inFolder(async (folder) => {
    const [fifo, out] = [join(folder, 'a.txt'), join(folder, 'out')]
    execFileSync('mkfifo', [fifo])
    for (const [text, state, tokens] of [
      ['Hello', 'done', 1],
      ['Hello', 'kept', 1],
      ['Hello, world!', 'done', 4],
    ]) {
      const [{ code, lines }] = await Promise.all([runLines([fifo, out]), appendFile(fifo, String(text))])
      expect([code, lines]).toMatchObject([0, [{ input: fifo, state, tokens }]])
    }
  }),
)

test('a list of files, and shares of it: each worker makes its own', () =>
  inFolder(async (folder) => {
    const paths = Array.from({ length: 5 }, (_, i) => join(folder, `${i}.txt`))
    for (const path of paths) writeFileSync(path, path.slice(-5))
    writeFileSync(join(folder, 'list'), `${paths.toReversed().join('\n')}\n\n`)
    const args = ['--files-from', join(folder, 'list'), join(folder, 'out')]
    const env = { JOB_COMPLETION_INDEX: '1', INLET_SHARDS: '2' }
    const second = await runLines(args, env)
    expect(second.lines.map(({ input }) => input)).toEqual([paths[1], paths[3]])
    expect(second.stderr).toContain('2 of 5 shards')
    expect((await runLines([...args, '--shard', '5/6'], env)).lines).toEqual([])
  }))

test('standard input is a shard of the name stdin', () =>
  inFolder(async (folder) => {
    const out = join(folder, 'out')
    const { lines } = await runLines(['-', out, '--type', 'txt.gz', '--to', 'bin'], {}, gzipSync('Hello'))
    expect(lines).toMatchObject([{ input: '-', state: 'done', tokens: 1 }])
    expect(lines[0]!.output).toMatch(/stdin-\w+\.bin$/)
  }))

test('standard input that comes late, in pieces, is waited for', () =>
  inFolder(async (folder) => {
    const out = join(folder, 'out')
    const running = start(['run', '-', out, '--type', 'txt', '--to', 'bin'])
    await until(() => aside(out).length > 0)
    for (const piece of ['Hello, ', 'world!']) {
      await setTimeout(100) // the thread has looked for bytes, and found none
      running.child.stdin.write(piece)
    }
    running.child.stdin.end()
    const { code, stdout } = await running.ended
    expect([code, JSON.parse(stdout.toString())]).toMatchObject([0, { tokens: 4, bytes: 13 }])
  }))

test('a shard of standard input that fails ends, though more would come', () =>
  inFolder(async (folder) => {
    const running = start(['run', '-', join(folder, 'out'), '--type', 'jsonl'])
    running.child.stdin.write('no JSON\n'.repeat(100_000))
    const { code, stderr } = await running.ended
    expect(code).toBe(3)
    expect(stderr).toMatch(/-: .*JSON/)
  }))

test('SIGINT ends a run whose standard input is silent', () =>
  inFolder(async (folder) => {
    const out = join(folder, 'out')
    const running = start(['run', '-', out, '--type', 'txt', '--to', 'bin'])
    await until(() => aside(out).length > 0)
    running.child.kill('SIGINT')
    expect((await running.ended).code).toBe(130)
    expect(aside(out)).toEqual([])
  }))

test.skipIf(windows)('SIGINT ends a run and a tokenize that wait for the writer of a FIFO', () =>
  inFolder(async (folder) => {
    const [fifo, out] = [join(folder, 'a.txt'), join(folder, 'out')]
    execFileSync('mkfifo', [fifo])
    const running = start(['run', fifo, out, '--to', 'bin'])
    await until(() => aside(out).length > 0)
    running.child.kill('SIGINT')
    expect((await running.ended).code).toBe(130)
    const tokenize = start(['tokenize', fifo])
    const writer = await open(fifo, 'w') // waits until it is open
    tokenize.child.kill('SIGINT')
    expect((await tokenize.ended).code).toBe(130)
    await writer.close()
  }),
)

test('a list of files that comes late is waited for, until a signal', () =>
  inFolder(async (folder) => {
    const [input, out] = [join(folder, 'a.txt'), join(folder, 'out')]
    writeFileSync(input, 'Hello')
    const args = ['run', '--files-from', '-', out]
    const both = [start(args), start(args)] as const
    const moreThanAPipeHolds = Buffer.alloc(1 << 20, '\n') // once it is written, both wait for the rest
    for (const { child } of both)
      await new Promise((resolve) => child.stdin.write(moreThanAPipeHolds, resolve))
    const [late, silent] = both
    late.child.stdin.end(`${input}\n`)
    const { stdout } = await late.ended
    expect(JSON.parse(stdout.toString())).toMatchObject({ input, state: 'done', tokens: 1 })
    silent.child.kill('SIGTERM')
    expect((await silent.ended).code).toBe(143)
  }))

test('the next run removes the files that a killed one left aside', () =>
  inFolder(async (folder) => {
    const [input, out] = [join(folder, 'a.txt'), join(folder, 'out')]
    const running = start(['run', '-', out, '--type', 'txt', '--to', 'bin']) // which never ends
    await until(() => aside(out).length > 0)
    running.child.kill('SIGKILL')
    await running.ended
    expect(aside(out)).toHaveLength(1)
    writeFileSync(input, 'a')
    await runLines([input, out, '--to', 'bin'])
    expect(readdirSync(out).filter((name) => name.startsWith('.'))).toEqual([])
  }))
