import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALPHABET } from '../../src/first-layer/tokens/byte-pair/merge-order.js'
import { trainTokenizer } from '../../src/library/train-tokenizer.js'
import { filesIn } from '../run/run-lines.js'
import { SAMPLE, start } from './run-command.js'
import { run } from './run-here.js'

let folder: string
let text: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlet-train-'))
  text = await readFile(SAMPLE, 'utf8')
})

afterAll(() => rm(folder, { recursive: true }))

const train = (...args: string[]) => run(['train-tokenizer', ...args])
const content = async (name: string) =>
  JSON.parse(await readFile(join(folder, name, 'tokenizer.json'), 'utf8'))

describe('a folder is made of files', () => {
  it('with the tokens of the library, whatever the number of threads and the form of the files', async () => {
    const paragraphs = text.split('\n\n')
    await mkdir(join(folder, 'in'))
    const parts = [paragraphs.slice(0, 3), paragraphs.slice(3, 9), paragraphs.slice(9)]
    const lines = (some: readonly string[]) =>
      some.map((part) => `${JSON.stringify({ text: part })}\n`).join('')
    await writeFile(join(folder, 'in/a.jsonl'), lines(parts[0]!))
    await writeFile(join(folder, 'in/b.jsonl.gz'), gzipSync(lines(parts[1]!)))
    await writeFile(join(folder, 'in/c.ndjson'), lines(parts[2]!))
    const options = ['--vocab-size', '500', '--special-tokens', '<s>,</s>', '--format', 'tiktoken']
    const { code, stderr } = await train(
      `${folder}/in/`,
      ...options,
      '--threads',
      '3',
      '-o',
      join(folder, 'three'),
    )
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/three\/tokenizer\.json: 500 tokens of [\d.]+ kB in /),
    ])
    await train(
      ...['a.jsonl', 'b.jsonl.gz', 'c.ndjson'].map((name) => join(folder, 'in', name)),
      ...options,
      '--threads',
      '1',
      '-o',
      join(folder, 'one'),
    )
    expect(filesIn(join(folder, 'one'))).toEqual(filesIn(join(folder, 'three')))
    const { tokenizer } = await trainTokenizer(paragraphs, {
      vocab_size: 500,
      special_tokens: ['<s>', '</s>'],
    })
    expect(await content('one')).toEqual(tokenizer)
    expect(JSON.parse(await readFile(join(folder, 'one/tokenizer_config.json'), 'utf8'))).toMatchObject({
      eos_token: '<s>',
    })
    const ranks = (await readFile(join(folder, 'one/tokenizer.tiktoken'), 'utf8')).trim().split('\n')
    expect(ranks).toHaveLength(498)
    expect(ranks[0]).toBe('IQ== 2')
    const sha256 = createHash('sha256')
      .update(await readFile(join(folder, 'in/b.jsonl.gz')))
      .digest('hex')
    expect(await readFile(join(folder, 'one/README.md'), 'utf8')).toContain(sha256)
  })

  it.each(['gpt4', 'none'])('that inlet tokenize reads, pattern %s', async (pattern) => {
    const made = `read-${pattern}`
    await train(SAMPLE, '--vocab-size', '400', '--pattern', pattern, '-o', join(folder, made))
    const { stdout } = await run(['tokenize', SAMPLE, '--model', join(folder, made), '--json'])
    const ids: number[] = JSON.parse(stdout.toString())
    const { vocab } = (await content(made)).model
    const tokens = new Map(Object.entries(vocab).map(([token, id]) => [id, token]))
    expect(Math.max(...ids)).toBeGreaterThan(300)
    const bytes = ids.flatMap((id) => [...tokens.get(id)!].map((character) => ALPHABET.indexOf(character)))
    expect(Buffer.from(bytes).toString()).toBe(text)
  })

  it('that says so if the text has no more pairs', async () => {
    await writeFile(join(folder, 'short.txt'), 'abab')
    const { code, stderr } = await train(
      join(folder, 'short.txt'),
      '--vocab-size',
      '1000',
      '-o',
      join(folder, 'short'),
    )
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('259 of 1,000 tokens: the text has no more pairs'),
    ])
  })

  it('of an empty file too: its tokens are the bytes', async () => {
    await writeFile(join(folder, 'empty.txt'), '')
    expect(
      (await train(join(folder, 'empty.txt'), '--vocab-size', '300', '-o', join(folder, 'empty'))).code,
    ).toBe(0)
    expect((await content('empty')).model.merges).toEqual([])
  })
})

