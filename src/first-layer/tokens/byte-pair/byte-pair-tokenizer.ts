import { type AddedToken, type SpecialTemplate, specialTokensOf, type TokenFacts } from '../added-tokens.js'
import type { EncodingName } from '../encodings.js'
import { byAllowed } from '../tokenize.js'
import type { ByteTokenizer, StreamOptions, Trims } from '../tokenizer.js'
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
export interface BytePairSpec extends TextChanges, TokenFacts {
  readonly pattern: PatternTable
  /** The tokens that merging can give, in the order of the merges, single bytes first. */
  readonly merged: MergeOrder
  /** Tokens that no merge gives, each for pieces equal to it; undefined: there are none. */
  readonly whole?: MergeOrder | undefined
  /** The id of each token of `merged`, then of each of `whole`; absent where tokens are ids. */
  readonly ids?: Int32Array
  /** All tokens by id, including added ones and those that no merge gives. */
  readonly vocabulary: Vocabulary
  readonly trims?: Trims | undefined
  /** The ids around a document under `addSpecialTokens`. */
  readonly template: SpecialTemplate
}

const VISIBLE_BLANK = '\u2581'

/** The tokenizer of a model folder, in this thread. */
export async function bytePairTokenizer(
  spec: BytePairSpec,
  pause?: () => Promise<void> | undefined,
  encoding?: EncodingName,
): Promise<ByteTokenizer> {
  const kernel = new BytePairKernel(await tokenizeKernel(spec, pause))
  const { addedTokens, vocabulary } = spec
  const isChanged = spec.addsBlank || spec.normalizes || spec.isSentencePiece
  const isLossless =
    !isChanged && !addedTokens.some((t) => t.lstrip || t.rstrip || !isItsLiteral(vocabulary, t))
  if (spec.normalizes) characterFacts() // some milliseconds, which no text shall wait for
  const isFramed = spec.template.before.length + spec.template.after.length > 0
  const literalsOf = byAllowed(addedTokens, (tokens) => new Literals(tokens))

  const stream: ByteTokenizer['stream'] = ({ allowedSpecial, addSpecialTokens = false, ranges = false }) => {
    const withRanges = ranges && (!isLossless || (addSpecialTokens && isFramed))
    const segments = new Segments(kernel, spec, withRanges ? vocabulary : undefined)
    return new DocumentStream(
      segments,
      literalsOf(allowedSpecial),
      addSpecialTokens ? spec.template : undefined,
    )
  }

  const encodeShort: ByteTokenizer['encodeShort'] = (text, options, ids) => {
    if (needsStream(options) || text.search(literalsOf(options.allowedSpecial).inText) >= 0) return false
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
    vocabSize: vocabulary.offsets.length - 1,
    specialTokens: specialTokensOf(addedTokens),
    ...{ endOfText: spec.endOfText, marks: spec.marks, addedTokens, trims: spec.trims },
    isLossless,
    vocabulary,
    stream,
    encodeShort,
    tokenText: (id) => textOfToken(vocabulary, id),
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
