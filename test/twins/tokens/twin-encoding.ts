import { loadEncoding } from '../../../src/first-layer/tokens/encoding.js'
import {
  ENCODINGS,
  type EncodingName,
  PATTERNS,
  type PatternName,
} from '../../../src/first-layer/tokens/encodings.js'
import { propertyOf, whiteSpace } from '../../../src/first-layer/tokens/unicode/code-points.js'
import { Merges } from './merges.js'

const LONG_PIECE = 32 // bytes from which looking at all pairs each time takes longer

/**
 * The readable encoder: special tokens are cut out of the text, the pattern cuts the rest into pieces, and the bytes of
 * each piece are merged.
 */
export async function loadTwin(name: EncodingName) {
  const { vocabulary, specialTokens } = await loadEncoding(name)
  const merges = new Merges(vocabulary, specialTokens)
  return (text: string, allowed: ReadonlySet<string>): Uint32Array => {
    const literals = [...allowed].map((literal) => literal.replace(/[|]/g, '\\$&'))
    const parts = literals.length === 0 ? [text] : text.split(new RegExp(`(${literals.join('|')})`))
    return Uint32Array.from(
      parts.flatMap((part, i) => {
        if (i % 2 === 1) return [specialTokens.get(part)!]
        return piecesOf(ENCODINGS[name].pattern, part).flatMap((piece) => {
          const bytes = Buffer.from(piece)
          return bytes.length < LONG_PIECE ? merges.mergeAll(bytes) : merges.mergeLong(bytes)
        })
      }),
    )
  }
}

const expressions = new Map<PatternName, RegExp>()

/** The pieces of a text: `gpt2`, `it's me` → `it`, `'s`, ` me`. */
function piecesOf(name: PatternName, text: string): string[] {
  const expression = expressions.get(name) ?? expressionOf(PATTERNS[name])
  expressions.set(name, expression)
  return text.match(expression) ?? []
}

/** Oniguruma's pattern in JavaScript, whose classes are those of Unicode 16, whatever Unicode this Node has. */
function expressionOf(pattern: string): RegExp {
  const written = pattern.replace(/\[[^\]]*\]|\\p\{\w+\}|\\[sSz]|\(\?i:[^)]*\)|\?\+/g, (part) => {
    if (part === '?+') return '?' // none of what follows can be what is given back
    if (part === '\\z') return '$'
    if (part === '\\S') return `[^${rangesOf('s')}]`
    if (part.startsWith('(')) return part.replace('?i:', '?:').replace(/\[[a-z]+\]|[a-z]/g, inAnyCase)
    const ranges = part.replace(/\\(?:p\{(\w+)\}|s)/g, (_, property = 's') => rangesOf(property))
    return part.startsWith('[') ? ranges : `[${ranges}]`
  })
  return new RegExp(written, 'gu')
}

function inAnyCase(given: string): string {
  const letters = given.replace(/[[\]]/g, '')
  return `[${letters}${letters.toUpperCase()}${letters.includes('s') ? 'ſ' : ''}]`
}

/** The code points of a property of Unicode 16, or of whitespace for `s`, as a class of a RegExp has them. */
function rangesOf(property: string): string {
  const set = property === 's' ? whiteSpace() : propertyOf(property)!
  const hex = (codePoint: number) => `\\u{${codePoint.toString(16)}}`
  const starts = set.filter((_, i) => i % 2 === 0)
  return starts.map((start, i) => `${hex(start)}-${hex((set[2 * i + 1] ?? 0x110000) - 1)}`).join('')
}
