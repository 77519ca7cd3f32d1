import { InletError, quoted, shown } from '../../errors.js'
import { PAUSE, type Steps } from '../../first-layer/steps.js'
import { OPEN_OBJECT } from '../json/characters.js'
import type { JsonCursor } from '../json/json-cursor.js'
import type { Rest } from '../json/json-place.js'
import { chatRequest, completionRequest } from '../schemas/completions.js'
import { parse } from '../schemas/issue.js'
import type { Place } from './splice.js'

/** The fields of a completion's body that are read besides its prompt. */
export interface BodyHead {
  /** Absent: the default model. */
  model?: string
  /** vLLM's own field. */
  addSpecialTokens?: boolean
  softPrompt?: NamedPrompt
}

/** The name of a soft prompt, and where it stands, key included. */
export interface NamedPrompt extends Place {
  readonly name: string
}

const head = completionRequest.pick({ model: true, add_special_tokens: true })

/** Most members of an object in the body of a completion: as many as the body holds. */
const ANY_NUMBER = Number.POSITIVE_INFINITY

/** Reads the object that begins here. @param read moves behind each member's value */
export function membersOf(cursor: JsonCursor, read: (key: string, start: number) => Rest): Rest {
  return cursor.members(read, undefined, ANY_NUMBER)
}

/** Reads a whole body, which must be an object. @param read moves behind each member's value */
export function* readBodyOf(cursor: JsonCursor, read: (key: string, start: number) => Rest): Steps<void> {
  while (cursor.skipSpace()) yield PAUSE
  if (cursor.byte !== OPEN_OBJECT) {
    const value = yield* cursor.value('request')
    throw new InletError('invalid_request', `The request must be an object. Given: ${shown(value)}`)
  }
  const rest = membersOf(cursor, read)
  if (rest !== undefined) yield* rest
  while (cursor.skipSpace()) yield PAUSE
  if (cursor.byte !== undefined) throw cursor.invalid()
}

/** Reads the value that begins here, where its key is one of {@link BodyHead}'s; passes over any other. */
export function* readHead(cursor: JsonCursor, key: string, into: BodyHead): Steps<void> {
  if (key !== 'model' && key !== 'add_special_tokens') return yield* cursor.skip()
  const value = parse(head, { [key]: yield* cursor.value(key) })[key]
  if (typeof value === 'string') into.model = value
  else if (value != null) into.addSpecialTokens = value
}

/** The fields that name a soft prompt: `prompt` of a completion is its text. */
const NAMES = {
  soft_prompt: completionRequest.pick({ soft_prompt: true }),
  prompt: chatRequest.pick({ prompt: true }),
} as const

/** Reads the name of a soft prompt that begins here; null is none. @param start of the key */
export function* readSoftPrompt(
  cursor: JsonCursor,
  key: keyof typeof NAMES,
  start: number,
  into: BodyHead,
): Steps<void> {
  const fields = parse(NAMES[key], { [key]: yield* cursor.value(key) }) as Record<string, string | null>
  const name = fields[key]
  if (typeof name === 'string') into.softPrompt = { name, start, end: cursor.at }
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
