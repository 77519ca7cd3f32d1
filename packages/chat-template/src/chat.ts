import { checkedMessages, checkedObjects, cutAtFinal, markFinal } from './conversation.js'
import { ChatError, head, invalid, unsupported } from './errors.js'
import { type RenderedChat, renderTemplate, type Span, type Template } from './jinja/template.js'
import type { Dict, Value } from './jinja/values.js'
import { readTemplate } from './kept-templates.js'
import type { Steps } from './steps.js'

/** The part of a tokenizer's files about chats: plain data. */
export interface ChatFiles {
  /** A template, or several by name; undefined: none. */
  readonly templates: string | ReadonlyMap<string, string> | undefined
  /** `bos_token` and so on, of which templates are variables. */
  readonly tokens: Readonly<Record<string, string>>
  /** Names of such variables whose values are unknown: a template that reads one is refused. */
  readonly unknownTokens: readonly string[]
}

/** A chat, under the names of transformers' `apply_chat_template`. */
export interface Chat {
  readonly messages: Value
  readonly tools?: Value | undefined
  readonly documents?: Value | undefined
  /** A template, or the name of one of the model's. */
  readonly chat_template?: string | null | undefined
  /** Variables of the template's own. */
  readonly chat_template_kwargs?: Dict | null | undefined
  /** Default: true, unless the last message is continued. */
  readonly add_generation_prompt?: boolean | null | undefined
  /** Whether the last message is left open; a text: its field that is. */
  readonly continue_final_message?: boolean | string | null | undefined
  /** Whether the spans of `{% generation %}` are wanted. Default: false. */
  readonly return_spans?: boolean | undefined
}

/** Names that are arguments of `apply_chat_template`, and cannot be variables. */
const TAKEN = new Set(
  'add_generation_prompt chat_template continue_final_message conversation conversations documents max_length messages padding return_assistant_tokens_mask return_dict return_tensors sanitize_control_tokens tokenize tokenizer_kwargs tools truncation'.split(
    ' ',
  ),
)

/**
 * The text of a chat, equal to that of transformers' `apply_chat_template(…, tokenize=False)`, in steps.
 *
 * @param maxCharacters of the text
 * @throws ChatError `template_unavailable`, `template_unsupported`, `template_failed`, `invalid_request`, `empty_input`
 */
export function* chatSteps(files: ChatFiles, chat: Chat, maxCharacters: number): Steps<RenderedChat> {
  const { return_spans: returnSpans = false } = chat
  const left = chat.continue_final_message ?? false
  const continues = left !== false
  const addGenerationPrompt = chat.add_generation_prompt ?? !continues
  if (continues && (addGenerationPrompt || returnSpans)) {
    const beside = addGenerationPrompt ? 'add_generation_prompt' : 'return_spans'
    throw invalid('continue_final_message', `must not be given beside \`${beside}\`. Given: both`)
  }
  const open = yield* openChat(files, chat, maxCharacters)
  const field = typeof left === 'string' ? left : 'content'
  const final = continues ? markFinal(open.messages, field, open.template.source) : undefined
  const rendered = yield* open.render(open.messages, addGenerationPrompt, returnSpans)
  const text = final === undefined ? rendered.text : cutAtFinal(rendered.text, final)
  return { text, spans: returnSpans ? inPoints(rendered) : [] }
}

/** Spans in Unicode code points. */
function inPoints({ text, spans }: RenderedChat): Span[] {
  let [at, points] = [0, 0]
  const pointsBefore = (unit: number) => {
    for (; at < unit; points++) at += text.codePointAt(at)! > 0xffff ? 2 : 1
    return points
  }
  return spans.map(([start, end]) => [pointsBefore(start), pointsBefore(end)])
}

/** A chat's template and variables, which render its messages, or others in their place. */
export interface OpenChat {
  readonly messages: Map<string, Value>[]
  readonly template: Template
  /**
   * The text of messages, of none too; spans are in UTF-16 units.
   *
   * @throws ChatError `template_unsupported`, `template_failed`
   */
  render(messages: readonly Dict[], addGenerationPrompt: boolean, returnSpans: boolean): Steps<RenderedChat>
}

/** Reads the template and the variables of a chat. @throws ChatError as {@link chatSteps} */
export function* openChat(files: ChatFiles, chat: Chat, maxCharacters: number): Steps<OpenChat> {
  const messages = checkedMessages(chat.messages)
  const tools = checkedObjects('tools', chat.tools)
  const documents = checkedObjects('documents', chat.documents)
  const template = yield* readTemplate(chosenTemplate(files, chat.chat_template ?? undefined, tools !== null))
  const variables = new Map<string, Value>(Object.entries(files.tokens))
  for (const [name, value] of chat.chat_template_kwargs ?? []) {
    if (TAKEN.has(String(name)))
      throw invalid(`chat_template_kwargs.${name}`, "must be a variable of the template's own")
    variables.set(String(name), value)
  }
  variables.set('tools', tools).set('documents', documents)
  const unknown = new Set(files.unknownTokens.filter((name) => !variables.has(name)))
  return {
    messages,
    template,
    *render(messages, addGenerationPrompt, returnSpans) {
      // transformers counts the text before a block where the block stands in the template.
      if (returnSpans && template.generations.includes(true))
        throw unsupported(
          'a `{% generation %}` block in another block',
          'has a span that transformers miscounts',
        )
      variables.set('messages', messages).set('add_generation_prompt', addGenerationPrompt)
      for (const name of variables.keys())
        if (template.late.has(name))
          throw unsupported(`an assignment to \`${name}\``, 'stands after a use in an inner scope')
      return yield* renderTemplate(template, variables, unknown, maxCharacters)
    },
  }
}

/**
 * The template of a chat, as `get_chat_template` chooses it.
 *
 * @param given a template, or a name
 * @param hasTools whether there are tools, be it none
 * @throws ChatError `template_unavailable`
 */
function chosenTemplate({ templates }: ChatFiles, given: string | undefined, hasTools: boolean): string {
  const named = typeof templates === 'object' ? templates : new Map<string, string>()
  const own =
    typeof templates === 'string'
      ? templates
      : ((hasTools ? named.get('tool_use') : undefined) ?? named.get('default'))
  const chosen = given === undefined ? own : (named.get(given) ?? given)
  if (chosen !== undefined) return chosen
  const names = [...named.keys()].map((name) => JSON.stringify(head(name))).join(', ')
  const reason =
    templates === undefined
      ? 'has no chat template: its folder has neither chat_template.jinja nor one in tokenizer_config.json'
      : `has several chat templates and no default: \`chat_template\` must be one of ${names}`
  throw new ChatError('template_unavailable', `The model ${reason}.`, 'messages')
}
