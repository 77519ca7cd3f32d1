import { InletError, shown } from '../../errors.js'
import type { Claim } from '../../load/claim.js'
import { Reservation } from '../../load/reservation.js'
import { IdLists } from '../id-lists.js'
import { OPEN_OBJECT } from '../json/characters.js'
import { invalidJson } from '../json/invalid-json.js'
import { JsonWalk } from '../json/json-walk.js'
import { longInput } from '../json/long-fields.js'
import { readLong } from '../json/long-reader.js'
import { LongTexts } from '../json/long-texts.js'
import { completionRequest } from '../schemas/completions.js'
import type { EmbeddingInput } from '../schemas/embeddings.js'
import { parse } from '../schemas/issue.js'
import { type BodyHead, Once, readHead } from './body-head.js'
import type { Place, Splice } from './splice.js'

/** The prompt of a completion, and where it stands, key included. */
export interface Prompt extends Place {
  readonly input: EmbeddingInput
  /** Where `"prompt_embeds": null` stands, if it does. */
  readonly noRows?: Place | undefined
}

/** The same before it is checked. */
interface GivenPrompt extends Place {
  readonly value: unknown
}

export interface Completion extends BodyHead {
  /** Absent: the body brings its own `prompt_embeds`. */
  prompt?: Prompt
}

const promptSchema = completionRequest.pick({ prompt: true }).required()

/**
 * Reads the body of a completion as far as its prompt needs it.
 *
 * @throws InletError `invalid_json`, `invalid_request`, `empty_input`, `invalid_unicode`
 */
export async function readCompletion(bytes: Buffer, maxDocuments: number, claim: Claim): Promise<Completion> {
  const walk = new JsonWalk(bytes, claim)
  await objectBegins(walk)
  const once = new Once()
  const head: BodyHead = {}
  let prompt: GivenPrompt | undefined
  let hasRows = false
  let noRows: Place | undefined
  for await (const { key, start } of walk.keys()) {
    if (key === 'prompt' || key === 'prompt_embeds' || key === 'model') once.check(key)
    if (key === 'prompt') prompt = await readPrompt(walk, start, maxDocuments, claim)
    else if (key === 'prompt_embeds') {
      hasRows = bytes[walk.at] !== 0x6e // null
      if (hasRows) await walk.skip()
      else {
        await walk.value(key)
        noRows = { start, end: walk.at }
      }
    } else if (!(await readHead(walk, key, head))) await walk.skip()
  }
  await bodyEnds(walk)
  if (hasRows) return head
  if (prompt?.value == null) {
    throw new InletError('invalid_request', '`prompt` or `prompt_embeds` is needed. Given: neither', 'prompt')
  }
  const { prompt: input } = parse(promptSchema, { prompt: prompt.value })
  return { ...head, prompt: { input, start: prompt.start, end: prompt.end, noRows } }
}

/** @throws InletError where the body is no object */
export async function objectBegins(walk: JsonWalk): Promise<void> {
  if ((await walk.next()) === OPEN_OBJECT) return
  const value = await walk.value('request')
  throw new InletError('invalid_request', `The request must be an object. Given: ${shown(value)}`)
}

/** @throws InletError where more stands behind the body */
export async function bodyEnds(walk: JsonWalk): Promise<void> {
  if ((await walk.next()) !== undefined) throw invalidJson(walk.bytes, walk.at)
}

async function readPrompt(
  walk: JsonWalk,
  start: number,
  maxDocuments: number,
  claim: Claim,
): Promise<GivenPrompt> {
  const { bytes } = walk
  if (!longInput.begins(bytes[walk.at] ?? 0)) {
    const value = await walk.value('prompt')
    return { value, start, end: walk.at }
  }
  const reader = longInput.reader(bytes, 'prompt', maxDocuments)
  const { value, end } = await readLong(reader, bytes, walk.at, new Reservation(claim), walk.pace)
  walk.at = end
  return { value, start, end }
}

/**
 * What stands in the prompt's place: `"prompt_embeds":"…"`, or a list of such strings where it was a list. A
 * `"prompt_embeds": null` becomes `"prompt":null`: the key would stand twice, and readers take the last one.
 */
export function promptSplices(prompt: Prompt, count: number): Splice[] {
  const rows = rowsSplices(prompt, count)
  if (prompt.noRows === undefined) return rows
  const none = { ...prompt.noRows, before: '"prompt":null', after: '' }
  return none.start < prompt.start ? [none, ...rows] : [...rows, none]
}

function rowsSplices({ input, start, end }: Prompt, count: number): Splice[] {
  const isList = input instanceof LongTexts || (input instanceof IdLists && input.isNested)
  const before = '"prompt_embeds":'
  if (!isList) return [{ start, end, before, document: 0, after: '' }]
  return Array.from({ length: count }, (_, document) => ({
    start: document === 0 ? start : end,
    end,
    before: document === 0 ? `${before}[` : ',',
    document,
    after: document === count - 1 ? ']' : '',
  }))
}
