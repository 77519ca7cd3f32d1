import { InletError, shown } from '../errors.js'
import type { StreamOptions, Tokenizer } from './tokenizer.js'

/** All special tokens of each tokenizer: one set, so that a tokenizer can keep what it makes of it. */
const all = new WeakMap<Tokenizer, ReadonlySet<string>>()

const NONE: ReadonlySet<string> = new Set()

/** The special token that an encoding allows by default: the course's own. */
const END_OF_TEXT = '<|endoftext|>'

/**
 * The literals that become special tokens: all of the tokenizer's, or the given ones. Nothing given: `<|endoftext|>` for
 * an encoding, all for a model folder's tokenizer, as the libraries for each do.
 *
 * @throws InletError `invalid_request` for a literal that the tokenizer does not have
 */
export function allowedSpecialSet(
  tokenizer: Tokenizer,
  given: 'all' | readonly string[] | undefined,
): ReadonlySet<string> {
  if (tokenizer.unavailable !== undefined) return NONE // the text is refused anyway
  const known = tokenizer.specialTokens
  if (given === 'all' || (given === undefined && tokenizer.encoding === undefined)) return allOf(tokenizer)
  if (given === undefined) return new Set([END_OF_TEXT])
  const unknown = given.findIndex((literal) => !known.has(literal))
  if (unknown < 0) return new Set(given)
  const param = `allowed_special.${unknown}`
  const message = `\`${param}\` must be one of ${[...known.keys()].join(', ')}. Given: ${shown(given[unknown])}`
  throw new InletError('invalid_request', message, param)
}

function allOf(tokenizer: Tokenizer): ReadonlySet<string> {
  let set = all.get(tokenizer)
  if (set === undefined) {
    set = new Set(tokenizer.specialTokens.keys())
    all.set(tokenizer, set)
  }
  return set
}

/**
 * The allowed special tokens with their ids.
 *
 * @throws RangeError for a literal that is no special token
 */
export function allowedLiterals(
  specialTokens: ReadonlyMap<string, number>,
  allowed: ReadonlySet<string>,
): { literal: string; id: number }[] {
  return [...allowed].map((literal) => {
    const id = specialTokens.get(literal)
    if (id === undefined)
      throw new RangeError(`${JSON.stringify(literal)} is no special token of this tokenizer`)
    return { literal, id }
  })
}

/** The fields of a request that decide how its text becomes ids. */
export interface AskedTokens {
  readonly allowed_special?: 'all' | readonly string[]
  readonly add_special_tokens?: boolean
}

/** How a request's text becomes ids. @throws InletError as {@link allowedSpecialSet} */
export function streamOptions(tokenizer: Tokenizer, asked: AskedTokens): StreamOptions {
  const { allowed_special, add_special_tokens: addSpecialTokens = false } = asked
  return { allowedSpecial: allowedSpecialSet(tokenizer, allowed_special), addSpecialTokens }
}
