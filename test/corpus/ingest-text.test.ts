import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { type DocumentFrame, MOST_IDS } from '../../src/corpus/document-writer.js'
import { ingestText, type TextUpload } from '../../src/corpus/ingest-text.js'
import { bytePairTokenizer } from '../../src/first-layer/tokens/byte-pair/byte-pair-tokenizer.js'
import { loadEncoding } from '../../src/first-layer/tokens/encoding.js'
import type { Tokenizer } from '../../src/first-layer/tokens/tokenizer.js'
import { readTokenizerFiles } from '../../src/first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import { wordPieceTokenizer } from '../../src/first-layer/tokens/wordpiece/wordpiece-tokenizer.js'
import { tokenizerFile } from '../first-layer/tokens/rust-library.js'
import { tokenizerTexts } from '../first-layer/tokens/tokenizer-texts.js'
import { checkProperty } from '../property.js'
import { alone, Collected, Counted, cut, intake, Pauses, sizes } from './collected.js'

const KINDS = [
  'gpt2',
  'o200k_base',
  'roberta',
  'qwen2',
  'llama3',
  'wordpiece-uncased',
  'wordpiece-added',
] as const
const END = '<|endoftext|>'

const tokenizers = new Map<string, Tokenizer>()
let gpt2: Tokenizer
beforeAll(async () => {
  for (const kind of KINDS) tokenizers.set(kind, await tokenizerOf(kind))
  gpt2 = tokenizers.get('gpt2')!
})

async function tokenizerOf(kind: (typeof KINDS)[number]): Promise<Tokenizer> {
  if (kind === 'gpt2' || kind === 'o200k_base') return loadEncoding(kind)
  const file = readTokenizerFiles({ tokenizer: tokenizerFile(kind) })
  if (file.kind === 'wordpiece') return wordPieceTokenizer(file.spec)
  if (file.kind === 'byte_pair') return bytePairTokenizer(file.spec)
  throw new Error(`not for us: ${file.kind}`)
}

function upload(
  documents: TextUpload['documents'],
  more: Partial<TextUpload & DocumentFrame> = {},
): TextUpload & DocumentFrame {
  return { tokenizer: gpt2, allowedSpecial: new Set([END]), documents, ...more }
}

/** The contract: lines end with `\n` or `\r\n`, empty ones are none. */
function linesOf(text: string): string[] {
  const lines = text.split('\n')
  const last = lines.pop()!
  return [...lines.map((line) => line.replace(/\r$/, '')), last].filter((line) => line !== '')
}

async function linesOfText(
  text: string,
  more: Partial<TextUpload & DocumentFrame> = {},
  at?: readonly number[],
) {
  const sink = new Collected()
  const facts = await intake(ingestText, cut(text, at), upload('lines', more), sink)
  return { ...facts, documents: sink.documents }
}

describe('documents of a text', () => {
  const line = fc.oneof(
    { weight: 6, arbitrary: tokenizerTexts },
    fc.constantFrom(
      '',
      '',
      '\r',
      'a\rb',
      'a\r',
      END,
      `x ${END}y`,
      '<|endo',
      ' ',
      'a'.repeat(5400),
      'b '.repeat(6000),
    ),
  )
  const body = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\n\n')), { maxLength: 8 })
    .map((lines) => lines.flat().join(''))

  test.each(KINDS)('%s: are those of each line by itself, however the body is cut', async (kind) => {
    const tokenizer = tokenizers.get(kind)!
    const sets = [new Set(tokenizer.specialTokens.keys()), new Set<string>()]
    await checkProperty(
      fc.asyncProperty(
        body,
        sizes,
        fc.constantFrom(...sets),
        fc.boolean(),
        async (text, at, allowedSpecial, isSlow) => {
          const sink = new Collected(isSlow)
          const settings = { tokenizer, allowedSpecial }
          const lines = linesOf(text)
          const work = intake(ingestText, cut(text, at), upload('lines', settings), sink)
          if (lines.length === 0) {
            await expect(work).rejects.toMatchObject({ code: 'empty_input' })
            return
          }
          const { numCharacters } = await work
          const expected = await Promise.all(lines.map((each) => alone(tokenizer, each, allowedSpecial)))
          expect(sink.documents).toEqual(expected.map(({ ids }) => ids))
          expect(numCharacters).toBe(expected.reduce((sum, { characters }) => sum + characters, 0))
        },
      ),
      12,
    )
  })

  test.each(KINDS)('%s: of many lines, short and long, each with its end', async (kind) => {
    const tokenizer = tokenizers.get(kind)!
    const allowedSpecial = new Set(tokenizer.specialTokens.keys())
    const special = [...allowedSpecial][0]!
    const slow = 'ab'.repeat(2500) // as many tries as a call of the kernel makes
    const lines = Array.from({ length: 4500 }, (_, i) =>
      i % 1000 === 7 ? `${special}é` : i % 900 === 8 ? slow : i % 2000 === 9 ? 'x y '.repeat(9000) : `${i} é`,
    )
    const sink = new Collected(true)
    const settings = { tokenizer, allowedSpecial, documentEnd: 3 }
    const { numCharacters } = await intake(ingestText, cut(lines.join('\n')), upload('lines', settings), sink)
    const expected = await Promise.all(lines.map((each) => alone(tokenizer, each, allowedSpecial)))
    expect(sink.documents).toEqual(expected.map(({ ids }) => [...ids, 3]))
    expect(numCharacters).toBe(lines.reduce((sum, each) => sum + [...each].length, 0))
    expect(sink.longest).toBeLessThanOrEqual(MOST_IDS)
  })

  test.each(KINDS)('%s: one document is the whole text', async (kind) => {
    const tokenizer = tokenizers.get(kind)!
    const allowedSpecial = new Set(tokenizer.specialTokens.keys())
    await checkProperty(
      fc.asyncProperty(body, sizes, fc.boolean(), async (text, at, isSlow) => {
        if (text === '') return
        const sink = new Collected(isSlow)
        const facts = await intake(
          ingestText,
          cut(text, at),
          upload('one', { tokenizer, allowedSpecial }),
          sink,
        )
        const expected = await alone(tokenizer, text, allowedSpecial)
        expect(sink.documents).toEqual([expected.ids])
        expect(facts.numCharacters).toBe(expected.characters)
      }),
      12,
    )
  })

  test('lines are cut at \\n and \\r\\n, and need no end; a lone \\r is text', async () => {
    const decoded = async (text: string) =>
      (await linesOfText(text)).documents.map((ids) => ids.map((id) => gpt2.tokenText(id)).join(''))
    expect(await decoded('a\n\nb\r\n\r\nc\rd\n\r\r\ne\r')).toEqual(['a', 'b', 'c\rd', '\r', 'e\r'])
    expect(await decoded('\n\n \n')).toEqual([' '])
  })

  test('get an id appended each', async () => {
    const { documents } = await linesOfText('a\n\nb', { documentEnd: 50_256 })
    expect(documents).toEqual([
      [64, 50_256],
      [65, 50_256],
    ])
    const sink = new Collected()
    await intake(ingestText, cut('a\nb'), upload('one', { documentEnd: 0 }), sink)
    expect(sink.documents).toEqual([[64, 198, 65, 0]])
  })
})

