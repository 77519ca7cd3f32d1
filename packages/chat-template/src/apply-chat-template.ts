import { chatSteps } from './chat.js'
import { invalid } from './errors.js'
import type { RenderedChat } from './jinja/template.js'
import { type Dict, Float, type Value } from './jinja/values.js'
import { floatOf, intOf, MAX_DEPTH, wellFormed } from './read-values.js'
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
): RenderedChat {
  const { special_tokens_map: tokens = {}, max_characters: most = MAX_CHARACTERS } = options
  const templates = typeof source === 'string' ? source : new Map(Object.entries(source))
  const chat = {
    ...options,
    messages: toValue(options.messages, 'messages'),
    tools: toValue(options.tools, 'tools'),
    documents: toValue(options.documents, 'documents'),
    chat_template_kwargs: toValue(options.chat_template_kwargs, 'chat_template_kwargs') as Dict | null,
    add_generation_prompt: options.add_generation_prompt ?? false,
  }
  return run(chatSteps({ templates, tokens, unknownTokens: [] }, chat, most))
}

/** A value of JavaScript as Python's `json.loads` has it: a whole number is an int, another one a float. */
function toValue(given: unknown, field: string, depth = 0): Value {
  if (depth > MAX_DEPTH) throw invalid(field, `must be nested at most ${MAX_DEPTH} deep`)
  const inner = (value: unknown, name: string | number) => toValue(value, `${field}.${name}`, depth + 1)
  const members = (entries: Iterable<readonly [string | number, unknown]>) =>
    new Map(Array.from(entries, ([name, value]) => [name, inner(value, name)]))
  if (given === null || given === undefined) return null
  if (typeof given === 'string') return wellFormed(given, field)
  if (typeof given === 'boolean' || given instanceof Float) return given
  if (typeof given === 'number') return Number.isInteger(given) ? intOf(given, field) : floatOf(given, field)
  if (Array.isArray(given)) return given.map(inner)
  if (given instanceof Map) return members(given)
  if (typeof given !== 'object') throw invalid(field, 'must be JSON')
  return members(Object.entries(given).filter(([, value]) => value !== undefined))
}
