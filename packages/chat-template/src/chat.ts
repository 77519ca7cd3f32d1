import type { ChatFiles } from './chat-files.js'
import { ChatTemplate } from './chat-template.js'
import { chosenTemplate } from './chosen-template.js'
import { checkedMessages, checkedObjects, cutAtFinal, markFinal } from './conversation.js'
import { ChatError } from './errors.js'
import type { Dict, Value } from './jinja/values.js'
import type { Steps } from './steps.js'

/** A chat as a request brings it. */
export interface Chat {
  readonly messages: Value
  readonly tools?: Value | undefined
  readonly documents?: Value | undefined
  /** A template, or the name of one of the model's. */
  readonly template?: string | undefined
  /** Variables of the template's own. */
  readonly variables?: Dict | undefined
  /** Default: true, unless the last message is continued. */
  readonly addGenerationPrompt?: boolean | undefined
  /** Whether the last message is left open; a text: its field that is. */
  readonly continueFinalMessage?: boolean | string | undefined
  /** Whether the spans of `{% generation %}` are wanted. Default: false. */
  readonly returnSpans?: boolean | undefined
}

/** A chat's text, and the spans of its `{% generation %}` blocks in code points, in the order in which the blocks end. */
export interface RenderedChat {
  readonly text: string
  readonly spans: readonly (readonly [start: number, end: number])[]
}

/** Names that are arguments of `apply_chat_template`, and cannot be variables. */
const TAKEN = new Set(
  'add_generation_prompt chat_template continue_final_message conversation conversations documents max_length messages padding return_assistant_tokens_mask return_dict return_tensors sanitize_control_tokens tokenize tokenizer_kwargs tools truncation'.split(
    ' ',
  ),
)

/** The text of {@link chatSteps}. */
export function* renderChat(files: ChatFiles, chat: Chat, maxCharacters: number): Steps<string> {
  return (yield* chatSteps(files, chat, maxCharacters)).text
}

/**
 * The text of a chat, equal to that of transformers' `apply_chat_template(…, tokenize=False)`, in steps.
 *
 * @param maxCharacters of the text
 * @throws ChatError `template_unavailable`, `template_unsupported`, `template_failed`, `invalid_request`, `empty_input`
 */
export function* chatSteps(files: ChatFiles, chat: Chat, maxCharacters: number): Steps<RenderedChat> {
  const { continueFinalMessage = false, returnSpans = false } = chat
  const continues = continueFinalMessage !== false
  const { addGenerationPrompt = !continues } = chat
  if (continues && addGenerationPrompt) {
    const message = '`continue_final_message` must not be given beside `add_generation_prompt`. Given: both'
    throw new ChatError('invalid_request', message, 'continue_final_message')
  }
  if (continues && returnSpans) {
    const message = '`continue_final_message` must not be given beside `return_spans`. Given: both'
    throw new ChatError('invalid_request', message, 'continue_final_message')
  }
  const messages = checkedMessages(chat.messages)
  const open = yield* openChat(files, chat, maxCharacters)
  const field = typeof continueFinalMessage === 'string' ? continueFinalMessage : 'content'
  const continued = continues ? markFinal(messages, field, open.template.source) : undefined
  const rendered = yield* open.render(messages, addGenerationPrompt, returnSpans)
  const text = continued === undefined ? rendered.text : cutAtFinal(rendered.text, continued)
  return { text, spans: returnSpans ? rendered.spans : [] }
}

/** A chat's template and variables, which render its messages, or others in their place. */
export class OpenChat {
  constructor(
    readonly template: ChatTemplate,
    private readonly variables: ReadonlyMap<string, Value>,
    private readonly unknown: ReadonlySet<string>,
    private readonly maxCharacters: number,
  ) {}

  /**
   * The text of messages, of none too.
   *
   * @param messages as {@link checkedMessages} gives them
   * @throws ChatError `template_unsupported`, `template_failed`
   */
  render(messages: readonly Dict[], addGenerationPrompt: boolean, returnSpans: boolean): Steps<RenderedChat> {
    const variables = new Map(this.variables)
      .set('messages', messages)
      .set('add_generation_prompt', addGenerationPrompt)
    return this.template.render(variables, this.unknown, this.maxCharacters, returnSpans)
  }
}

/** Reads the template and the variables of a chat. @throws ChatError as {@link chatSteps} */
export function* openChat(files: ChatFiles, chat: Chat, maxCharacters: number): Steps<OpenChat> {
  const tools = checkedObjects('tools', chat.tools ?? null)
  const documents = checkedObjects('documents', chat.documents ?? null)
  const template = yield* ChatTemplate.of(chosenTemplate(files, chat.template, tools !== null))
  const variables = new Map<string, Value>(Object.entries(files.tokens))
  for (const [name, value] of chat.variables ?? []) variables.set(ownName(String(name)), value)
  variables.set('tools', tools).set('documents', documents)
  const unknown = files.unknownTokens.filter((name) => !variables.has(name))
  return new OpenChat(template, variables, new Set(unknown), maxCharacters)
}

function ownName(name: string): string {
  if (!TAKEN.has(name)) return name
  const param = `chat_template_kwargs.${name}`
  throw new ChatError('invalid_request', `\`${param}\` must be a variable of the template's own.`, param)
}
