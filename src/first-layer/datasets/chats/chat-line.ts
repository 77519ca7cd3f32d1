import { type Dict, Float, isDict, isList, parseJson, type Value } from 'inlet-chat-template'
import { InletError } from '../../errors.js'

/** What the lines of an upload hold, by its first chat. */
export type LineKind = 'messages' | 'conversations' | 'prompt' | 'texts'

/** A chat, as templates see it. */
export interface TrainedChat {
  readonly messages: readonly Dict[]
  /** Indexes of the assistant's messages that are to be trained. */
  readonly turns: readonly number[]
  /** The first assistant's message that is not: it is marked so, or stands in a prompt. */
  readonly optedOut: number | undefined
  readonly tools: Value
  readonly chat_template_kwargs: Dict
}

/** ShareGPT's names of roles. */
const ROLES: ReadonlyMap<unknown, string> = new Map(
  Object.entries({ human: 'user', gpt: 'assistant', system: 'system', tool: 'tool' }),
)

/** The kind of a line; undefined: it is no chat. */
export function lineKind(line: Dict): LineKind | undefined {
  if (line.has('messages')) return 'messages'
  if (line.has('conversations')) return 'conversations'
  if (!line.has('prompt') || !line.has('completion')) return undefined
  return typeof line.get('prompt') === 'string' ? 'texts' : 'prompt'
}

/**
 * The chat of a line of another kind than `texts`.
 *
 * @param head the upload's first line, whose `tools` and `chat_template_kwargs` are those of a line without its own
 * @throws InletError `invalid_request`, `empty_input`
 */
export function chatOfLine(line: Dict, kind: LineKind, head: Dict = new Map()): TrainedChat {
  const isSplit = kind === 'prompt'
  const prompt = isSplit ? listOf(line, 'prompt') : []
  const given = [...prompt, ...listOf(line, isSplit ? 'completion' : kind)]
  if (given.length === 0) throw new InletError('empty_input', `\`${kind}\` must not be empty`, kind)
  const messages: Dict[] = []
  const turns: number[] = []
  let optedOut: number | undefined
  for (const [i, each] of given.entries()) {
    const isPrompt = i < prompt.length
    const path = isSplit && !isPrompt ? `completion.${i - prompt.length}` : `${kind}.${i}`
    if (!isDict(each)) throw invalid(path, 'must be an object')
    const message = kind === 'conversations' ? fromShareGpt(each, path) : each
    const role = message.get('role')
    if (typeof role !== 'string') throw invalid(`${path}.role`, 'must be a text')
    const isWanted = isTrained(message, path) && !isPrompt
    if (role === 'assistant' && isWanted) turns.push(i)
    else if (role === 'assistant') optedOut ??= i
    messages.push(new Map([...message].filter(([name, value]) => value !== null && !MARKS.has(name))))
  }
  return { messages, turns, optedOut, ...variablesOf(line, head) }
}

/** The tools of a chat, which may be their JSON, and its variables. @throws InletError `invalid_request` */
export function variablesOf(line: Dict, head: Dict = new Map()) {
  const given = (name: string) => line.get(name) ?? head.get(name) ?? null
  const variables = given('chat_template_kwargs') ?? new Map()
  if (!isDict(variables)) throw invalid('chat_template_kwargs', 'must be an object')
  return { tools: toolsOf(given('tools')), chat_template_kwargs: variables }
}

function toolsOf(given: Value): Value {
  let tools = given
  try {
    if (typeof given === 'string') tools = parseJson(given)
  } catch {} // a text that is no JSON is refused below
  if (tools === null || (isList(tools) && tools.every(isDict))) return tools
  throw invalid('tools', 'must be an array of objects, or the JSON of one')
}

/** Names of a message's own that no template sees. */
const MARKS: ReadonlySet<unknown> = new Set(['train', 'weight'])

function isTrained(message: Dict, path: string): boolean {
  const train = message.get('train') ?? true
  if (typeof train !== 'boolean') throw invalid(`${path}.train`, 'must be true or false')
  const given = message.get('weight') ?? 1
  const weight = given instanceof Float ? given.value : given
  if (weight !== 0 && weight !== 1) throw invalid(`${path}.weight`, 'must be 0 or 1')
  return train && weight === 1
}

function fromShareGpt(message: Dict, path: string): Dict {
  const role = ROLES.get(message.get('from'))
  if (role === undefined) throw invalid(`${path}.from`, `must be one of ${[...ROLES.keys()].join(', ')}`)
  if (!message.has('value')) throw invalid(`${path}.value`, 'is needed')
  const rest = [...message].filter(([name]) => name !== 'from' && name !== 'value')
  return new Map<string | number, Value>([['role', role], ['content', message.get('value')!], ...rest])
}

function listOf(line: Dict, name: string): readonly Value[] {
  const given = line.get(name) ?? null
  if (isList(given)) return given
  throw invalid(name, 'must be an array of messages')
}

export function invalid(field: string, rule: string): InletError {
  return new InletError('invalid_request', `\`${field}\` ${rule}`, field)
}
