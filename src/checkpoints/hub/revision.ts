import type { Repository } from '../hub-cache.js'
import { HubError } from './errors.js'
import { collected, type Hub } from './hub.js'

/** Most bytes of the list of a repository's files. */
const MAX_LIST_BYTES = 1 << 26

/** A state of a repository that never changes. */
export interface Revision {
  readonly commit: string
  /** Names of all files, `onnx/model.onnx`. */
  readonly files: ReadonlySet<string>
}

/**
 * Resolves a branch, a tag or a commit.
 *
 * @throws HubError for an unknown repository or revision, or one that lists a file outside itself
 */
export async function resolveRevision(hub: Hub, { name, revision }: Repository): Promise<Revision> {
  const path = `api/models/${name}/revision/${encodeURIComponent(revision)}`
  const tooLong = new HubError(`${name}: the Hub lists too many files.`)
  const text = await hub.retried(async () => {
    const answer = await hub.get(path, hub.asked(name, revision))
    return (await collected(answer.chunks(), MAX_LIST_BYTES, tooLong)).toString()
  })
  const { sha, siblings } = parsed(text, hub.endpoint)
  if (typeof sha !== 'string' || !/^[0-9a-f]{7,64}$/.test(sha))
    throw new HubError(`${hub.endpoint} must say the commit of ${name}. Given: ${JSON.stringify(sha)}`)
  if (!Array.isArray(siblings)) throw new HubError(`${hub.endpoint} must list the files of ${name}.`)
  return { commit: sha, files: new Set(siblings.map((each) => safeName(each?.rfilename, name))) }
}

function parsed(text: string, endpoint: string): { sha?: unknown; siblings?: unknown } {
  try {
    return Object(JSON.parse(text))
  } catch {
    throw new HubError(`${endpoint} does not answer as a Hub: its answer is no JSON.`)
  }
}

/** A file's name within its repository. @throws HubError for a name that leads out of a folder */
function safeName(name: unknown, repository: string): string {
  const isSafe =
    typeof name === 'string' &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: names must have none of these
    !/[\\\x00-\x1f\x7f]|^[A-Za-z]:/.test(name) &&
    name.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  if (isSafe) return name
  throw new HubError(`${repository} names a file that leads out of its folder: ${JSON.stringify(name)}`)
}
