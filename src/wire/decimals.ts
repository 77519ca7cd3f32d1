/** Node's buffers write latin1 text in place; its types do not say so. */
type Latin1Writer = Uint8Array & { latin1Write(text: string, at: number): number }

/** The shortest decimal that reads back as the same float32: 0.1f → `0.1`, not `0.10000000149011612`. */
function shortest(value: number): string {
  if (Object.is(value, -0)) return '-0'
  if (!Number.isFinite(value)) return `"${value}"` // JSON has no such numbers
  for (let digits = 1; digits <= 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return String(short)
  }
  return String(value)
}

/** Writes `values[from … to − 1]`, comma separated, and returns where the text ends. */
export function writeFloats(
  text: Uint8Array,
  at: number,
  values: Float32Array,
  from: number,
  to: number,
): number {
  for (let i = from; i < to; i++) {
    if (i > from) text[at++] = 0x2c
    at += (text as Latin1Writer).latin1Write(shortest(values[i]), at)
  }
  return at
}

/** The same for integers. */
export function writeInts(
  text: Uint8Array,
  at: number,
  values: Int32Array,
  from: number,
  to: number,
): number {
  for (let i = from; i < to; i++) {
    if (i > from) text[at++] = 0x2c
    at += (text as Latin1Writer).latin1Write(String(values[i]), at)
  }
  return at
}
