import { idAt, listAt, objectAt, stringAt } from './file-field.js'
import type { AddedToken } from './spec.js'

interface Given extends AddedToken {
  readonly isNormalized: boolean
}

/**
 * The `added_tokens`; undefined where they need what this encoder does not do:
 * - `single_word`;
 * - tokens that are found before the text is normalized beside tokens that are found after it, if both could claim the
 *   same characters;
 * - ids that the library would give anew;
 * - whitespace that one token strips and another begins or ends with.
 *
 * @param vocab the model's own tokens
 * @throws InletError `model_failed`
 */
export function addedTokensOf(
  given: unknown,
  vocab: ReadonlyMap<string, number>,
  normalizes: boolean,
): readonly AddedToken[] | undefined {
  const tokens: Given[] = []
  let next = vocab.size
  for (const [i, item] of listAt(given, 'added_tokens').entries()) {
    const field = `added_tokens.${i}`
    const token = objectAt(item, field)
    const literal = stringAt(token.content, `${field}.content`)
    const id = idAt(token.id, `${field}.id`)
    if (literal === '' || token.single_word === true) return undefined
    const known = vocab.get(literal)
    if (id !== (known ?? next)) return undefined
    if (known === undefined) next++
    const [stripsBefore, stripsBehind] = [token.lstrip === true, token.rstrip === true]
    const isSpecial = token.special === true
    tokens.push({
      literal,
      id,
      isSpecial,
      stripsBefore,
      stripsBehind,
      isNormalized: token.normalized === true,
    })
  }
  if (new Set(tokens.map(({ literal }) => literal)).size < tokens.length) return undefined
  return areFoundInOnePass(tokens, normalizes) ? tokens.map(withoutPass) : undefined
}

function withoutPass({ isNormalized: _, ...token }: Given): AddedToken {
  return token
}

function areFoundInOnePass(tokens: readonly Given[], normalizes: boolean): boolean {
  const [first, second] = [tokens.filter((t) => !t.isNormalized), tokens.filter((t) => t.isNormalized)]
  // Blanks, tabs and newlines stay what they are in any normal form, and nothing becomes one.
  if (normalizes && !second.every(({ literal }) => /^[\t\n\r ]+$/.test(literal))) return false
  if (second.some((a) => first.some((b) => mayOverlap(a.literal, b.literal)))) return false
  const strip = tokens.some((t) => t.stripsBefore || t.stripsBehind)
  return !strip || !tokens.some(({ literal }) => /^\s|\s$|^\u0085|\u0085$/.test(literal))
}

/** Whether some text holds both literals with a character in common. */
function mayOverlap(a: string, b: string): boolean {
  if (a.includes(b) || b.includes(a)) return true
  for (let length = 1; length < Math.min(a.length, b.length); length++)
    if (a.endsWith(b.slice(0, length)) || b.endsWith(a.slice(0, length))) return true
  return false
}
