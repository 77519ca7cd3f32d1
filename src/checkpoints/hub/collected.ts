/** What to collect of chunks, and what to say of more. */
export interface Collecting {
  /** Most bytes of all chunks together. */
  readonly most: number
  tooLong(): Error
  /** Told the bytes of each chunk as it comes. */
  received?(bytes: number): void
}

/** The bytes of all chunks. @throws what `tooLong` gives, as soon as there are more than `most` */
export async function collected(
  chunks: AsyncIterable<Uint8Array>,
  { most, tooLong, received }: Collecting,
): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    received?.(chunk.length)
    bytes += chunk.length
    if (bytes > most) throw tooLong()
    parts.push(chunk)
  }
  return Buffer.concat(parts)
}