describe('nothing is written', () => {
  it.each([
    [
      ['--vocab-size', '256'],
      /--vocab-size must be at least 257: 256 bytes and the special tokens. Given: 256/,
    ],
    [['--vocab-size', 'many'], /--vocab-size must be an integer .* Given: "?many/],
    [['--vocab-size', '300', '--pattern', 'gpt5'], /--pattern must be gpt2, gpt4, .* Given: "gpt5"/],
    [['--vocab-size', '300', '--pattern', '(a'], /--pattern must be a regular expression .* Given: "\(a"/],
    [
      ['--vocab-size', '300', '--format', 'gguf'],
      /--format must be one of tokenizer.json, tiktoken. Given: gguf/,
    ],
    [[], /--vocab-size must be an integer .* Given: nothing/],
  ])('for %j: %s', async (flags, message) => {
    const { code, stderr } = await train(SAMPLE, ...flags, '-o', join(folder, 'refused'))
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
    await expect(readdir(join(folder, 'refused'))).rejects.toThrow()
  })

  it('into a folder that holds files, or for a text that is not UTF-8', async () => {
    await mkdir(join(folder, 'full'))
    await copyFile(SAMPLE, join(folder, 'full/mine.txt'))
    const { code, stderr } = await train(SAMPLE, '--vocab-size', '300', '-o', join(folder, 'full'))
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('must be a folder that is empty or not there'),
    ])
    await writeFile(join(folder, 'bad.txt'), Buffer.from([0x61, 0xff]))
    for (const threads of ['1', '2']) {
      const inputs = [SAMPLE, join(folder, 'bad.txt')]
      const bad = await train(
        ...inputs,
        '--vocab-size',
        '300',
        '--threads',
        threads,
        '-o',
        join(folder, 'bad'),
      )
      expect([bad.code, bad.stderr]).toEqual([
        1,
        expect.stringMatching(/bad\.txt: .*byte 1 of the body is not/),
      ])
    }
    expect((await readdir(folder)).filter((name) => name === 'bad' || name.startsWith('.'))).toEqual([])
  })

  it('after SIGINT, which ends it with 130', async () => {
    const out = join(folder, 'stopped')
    const { child, ended } = start([
      'train-tokenizer',
      '-',
      '--type',
      'txt',
      '--vocab-size',
      '300',
      '-o',
      out,
    ])
    // It is at work once the pipe, which holds less than this, is empty.
    child.stdin.write('x '.repeat(1 << 18), () => child.kill('SIGINT'))
    expect((await ended).code).toBe(130)
    expect((await readdir(folder)).filter((name) => name === 'stopped' || name.startsWith('.'))).toEqual([])
  })
})

it('examples/first-merges.mjs prints the same merges', async () => {
  const { stdout } = spawnSync(process.execPath, ['examples/first-merges.mjs', SAMPLE, '200'], {
    encoding: 'utf8',
  })
  const { tokenizer } = await trainTokenizer([text], { vocab_size: 457 })
  const { merges } = tokenizer.model as { merges: [string, string][] }
  expect(stdout.trim().split('\n')).toEqual(merges.map((pair) => pair.join(' ')))
  const page = await readFile('docs/train-tokenizer.md', 'utf8')
  expect(page).toContain(`\`\`\`text\n${stdout.split('\n').slice(0, 5).join('\n')}\n\`\`\`\n`)
})

describe('of all inputs, or none', () => {
  it('takes each of them, whatever share of a job the environment names', async () => {
    const inputs = ['a', 'b'].map((name) => join(folder, `${name}.txt`))
    for (const path of inputs) await writeFile(path, `text of ${path}`)
    const out = join(folder, 'shares')
    const { code } = await run(['train-tokenizer', ...inputs, '--vocab-size', '260', '-o', out], {
      INLET_SHARD: '0/2',
    })
    expect(code).toBe(0)
    const readme = await readFile(join(out, 'README.md'), 'utf8')
    for (const path of inputs) expect(readme).toContain(path)
  })

  it('refuses a file as the folder, and ids in place of texts', async () => {
    await writeFile(join(folder, 'file'), '')
    const { code, stderr } = await train(SAMPLE, '--vocab-size', '300', '-o', join(folder, 'file'))
    expect([code, stderr]).toEqual([2, expect.stringContaining('with ENOTDIR')])
    const below = await train(join(folder, 'none.txt'), '--vocab-size', '300', '-o', join(folder, 'file/a/b'))
    expect([below.code, below.stderr]).toEqual([2, expect.stringMatching(/file\/a\/b, with ENOTDIR/)])
    await writeFile(join(folder, 'ids.jsonl'), '{"input_ids":[1,2]}\n')
    const ids = await train(join(folder, 'ids.jsonl'), '--vocab-size', '300', '-o', join(folder, 'ids'))
    expect([ids.code, ids.stderr]).toEqual([
      1,
      expect.stringContaining('`input_ids` must not be given: a text is needed'),
    ])
  })
})

it('a dataset of a trained tokenizer is padded with its end of text', async () => {
  const out = join(folder, 'ends')
  await train(SAMPLE, '--vocab-size', '300', '--special-tokens', '<|endoftext|>', '-o', out)
  const datasets = join(folder, 'padded')
  expect((await run(['run', SAMPLE, datasets, '--model', out, '--threads', '1'])).code).toBe(0)
  const [id] = await readdir(join(datasets, 'datasets'))
  const card = JSON.parse(await readFile(join(datasets, 'datasets', id!, 'dataset.json'), 'utf8'))
  const { added_tokens } = await content('ends')
  expect(card.pad_token_id).toBe(added_tokens[0].id)
})
