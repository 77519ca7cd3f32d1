import { createHash } from 'node:crypto'
import { collected } from './collected.js'
import { bare, type FileState, stateOf } from './file-state.js'
import { HubError, PassingError } from './hub-error.js'
import { type RemotePlace, resolvePath } from './remote-file.js'
import { Retries } from './retries.js'

/** A file as it came. */
export interface WholeFile {
  readonly bytes: Buffer
  readonly state: FileState
}

/**
 * Fetches a small file in one piece. Where the Hub gives its SHA-256, the bytes must have it.
 *
 * @param most bytes of the file
 * @param known ETag of the file that the caller has: `same` where it is still the one
 * @throws MissingFileError where the repository has no such file; HubError for a file that is longer or is not whole
 */
export function fetchWhole(place: RemotePlace, most: number, known?: string): Promise<WholeFile | 'same'> {
  const { hub, repository, commit, file } = place
  const name = `${file} of ${repository}`
  return new Retries(hub.pause, hub.signal).run(async () => {
    const headers = known === undefined ? undefined : { 'if-none-match': `"${known}"` }
    const path = resolvePath(repository, commit, file)
    const answer = await hub.get(path, hub.asked(repository, commit, file), headers)
    try {
      if (answer.status === 304) return 'same'
      const state = stateOf(answer, name, commit)
      if (known !== undefined && state.etag === known) return 'same'
      const expected = state.bytes
      if ((expected ?? 0) > most) throw tooLong(name, most, expected)
      const bytes = await collected(answer.chunks(), {
        most: expected ?? most,
        tooLong: () => tooLong(name, expected ?? most, undefined),
        received: (bytes) => place.received(bytes),
      })
      if (expected !== undefined && bytes.length < expected) {
        throw new PassingError(`${name} broke off at byte ${bytes.length} of ${expected}.`)
      }
      checkDigest(bytes, answer.linked.get('x-linked-etag'), name)
      return { bytes, state }
    } finally {
      await answer.cancel()
    }
  })
}

function tooLong(name: string, most: number, given: number | undefined): HubError {
  return new HubError(`${name} must have at most ${most} bytes. It has ${given ?? 'more'}.`)
}

/** The Hub's own ETag of a large file is its SHA-256. */
function checkDigest(bytes: Buffer, linked: string | null, name: string): void {
  const expected = bare(linked ?? '')
  if (!/^[0-9a-f]{64}$/.test(expected)) return
  const found = createHash('sha256').update(bytes).digest('hex')
  if (found !== expected) throw new HubError(`${name} must have the SHA-256 ${expected}. It has ${found}.`)
}
