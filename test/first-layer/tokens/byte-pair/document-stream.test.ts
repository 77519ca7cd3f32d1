import { describe, expect, test } from 'vitest'
import type { AddedToken } from '../../../../src/first-layer/tokens/added-tokens.js'
import { specialToken } from '../../../../src/first-layer/tokens/added-tokens.js'
import { DocumentStream } from '../../../../src/first-layer/tokens/byte-pair/document-stream.js'
import { Literals } from '../../../../src/first-layer/tokens/byte-pair/literals.js'
import { TokenBuffer } from '../../../../src/first-layer/tokens/token-buffer.js'

const KIB = 1024

/** Notes the texts between literals, and each literal's bytes in the document. */
class Noted {
  readonly mostBytes = 16 * KIB
  readonly parts: string[] = []
  #text = ''
  bytes = 0

  run(utf8: Uint8Array, _start: number, isEnd: boolean): boolean {
    this.#text += Buffer.from(utf8).toString('latin1')
    this.bytes += utf8.length
    if (isEnd) {
      this.parts.push(Buffer.from(this.#text, 'latin1').toString())
      this.#text = ''
    }
    return false
  }

  leave(): void {}

  add(id: number, start: number, end: number): void {
    this.parts.push(`#${id} ${start} ${end}`)
  }
}

const stripping = (content: string, id: number, more: Partial<AddedToken>): AddedToken => ({
  ...specialToken(content, id),
  ...more,
})

function streamOf(tokens: readonly AddedToken[]): { stream: DocumentStream; noted: Noted; ids: TokenBuffer } {
  const noted = new Noted()
  return { stream: new DocumentStream(noted, new Literals(tokens)), noted, ids: new TokenBuffer() }
}

/** Writes a text in pieces of `cut` bytes; returns the noted parts and the counted characters. */
function partsOf(tokens: readonly AddedToken[], text: string, cut: number): [string[], number] {
  const { stream, noted, ids } = streamOf(tokens)
  const utf8 = Buffer.from(text)
  for (let start = 0; start < utf8.length; start += cut) {
    stream.write(utf8.subarray(start, start + cut))
    for (let steps = 0; stream.advance(ids); steps++) expect(steps).toBeLessThan(1000)
  }
  stream.end()
  while (stream.advance(ids));
  return [noted.parts, ids.characters]
}

describe('literals and the whitespace that they take along, in any cut', () => {
  const tokens = [
    specialToken('<a>', 1),
    specialToken('<ab>', 2),
    stripping('<l>', 3, { lstrip: true }),
    stripping('▁r', 4, { rstrip: true }),
    stripping('<lr>', 5, { lstrip: true, rstrip: true }),
  ]
  test.each<[string, string[]]>([
    ['x<a>y', ['x', '#1 1 4', 'y']],
    ['<ab><a', ['', '#2 0 4', '<a']],
    ['x \u3000\u00a0 <l> y', ['x', '#3 1 11', ' y']],
    ['x  <a> <l>', ['x  ', '#1 3 6', '', '#3 6 10', '']],
    ['é▁r \u3000 \n\u0085z', ['é', '#4 2 14', 'z']],
    [' <lr> \u2003<lr> <l>  ', ['', '#5 0 9', '', '#5 9 14', '', '#3 14 17', '  ']],
    ['日本\u3000\u3000語', ['日本\u3000\u3000語']],
    ['x  ', ['x  ']],
    ['▁r  ', ['', '#4 0 6', '']],
  ])('%j', (text, parts) => {
    const utf8 = Buffer.byteLength(text)
    for (let cut = 1; cut <= utf8; cut++) {
      const [found, characters] = partsOf(tokens, text, cut)
      expect(found, `cut each ${cut}`).toEqual(parts)
      if (!text.includes('<') && !text.includes('▁')) continue
      // The segments count the characters that they get.
      const ordinary = parts.filter((part) => !part.startsWith('#')).join('')
      expect(characters + [...ordinary].length, `cut each ${cut}`).toBe([...text].length)
    }
  })
})

describe('a step does a bounded amount of work', () => {
  test('in the whitespace behind a literal', () => {
    const { stream, ids } = streamOf([stripping('<s>', 1, { lstrip: true, rstrip: true })])
    stream.write(Buffer.from(`<s>${' \u3000'.repeat(64 * KIB)}`))
    stream.advance(ids)
    expect(ids.characters).toBeLessThan(20 * KIB)
    let steps = 0
    while (stream.advance(ids)) steps++
    expect(steps).toBeGreaterThan(3)
  })

  test('a literal of any length is found in a text of its beginnings', () => {
    const long = `${'▁'.repeat(50_000)}x`
    const { stream, noted, ids } = streamOf([stripping(long, 1, { lstrip: true })])
    stream.write(Buffer.from('▁▁'))
    stream.write(Buffer.from(long))
    stream.end()
    while (stream.advance(ids));
    expect(noted.parts).toEqual(['▁▁', `#1 6 ${6 + Buffer.byteLength(long)}`, ''])
  })
})

test('heldBytes counts the whitespace that a literal may take along', () => {
  const { stream, noted, ids } = streamOf([stripping('<s>', 1, { lstrip: true })])
  for (let i = 0; i < 8; i++) {
    stream.write(Buffer.from(' '.repeat(64 * KIB)))
    while (stream.advance(ids));
  }
  expect(stream.heldBytes).toBe(512 * KIB)
  stream.write(Buffer.from('x'.repeat(64 * KIB)))
  while (stream.advance(ids));
  expect(stream.heldBytes).toBeLessThan(4)
  expect(noted.bytes).toBeGreaterThan(575 * KIB)
})

describe('bytes that the caller uses again', () => {
  const text = 'one <s> two <s>é</s> <three 中 <s'.repeat(40)

  test.each([1, 2, 5, 64, 300])('may change once they are worked on, %i at a time', (cut) => {
    const tokens = [specialToken('<s>', 1), specialToken('</s>', 2)]
    const { stream, noted, ids } = streamOf(tokens)
    const utf8 = Buffer.from(text)
    const lent = Buffer.alloc(cut)
    for (let start = 0; start < utf8.length; start += cut) {
      const size = utf8.copy(lent, 0, start)
      stream.write(lent.subarray(0, size))
      while (stream.advance(ids));
      lent.fill('<')
    }
    stream.end()
    while (stream.advance(ids));
    expect([noted.parts, ids.characters]).toEqual(partsOf(tokens, text, utf8.length))
  })

  test('are all taken where no literal begins at their end', () => {
    const { stream, ids } = streamOf([specialToken('<|endoftext|>', 1)])
    stream.write(Buffer.from('hello world'))
    while (stream.advance(ids));
    expect(stream.heldBytes).toBe(0)
    stream.write(Buffer.from(' <|end'))
    while (stream.advance(ids));
    expect(stream.heldBytes).toBe(5)
  })
})
