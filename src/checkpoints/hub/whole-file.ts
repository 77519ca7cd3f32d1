import { createHash } from 'node:crypto'
import { HubError, PassingError } from './errors.js'
import { bare, type FileState, stateOf } from './file-state.js'
import { type RemotePlace, resolvePath } from './remote-place.js'
import { retried } from './retries.js'

export interface WholeFile {
  readonly bytes: Buffer
  readonly state: FileState
}

/**
 * Fetches a small file in one piece, and checks its SHA-256 if the Hub gives it.
 *
 * @param most bytes of the file
 * @param known ETag of the caller's copy; returns `same` if it still holds
 * @throws MissingFileError if the repository has no such file; HubError for a file that is too long or not whole
 */
export function fetchWhole(place: RemotePlace, most: number, known?: string): Promise<WholeFile | 'same'> {
  const { hub, repository, commit, file } = place
  const name = `${file} of ${repository}`
  const tooLong = (most: number, given: number | string) =>
    new HubError(`${name} must have at most ${most} bytes. It has ${given}.`)
  return retried(hub, async () => {
    const headers = known === undefined ? undefined : { 'if-none-match': `"${known}"` }
    const path = resolvePath(repository, commit, file)
    const answer = await hub.get(path, hub.asked(repository, commit, file), headers)
    try {
      if (answer.status === 304) return 'same'
      const state = stateOf(answer, name, commit)
      if (known !== undefined && state.etag === known) return 'same'
      const expected = state.bytes ?? most
      if (expected > most) throw tooLong(most, expected)
      const bytes = await collected(answer.chunks(), expected, tooLong(expected, 'more'), place.received)
      if (state.bytes !== undefined && bytes.length < expected) {
        throw new PassingError(`${name} broke off at byte ${bytes.length} of ${expected}.`)
      }
      checkDigest(bytes, answer.linked.get('x-linked-etag'), name)
      return { bytes, state }
    } finally {
      await answer.cancel()
    }
  })
}

/**
 * The bytes of all chunks.
 *
 * @param most bytes; a longer stream throws `tooLong`
 * @param received called with the bytes of each chunk
 */
export async function collected(
  chunks: AsyncIterable<Uint8Array>,
  most: number,
  tooLong: Error,
  received: (bytes: number) => void = () => {},
): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    received(chunk.length)
    bytes += chunk.length
    if (bytes > most) throw tooLong
    parts.push(chunk)
  }
  return Buffer.concat(parts)
}

/** The Hub's own ETag of a large file is its SHA-256. */
function checkDigest(bytes: Buffer, linked: string | null, name: string): void {
  const expected = bare(linked ?? '')
  if (!/^[0-9a-f]{64}$/.test(expected)) return
  const found = createHash('sha256').update(bytes).digest('hex')
  if (found !== expected) throw new HubError(`${name} must have the SHA-256 ${expected}. It has ${found}.`)
}