describe('a text is refused', () => {
  test.each(['one', 'lines'] as const)('where it is empty, or no UTF-8: %s', async (documents) => {
    const of = (body: Buffer, at?: number[]) =>
      intake(ingestText, cut(body, at), upload(documents), new Collected())
    await expect(of(Buffer.alloc(0))).rejects.toMatchObject({ code: 'empty_input', param: 'text' })
    const wrong = Buffer.concat([Buffer.from('aé\nb'), Buffer.of(0xc3), Buffer.from('\nc')])
    for (const at of [[1], [2], [5], [100]])
      await expect(of(wrong, at)).rejects.toMatchObject({
        code: 'invalid_unicode',
        message: expect.stringMatching(/byte 5 of the body/),
      })
    await expect(of(wrong.subarray(0, 6), [3])).rejects.toMatchObject({ code: 'invalid_unicode' })
  })

  test('where it has only empty lines', async () => {
    await expect(linesOfText('\n\r\n\n')).rejects.toMatchObject({ code: 'empty_input', param: 'text' })
  })

  test('where a line is too long for a tokenizer that must hold it, by its number', async () => {
    const { encodeShort: _, ...rest } = gpt2
    const tokenizer = { ...rest, maxTextBytes: 9 } as Tokenizer
    const text = `one\n\nthree\n${'x'.repeat(10)}\nfive`
    for (const at of [[3], [100]]) {
      await expect(linesOfText(text, { tokenizer }, at)).rejects.toMatchObject({
        code: 'body_too_large',
        message: expect.stringMatching(/^Line 4: `text` must be at most 9 bytes/),
        param: 'text',
      })
    }
    const long = `${'y'.repeat(9)}\n${'x'.repeat(9000)}`
    await expect(linesOfText(long, { tokenizer }, [100])).rejects.toMatchObject({
      message: expect.stringMatching(/^Line 2: /),
    })
  })

  test('by the sink, with the sink’s own error', async () => {
    const full = Object.assign(new Error('full'), { code: 'insufficient_storage' })
    const sink = { write: () => Promise.reject(full) }
    for (const documents of ['one', 'lines'] as const)
      await expect(intake(ingestText, cut('a\nb'), upload(documents), sink)).rejects.toBe(full)
  })
})

describe('a text of any length', () => {
  const MEGABYTE = 1 << 20
  const BODIES = {
    'one line': 'some words and more of them '.repeat(MEGABYTE / 7),
    'short lines': 'a\n'.repeat(MEGABYTE),
    'empty lines': `a${'\n'.repeat(3 * MEGABYTE)}`,
    'blank lines': '        \n'.repeat(MEGABYTE / 4),
    'lines of a kilobyte': `${'x1 '.repeat(333)}\r\n`.repeat(3000),
  }

  test.each(Object.entries(BODIES))('holds little, pauses, and ends with its caller: %s', async (_, body) => {
    for (const documents of ['one', 'lines'] as const) {
      if (body === BODIES['one line'] && documents === 'lines') continue // a line is held
      const [pauses, sink] = [new Pauses(), new Counted()]
      await intake(ingestText, cut(body), upload(documents), sink, pauses.pace)
      expect(pauses.count).toBeGreaterThan(5)
      expect(pauses.most).toBeLessThan(2 * MEGABYTE)
      expect(sink.documents).toBeGreaterThan(0)
      const gone = intake(ingestText, cut(body), upload(documents), sink, Pauses.nobodyWaits)
      await expect(gone).rejects.toThrow('nobody waits')
    }
  })

  test('goes to the sink in pieces', async () => {
    const sink = new Collected(true)
    await intake(ingestText, cut('word '.repeat(100_000)), upload('one'), sink)
    expect(sink.documents.map(({ length }) => length)).toEqual([100_001])
    expect(sink.longest).toBeLessThanOrEqual(65_536)
  })
})
