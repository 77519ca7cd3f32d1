import {
  ChatError,
  checkedMessages,
  type Dict,
  type OpenChat,
  openChat,
  type RenderedChat,
  run,
  type Value,
} from 'inlet-chat-template'
import type { ChatCard } from '../../cards/model-card.js'
import { InletError } from '../../errors.js'
import type { ChatTexts } from './turn-spans.js'

/** The values from which a template makes a chat's text. */
export interface TemplateChat {
  readonly messages: readonly Value[]
  readonly tools?: Value | undefined
  readonly documents?: Value | undefined
  readonly variables?: Dict | undefined
  /** A template, or the name of one of the model's. */
  readonly template?: string | undefined
}

const NO_CHAT: ChatCard = { templates: undefined, tokens: {}, unknownTokens: [] }
/** Texts that are kept: those that two turns of a chat share. */
const KEPT = 8

/** The texts that a model's template makes of a chat and of its beginnings. */
export class TemplateTexts implements ChatTexts {
  readonly #open: OpenChat
  readonly #messages: readonly Dict[]
  readonly #kept = new Map<string, string | undefined>()

  /**
   * @param maxCharacters of each text
   * @throws InletError `template_unavailable`, `template_unsupported`, `invalid_request`, `empty_input`
   */
  constructor(
    private readonly card: ChatCard = NO_CHAT,
    chat: TemplateChat,
    maxCharacters: number,
  ) {
    this.#messages = withOwnError(() => checkedMessages(chat.messages))
    this.#open = withOwnError(() => run(openChat(card, chat, maxCharacters)))
  }

  /** Whether the template has `{% generation %}` blocks. */
  get hasTags(): boolean {
    return this.#open.template.hasGeneration
  }

  /** The text of all messages. @throws InletError `template_failed`, `template_unsupported` */
  whole(withPrompt: boolean): string {
    return (
      this.beginning(this.#messages.length, withPrompt) ??
      this.#rendered(this.#messages, withPrompt, false).text
    )
  }

  /** The text of all messages, and the spans of `{% generation %}`. @throws InletError as {@link whole} */
  tagged(withPrompt: boolean): RenderedChat {
    if (this.hasTags) return this.#rendered(this.#messages, withPrompt, true)
    const message = 'The chat template has no `{% generation %}` block: `mask` must be `sampled`.'
    throw new InletError('template_unsupported', message, 'messages')
  }

  beginning(count: number, withPrompt: boolean): string | undefined {
    return this.#text(`${count} ${withPrompt}`, () => this.#messages.slice(0, count), withPrompt)
  }

  withPlainAnswer(count: number, withPrompt: boolean): string | undefined {
    return this.#text(
      `${count} a ${withPrompt}`,
      () => [...this.#messages.slice(0, count), PLAIN_ANSWER],
      withPrompt,
    )
  }

  #text(key: string, messages: () => readonly Dict[], withPrompt: boolean): string | undefined {
    if (this.#kept.has(key)) return this.#kept.get(key)
    let text: string | undefined
    try {
      text = this.#rendered(messages(), withPrompt, false).text
    } catch (error) {
      if (!(error instanceof InletError) || error.code !== 'template_failed') throw error
    }
    if (this.#kept.size === KEPT) this.#kept.delete(this.#kept.keys().next().value!)
    this.#kept.set(key, text)
    return text
  }

  #rendered(messages: readonly Dict[], withPrompt: boolean, withSpans: boolean): RenderedChat {
    const rendered = withOwnError(() => run(this.#open.render(messages, withPrompt, withSpans)))
    checkIds(this.card, rendered.text)
    return rendered
  }
}

const PLAIN_ANSWER: Dict = new Map([
  ['role', 'assistant'],
  ['content', 'a'],
])

/** Refuses a text of which transformers makes other ids than the folder's tokenizer.json. */
export function checkIds({ otherIds }: ChatCard, text: string): void {
  if (otherIds === undefined) return
  const why =
    otherIds.always ?? Object.entries(otherIds.tokens).find(([literal]) => text.includes(literal))?.[1]
  if (why === undefined) return
  const how = 'AutoTokenizer.from_pretrained(".").save_pretrained(".") in the folder writes one that has them'
  const message = `transformers makes other ids of this chat than the folder's tokenizer.json: ${why}. ${how}`
  throw new InletError('template_unsupported', message, 'messages')
}

function withOwnError<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw error instanceof ChatError ? new InletError(error.code, error.message, error.param) : error
  }
}
