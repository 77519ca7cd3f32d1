import { InletError, shown } from '../errors.js'
import type { Tokenizer } from '../tokens/tokenizer.js'

/** What an encoding takes for a special token where a request does not say. */
const BY_DEFAULT = ['<|endoftext|>']

/** All special tokens of each tokenizer: one set, so that a tokenizer can keep what it makes of it. */
const all = new WeakMap<Tokenizer, ReadonlySet<string>>()

/**
 * The literals that become special tokens: the given ones, or all of the tokenizer's. Where nothing is given, encodings
 * take `<|endoftext|>` alone, and the tokenizers of folders take all, as Hugging Face's do.
 *
 * @throws InletError `invalid_request` for a literal that the tokenizer does not have
 */
export function allowedSpecialSet(
  tokenizer: Tokenizer,
  given: 'all' | readonly string[] = tokenizer.encoding === undefined ? 'all' : BY_DEFAULT,
): ReadonlySet<string> {
  const known = tokenizer.specialTokens
  if (given === 'all') return allOf(tokenizer)
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
