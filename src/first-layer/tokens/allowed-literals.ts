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
