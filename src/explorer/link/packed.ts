/** Most bytes that a link may unpack to: a small one can hold gigabytes. */
const MAX_UNPACKED = 1 << 20

/** A text as deflated bytes in base64url: letters that stand in an address as they are. */
export async function pack(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer())
  let letters = ''
  for (let at = 0; at < bytes.length; at += 4096) {
    letters += String.fromCharCode(...bytes.subarray(at, at + 4096))
  }
  return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** @throws Error for what {@link pack} has not made, or what is too long */
export async function unpack(packed: string): Promise<string> {
  const letters = atob(packed.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0))
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    text += decoder.decode(value, { stream: true })
    if (text.length > MAX_UNPACKED) {
      await reader.cancel()
      throw new RangeError('too long')
    }
  }
}
