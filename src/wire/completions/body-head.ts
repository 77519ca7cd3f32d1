import { InletError, quoted } from '../../errors.js'
import type { JsonWalk } from '../json/json-walk.js'
import { completionRequest } from '../schemas/completions.js'
import { parse } from '../schemas/issue.js'

/** What is read of a completion's body besides its prompt. */
export interface BodyHead {
  /** Absent: the default model. */
  model?: string
  /** vLLM's own field. */
  addSpecialTokens?: boolean
}

const head = completionRequest.pick({ model: true, add_special_tokens: true })

/** Reads the value that begins here, where its key is one of {@link BodyHead}'s; whether it was one. */
export async function readHead(walk: JsonWalk, key: string, into: BodyHead): Promise<boolean> {
  if (key !== 'model' && key !== 'add_special_tokens') return false
  const value = parse(head, { [key]: await walk.value(key) })[key]
  if (value == null) return true
  if (typeof value === 'string') into.model = value
  else into.addSpecialTokens = value
  return true
}

/** Refuses a key that stands twice: which one counts, its readers do not agree on. */
export class Once {
  /** Made for the first key: of a chat's many parts, most may have none to check. */
  #seen: Set<string> | undefined

  /** @param path of the field, `messages.0.content` */
  check(path: string): void {
    this.#seen ??= new Set()
    if (!this.#seen.has(path)) {
      this.#seen.add(path)
      return
    }
    throw new InletError('invalid_request', `${quoted(path)} must stand once. Given: twice`, path)
  }
}
