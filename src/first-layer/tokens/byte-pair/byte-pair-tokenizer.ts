import type { AddedToken, SpecialTemplate } from '../added-tokens.js'
import type { EncodingName } from '../encodings.js'
import { allowedLiterals } from '../tokenize.js'
import type { ByteTokenizer, DocumentMarks, StreamOptions, Trims } from '../tokenizer.js'
import { bytesOfToken, type MergeOrder, textOfToken, type Vocabulary } from '../vocabulary.js'
import { characterFacts } from '../wordpiece/unicode/character-facts.js'
import { BytePairKernel } from './byte-pair-kernel.js'
import { DocumentStream } from './document-stream.js'
import { tokenizeKernel } from './kernel-tables.js'
import { Literals } from './literals.js'
import { normalForm } from './normal-form.js'
import type { PatternTable } from './pattern-table.js'
import { Segments, type TextChanges } from './segments.js'

/** A byte-level BPE from tokenizer.json, as plain data that can be posted to a thread. */
export interface BytePairSpec extends TextChanges {
  readonly pattern: PatternTable
  /** The tokens that merging can give, in the order of the merges, single bytes first. */
  readonly merged: MergeOrder
  /** Tokens that no merge gives, each for pieces equal to it; undefined: there are none. */
  readonly whole?: MergeOrder | undefined
  /** The id of each token of `merged`, then of each of `whole`; absent where tokens are ids. */
  readonly ids?: Int32Array
  /** All tokens by id, including added ones and those that no merge gives. */
  readonly vocabulary: MergeOrder
  readonly addedTokens: readonly AddedToken[]
  readonly trims?: Trims | undefined
  /** The ids around a document under `addSpecialTokens`. */
  readonly template: SpecialTemplate
  readonly endOfText: number | undefined
  readonly marks?: DocumentMarks | undefined
}

const VISIBLE_BLANK = '\u2581'

/** The tokenizer of a model folder, in this thread. */
export async function bytePairTokenizer(
  spec: BytePairSpec,
  pause?: () => Promise<void> | undefined,
  encoding?: EncodingName,
): Promise<ByteTokenizer> {
  const kernel = new BytePairKernel(await tokenizeKernel(spec, pause))
  const { addedTokens, vocabulary: tokens } = spec
  const specialTokens = new Map(addedTokens.filter((t) => t.special).map((t) => [t.content, t.id]))
  const vocabulary: Vocabulary = { ...tokens, size: tokens.offsets.length - 1, specialTokens }
  const isChanged = spec.addsBlank || spec.normalizes || spec.isSentencePiece
  const isLossless =
    !isChanged && !addedTokens.some((t) => t.lstrip || t.rstrip || !isItsLiteral(vocabulary, t))
  if (spec.normalizes) characterFacts() // some milliseconds, which no text shall wait for
  const isFramed = spec.template.before.length + spec.template.after.length > 0
  const literalsOf = literalsBy(spec, specialTokens)

  const stream: ByteTokenizer['stream'] = ({ allowedSpecial, addSpecialTokens = false, ranges = false }) => {
    const withRanges = ranges && (!isLossless || (addSpecialTokens && isFramed))
    const segments = new Segments(kernel, spec, withRanges ? vocabulary : undefined)
    return new DocumentStream(
      segments,
      literalsOf(allowedSpecial).literals,
      addSpecialTokens ? spec.template : undefined,
    )
  }

  const encodeShort: ByteTokenizer['encodeShort'] = (text, options, ids) => {
    if (needsStream(options) || literalsOf(options.allowedSpecial).expression?.test(text)) return false
    const plain = spec.isSentencePiece ? text.replaceAll(VISIBLE_BLANK, ' ') : text
    const addsBlank = spec.addsBlank && text !== '' && (spec.addsBlank === 'always' || plain[0] !== ' ')
    const given = spec.normalizes ? normalForm(text) : addsBlank ? ` ${plain}` : plain
    if (!kernel.encodeShort(given, ids)) return false
    if (given !== text) ids.characters += charactersOf(text) - charactersOf(given)
    return true
  }
  const needsStream = ({ addSpecialTokens, ranges }: StreamOptions) =>
    (addSpecialTokens && isFramed) || (ranges && !isLossless)

  return {
    encoding,
    vocabSize: vocabulary.size,
    specialTokens,
    ...{ endOfText: spec.endOfText, marks: spec.marks, addedTokens, trims: spec.trims },
    isLossless,
    vocabulary,
    stream,
    encodeShort,
    tokenText: (id) => textOfToken(vocabulary, id),
  }
}

/** The literals that count under each set of allowed special tokens; sets come again, so what is made of them is kept. */
function literalsBy({ addedTokens }: BytePairSpec, specialTokens: ReadonlyMap<string, number>) {
  const known = new WeakMap<ReadonlySet<string>, { literals: Literals; expression: RegExp | undefined }>()
  return (allowed: ReadonlySet<string>) => {
    const found = known.get(allowed)
    if (found !== undefined) return found
    allowedLiterals(specialTokens, allowed)
    const tokens = addedTokens.filter((t) => !t.special || allowed.has(t.content))
    const escaped = tokens.map(({ content }) => content.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    const made = {
      literals: new Literals(tokens),
      expression: tokens.length > 0 ? new RegExp(escaped.join('|')) : undefined,
    }
    known.set(allowed, made)
    return made
  }
}

/** Whether the token's bytes are those that it stands for in a text. */
function isItsLiteral(vocabulary: Vocabulary, { id, content }: AddedToken): boolean {
  return bytesOfToken(vocabulary, id)?.join() === Buffer.from(content).join()
}

/** Code points of a text. */
function charactersOf(text: string): number {
  let characters = 0
  for (const _ of text) characters++
  return characters
}
