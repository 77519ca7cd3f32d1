import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { firstDifference } from '../../src/cli/check.js'
import { hasRustLibrary } from '../first-layer/tokens/rust-library.js'
import { runBuilt } from './run-command.js'
import { run } from './run-here.js'

const FILES = 'test/goldens/tokenizers'

test.skipIf(!hasRustLibrary)(
  'a file’s ids are compared with the Rust library’s, and both speeds',
  async () => {
    const { code, stdout } = await runBuilt(['check', `${FILES}/wordpiece-cased.json`])
    expect(stdout.toString()).toMatch(/^\d+ ids of \d+ bytes of sample\.txt: equal .*\nInlet [\d.]+ MB\/s/)
    expect(code).toBe(0)
    const unigram = await run(['check', `${FILES}/unigram.json`, 'docs/sample.txt'])
    expect(unigram.stdout.toString()).toBe('The Rust library itself encodes this file: model Unigram.\n')
  },
)

test('the first difference is found, also behind the end of one', () => {
  expect(firstDifference([1, 2], [1, 2])).toBeUndefined()
  expect(firstDifference([1, 3], [1, 2])).toBe(1)
  expect(firstDifference([1], [1, 2])).toBe(1)
  expect(firstDifference([1, 2], [1])).toBe(1)
})

test('a tokenizer that is not there is named, with exit code 1; a fourth name is wrong usage', async () => {
  const { code, stderr } = await run(['check', 'nothing.json'])
  expect([code, stderr]).toEqual([1, expect.stringContaining('nothing.json cannot be read')])
  expect((await run(['check', 'a', 'b', 'c', 'd'])).code).toBe(2)
})

test('two tokenizers stand beside each other, with the first line that they cut otherwise', async () => {
  const { stdout, code } = await run(['check', 'gpt2', 'cl100k_base', 'docs/sample.txt'])
  const [head, gpt2, cl100k, , line, ...cuts] = stdout.toString().split('\n')
  expect(head).toMatch(/^ +tokens +bytes a token +vocabulary$/)
  expect(gpt2).toMatch(/^gpt2 +[\d,]+ +\d\.\d{3} +50,257$/)
  expect(cl100k).toMatch(/^cl100k_base +[\d,]+ +\d\.\d{3} +100,277$/)
  expect(line).toMatch(/^Line \d+:$/)
  const [first, second] = cuts.map((cut) => cut.replaceAll('|', '').replace(/(\\n)+$/, ''))
  expect(first).toBe(second)
  expect(cuts[0]).not.toBe(cuts[1])
  expect(code).toBe(0)
  const same = await run(['check', 'r50k_base', 'gpt2', 'docs/sample.txt'])
  expect(same.stdout.toString()).toContain('Both cut the text at the same places.')
})

test('a text that is no UTF-8 is refused, not counted as another one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-check-'))
  await writeFile(join(folder, 'bad.txt'), Buffer.from([0x61, 0xff]))
  const { code, stderr } = await run(['check', 'gpt2', 'cl100k_base', join(folder, 'bad.txt')])
  await rm(folder, { recursive: true })
  expect([code, stderr]).toEqual([1, expect.stringContaining('bad.txt must be UTF-8: byte 1 is not.')])
})

test('a token of several line ends is counted as one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-check-'))
  const text = join(folder, 'lines.txt')
  await writeFile(text, 'a\n\nb\n\n\nc\n')
  const { stdout } = await run(['check', 'cl100k_base', 'gpt2', text])
  const [, cl100k, gpt2, , line] = stdout.toString().split('\n')
  expect([cl100k, gpt2, line]).toEqual([
    expect.stringMatching(/ 6 /),
    expect.stringMatching(/ 8 /),
    'Line 1:',
  ])
  await rm(folder, { recursive: true })
})
