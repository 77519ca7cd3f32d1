const NONE = new Uint8Array(0)

/** Copies the parts one after the other into new memory: a `Buffer` could share a pool's, which is posted whole. */
export function joined(parts: readonly (Uint8Array | undefined)[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part?.length ?? 0
  const all = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    all.set(part ?? NONE, at)
    at += part?.length ?? 0
  }
  return all
}
