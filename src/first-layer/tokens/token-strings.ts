const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The strings of all tokens in shared memory, so that threads use one copy. Token `id` is `bytes[offsets[id] … offsets[id + 1]]`. */
export interface TokenStrings {
  readonly bytes: Uint8Array
  readonly offsets: Int32Array
}

/** Packs strings by id; ids without one are holes. The later of two strings for one id counts. */
export function tokenStrings(tokens: Iterable<readonly [string, number]>): TokenStrings {
  const byId = new Map<number, string>()
  let size = 0
  let room = 0
  for (const [text, id] of tokens) {
    byId.set(id, text)
    size = Math.max(size, id + 1)
    room += Buffer.byteLength(text)
  }
  const bytes = new Uint8Array(new SharedArrayBuffer(room))
  const offsets = new Int32Array(new SharedArrayBuffer((size + 1) * Int32Array.BYTES_PER_ELEMENT))
  let at = 0
  for (let id = 0; id < size; id++) {
    offsets[id] = at
    const text = byId.get(id)
    if (text !== undefined) at += writeText(text, bytes, at)
  }
  offsets[size] = at
  return { bytes, offsets }
}

/** The string of a token; undefined for a hole or an id out of range. */
export function stringOf({ bytes, offsets }: TokenStrings, id: number): string | undefined {
  const start = offsets[id]
  const end = offsets[id + 1]
  if (start === undefined || end === undefined || start === end) return undefined
  return decoder.decode(bytes.slice(start, end))
}

function writeText(text: string, bytes: Uint8Array, at: number): number {
  const utf8 = encoder.encode(text)
  bytes.set(utf8, at)
  return utf8.length
}
