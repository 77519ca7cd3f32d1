import { InletError, shown } from '../../errors.js'
import type { Steps } from '../../first-layer/steps.js'
import type { Given } from '../given.js'
import { IdLists } from '../id-lists.js'
import { OPEN_LIST, QUOTE } from '../json/characters.js'
import { JsonCursor } from '../json/json-cursor.js'
import { longInput } from '../json/long-fields.js'
import { completionRequest } from '../schemas/completions.js'
import { parse } from '../schemas/issue.js'
import { type BodyHead, Once, readBodyOf, readHead, readSoftPrompt } from './body-head.js'
import type { Place, Splice } from './splice.js'

/** The prompt of a completion, and where it stands, key included. */
export interface Prompt extends Place {
  readonly input: Given
  /** Where `"prompt_embeds": null` stands, if it does. */
  readonly noRows?: Place | undefined
}

export interface Completion extends BodyHead {
  /** Absent: the body brings its own `prompt_embeds`. */
  prompt?: Prompt
}

const LETTER_N = 0x6e
/** Keys that may stand once. */
const ONCE = new Set(['prompt', 'prompt_embeds', 'soft_prompt', 'model'])

const promptSchema = completionRequest.pick({ prompt: true }).required()

/**
 * Reads the body of a completion as far as its prompt needs it.
 *
 * @throws InletError `invalid_json`, `invalid_request`, `empty_input`, `invalid_unicode`
 */
export function* readCompletion(bytes: Buffer, maxDocuments: number): Steps<Completion> {
  const cursor = new JsonCursor(bytes, maxDocuments)
  const once = new Once()
  const head: BodyHead = {}
  let prompt: Prompt | undefined
  let hasRows = false
  let noRows: Place | undefined
  yield* readBodyOf(cursor, function* (key, start) {
    if (ONCE.has(key)) once.check(key)
    if (key === 'soft_prompt') yield* readSoftPrompt(cursor, key, start, head)
    else if (key === 'prompt') {
      const input = yield* readPrompt(cursor)
      if (input !== null) prompt = { input, start, end: cursor.at }
    } else if (key === 'prompt_embeds') {
      hasRows = cursor.byte !== LETTER_N
      if (hasRows) return yield* cursor.skip()
      yield* cursor.value(key)
      noRows = { start, end: cursor.at }
    } else yield* readHead(cursor, key, head)
  })
  if (hasRows) {
    if (head.softPrompt !== undefined) throw besideRows(head.softPrompt.name)
    return head
  }
  if (prompt === undefined) {
    throw new InletError('invalid_request', '`prompt` or `prompt_embeds` is needed. Given: neither', 'prompt')
  }
  parse(promptSchema, { prompt: prompt.input })
  return { ...head, prompt: { ...prompt, noRows } }
}

function besideRows(name: string): InletError {
  const rule = '`soft_prompt` must not stand beside `prompt_embeds`: put its rows before the others'
  return new InletError('invalid_request', `${rule}. Given: ${shown(name)}`, 'soft_prompt')
}

/** Reads the prompt that begins here; null where it is that. */
function* readPrompt(cursor: JsonCursor): Steps<Given | null> {
  if (cursor.byte === QUOTE || cursor.byte === OPEN_LIST) {
    let prompt: Given | undefined
    const rest = longInput.read(cursor, 'prompt', (given) => {
      prompt = given
    })
    if (rest !== undefined) yield* rest
    return prompt!
  }
  const value = yield* cursor.value('prompt')
  return value === null ? null : IdLists.faulty('must be a string or an array', value)
}

/**
 * Changes that put `"prompt_embeds":"…"` in the prompt's place, or a list of such strings where it was a list. A
 * `"prompt_embeds": null` becomes `"prompt":null`: the key would stand twice, and readers take the last one.
 */
export function promptSplices(prompt: Prompt, count: number): Splice[] {
  const rows = documentSplices(prompt, count, '"prompt_embeds":')
  if (prompt.noRows === undefined) return rows
  const none = { ...prompt.noRows, before: '"prompt":null', after: '' }
  return none.start < prompt.start ? [none, ...rows] : [...rows, none]
}

/** Changes that put the ids of the prompt in its place: a list, or a list of lists where it was a list. */
export function promptIdSplices(prompt: Prompt, count: number): Splice[] {
  return documentSplices(prompt, count, '"prompt":')
}

/** @param before the key of what takes the prompt's place */
function documentSplices({ input, start, end }: Prompt, count: number, before: string): Splice[] {
  if (!input.isList) return [{ start, end, before, document: 0, after: '' }]
  return Array.from({ length: count }, (_, document) => ({
    start: document === 0 ? start : end,
    end,
    before: document === 0 ? `${before}[` : ',',
    document,
    after: document === count - 1 ? ']' : '',
  }))
}
