/** A text in tokens, while byte-pair encoding is trained on it. */
export interface Merging {
  /** The pieces of the text, as ids; equal ones are one array. No merge goes from one into the next. */
  readonly pieces: readonly (readonly number[])[]
  /** By id: a token's bytes, and the pair that it was made of. */
  readonly tokens: readonly { readonly bytes: readonly number[]; readonly pair?: Pair }[]
}

/** The ids of two neighbours, and how often they come. */
export type Pair = Readonly<Record<'left' | 'right' | 'count', number>>

/** The pattern of GPT-4. JavaScript's \s is another set than Unicode's White_Space. */
const PATTERN =
  /'(?:[sSſ]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\p{White_Space}\p{L}\p{N}]+[\r\n]*|\p{White_Space}*[\r\n]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu

// Id 0 is <|endoftext|>. Then come the bytes, those that print first, as in Hugging Face's trainer.
const isPrinted = (byte: number) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173)
const all = Array.from({ length: 256 }, (_, byte) => byte)
const BYTES = [...all.filter(isPrinted), ...all.filter((byte) => !isPrinted(byte))]
const idOf = new Map(BYTES.map((byte, index) => [byte, index + 1]))

/** Texts before the first merge: each byte is a token. */
export function unmerged(texts: readonly string[]): Merging {
  const encoder = new TextEncoder()
  const idsOf = once((piece: string) => Array.from(encoder.encode(piece), (byte) => idOf.get(byte)!))
  return {
    pieces: texts.flatMap((text) => text.match(PATTERN) ?? []).map(idsOf),
    tokens: [[], ...BYTES.map((byte) => [byte])].map((bytes) => ({ bytes })),
  }
}

/** A function that is called once for each argument: a long text has few different pieces. */
function once<Key, Value>(make: (key: Key) => Value) {
  const made = new Map<Key, Value>()
  return (key: Key): Value => {
    if (!made.has(key)) made.set(key, make(key))
    return made.get(key)!
  }
}

/** The most frequent pair: of equal ones that with the smallest left id, then that with the smallest right one. */
export function nextPair({ pieces }: Merging): Pair | undefined {
  const IDS = 2 ** 26 // more than there are
  const [times, counts] = [new Map<readonly number[], number>(), new Map<number, number>()]
  for (const ids of pieces) times.set(ids, (times.get(ids) ?? 0) + 1)
  for (const [ids, count] of times)
    for (let i = 1; i < ids.length; i++) {
      const pair = ids[i - 1] * IDS + ids[i]
      counts.set(pair, (counts.get(pair) ?? 0) + count)
    }
  let [best, count] = [0, 0]
  for (const [pair, times] of counts)
    if (times > count || (times === count && pair < best)) [best, count] = [pair, times]
  return count === 0 ? undefined : { left: Math.floor(best / IDS), right: best % IDS, count }
}

/** A pair becomes a token, from the left in each piece: a a a with the pair (a, a) → aa a. */
export function merged({ pieces, tokens }: Merging, pair: Pair): Merging {
  const { left, right } = pair
  const inPiece = (ids: readonly number[]) => {
    const row: number[] = []
    for (const id of ids)
      if (id === right && row.at(-1) === left) row[row.length - 1] = tokens.length
      else row.push(id)
    return row
  }
  const bytes = [...tokens[left].bytes, ...tokens[right].bytes]
  return { pieces: pieces.map(once(inPiece)), tokens: [...tokens, { bytes, pair }] }
}
