const CASES = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
const TAIL = String.raw`\s*[\r\n]+|\s+(?!\S)|\s+`
const LEADER = String.raw`[^\r\n\p{L}\p{N}]?`
const UPPER = String.raw`\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}`
const LOWER = String.raw`\p{Ll}\p{Lm}\p{Lo}\p{M}`
const words = (less: string, ending: string) =>
  `${LEADER}[${UPPER}${less}]*[${LOWER}${less}]+${ending}|${LEADER}[${UPPER}${less}]+[${LOWER}${less}]*${ending}`

/** The regular expressions of `Split` in the tokenizer.json of this year's families. */
export const FAMILY_PATTERNS: Readonly<Record<string, readonly string[]>> = {
  'DeepSeek V3': [
    String.raw`\p{N}{1,3}`,
    '[一-龥぀-ゟ゠-ヿ]+',
    String.raw`[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_${'`'}{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|${TAIL}`,
  ],
  'Kimi K2': [
    String.raw`[\p{Han}]+|${words(String.raw`&&[^\p{Han}]`, `${CASES}?`)}|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|${TAIL}`,
  ],
  'Qwen 3.5': [String.raw`${CASES}|${LEADER}[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|${TAIL}`],
  Tekken: [String.raw`${words('', '')}|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|${TAIL}`],
  'GLM 4.5': [String.raw`${CASES}|${LEADER}\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|${TAIL}`],
  'MiniMax M2': [String.raw`${words('', `${CASES}?`)}|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|${TAIL}`],
  'EXAONE MoE': [
    String.raw`${CASES}|${LEADER}(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+`,
  ],
  Bailing: [
    String.raw`'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+`,
  ],
  Youtu: [
    '[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥぀-ゟ゠-ヿ]+',
    String.raw`${words('', `${CASES}?`)}|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|${TAIL}`,
  ],
  BLOOM: [' ?[^(\\s|.,!?…。，、।۔،)]+'],
}

/** The `pre_tokenizer` with these expressions. */
export function splitsOf(sources: readonly string[]): object {
  const splits = sources.map((Regex) => ({
    type: 'Split',
    pattern: { Regex },
    behavior: 'Isolated',
    invert: false,
  }))
  const bytes = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false }
  return { type: 'Sequence', pretokenizers: [...splits, bytes] }
}
