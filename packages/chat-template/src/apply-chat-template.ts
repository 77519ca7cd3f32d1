import { chatSteps } from './chat.js'
import { ChatError } from './errors.js'
import { type Dict, Float, isDict, isList, type Value } from './jinja/values.js'
import { run } from './steps.js'

/** The arguments of transformers' `apply_chat_template`, under its names. */
export interface ChatTemplateOptions {
  /** Messages: `{ role, content, … }`. Objects and arrays as `JSON.parse` gives them, or as {@link parseJson} does. */
  readonly messages: unknown
  readonly tools?: unknown
  readonly documents?: unknown
  /** Whether the text ends with the beginning of an answer. Default: false. */
  readonly add_generation_prompt?: boolean
  /** Whether the last message is left open; a text: its field that is. Default: false. */
  readonly continue_final_message?: boolean | string
  /** Variables of the template's own. */
  readonly chat_template_kwargs?: Readonly<Record<string, unknown>>
  /** `{ bos_token: '<s>', … }`. */
  readonly special_tokens_map?: Readonly<Record<string, string>>
  /** Of several templates: the name of one. */
  readonly chat_template?: string
  /** Whether the answer has spans: those of `{% generation %}`. Default: false. */
  readonly return_spans?: boolean
  /** Most characters of the text, and of each on the way. Default: 16 Mi. */
  readonly max_characters?: number
}

/** First and last (exclusive) place, in Unicode code points. */
export type Span = readonly [start: number, end: number]

export interface AppliedChatTemplate {
  readonly text: string
  /** The spans of `{% generation %}` blocks, in the order in which the blocks end; empty if none were asked for. */
  readonly spans: readonly Span[]
}

const MAX_CHARACTERS = 1 << 24

/**
 * The text that transformers' `apply_chat_template(…, tokenize=False)` makes of a chat.
 *
 * @param source the template, or several by name: then `tool_use` is taken where there are tools, else `default`
 * @throws ChatError
 */
export function applyChatTemplate(
  source: string | Readonly<Record<string, string>>,
  options: ChatTemplateOptions,
): AppliedChatTemplate {
  const { add_generation_prompt: addGenerationPrompt = false, special_tokens_map: tokens = {} } = options
  const templates = typeof source === 'string' ? source : new Map(Object.entries(source))
  const variables = toValue(options.chat_template_kwargs ?? {}, 'chat_template_kwargs') as Dict
  const chat = {
    messages: toValue(options.messages, 'messages'),
    tools: toValue(options.tools ?? null, 'tools'),
    documents: toValue(options.documents ?? null, 'documents'),
    template: options.chat_template,
    variables,
    addGenerationPrompt,
    continueFinalMessage: options.continue_final_message,
    returnSpans: options.return_spans,
  }
  const files = { templates, tokens, unknownTokens: [] }
  return run(chatSteps(files, chat, options.max_characters ?? MAX_CHARACTERS))
}

/** Deepest nesting of a chat. */
const MAX_DEPTH = 64

/** A value of JavaScript as Python's `json.loads` has it: a whole number is an int, another one a float. */
function toValue(given: unknown, field: string, depth = 0): Value {
  const refuse = (rule: string) => new ChatError('invalid_request', `\`${field}\` must ${rule}.`, field)
  if (depth > MAX_DEPTH) throw refuse(`be nested at most ${MAX_DEPTH} deep`)
  if (given === null || given === undefined) return null
  if (typeof given === 'string') {
    if (given.isWellFormed()) return given
    throw new ChatError('invalid_unicode', `\`${field}\` must not have a lone surrogate.`, field)
  }
  if (typeof given === 'boolean' || given instanceof Float) return given
  if (typeof given === 'number') {
    if (!Number.isFinite(given)) throw refuse('have finite numbers')
    if (!Number.isInteger(given)) return new Float(given)
    if (Number.isSafeInteger(given)) return given === 0 ? 0 : given
    throw refuse('have integers up to 2^53')
  }
  const inner = (value: unknown, name: string | number) => toValue(value, `${field}.${name}`, depth + 1)
  if (isList(given as Value)) return (given as unknown[]).map(inner)
  if (isDict(given as Value))
    return new Map([...(given as Dict)].map(([name, each]) => [name, inner(each, name)]))
  if (typeof given !== 'object') throw refuse('be JSON')
  const members = Object.entries(given).filter(([, value]) => value !== undefined)
  return new Map(members.map(([name, value]) => [name, inner(value, name)]))
}
