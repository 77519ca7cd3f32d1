import { type Chat, ChatError, type Dict, openChat, type RenderedChat, type Steps } from 'inlet-chat-template'
import type { ChatCard } from '../../cards/model-card.js'
import { InletError } from '../../errors.js'

export const NO_CHAT: ChatCard = { templates: undefined, tokens: {}, unknownTokens: [] }

/** Called within a render, often: a promise where the caller's other work shall have its turn first. */
export type Turn = () => Promise<void> | undefined

/** Pauses in all renders of a chat: 64 times those of a template that takes the most steps it may. */
const MOST_PAUSES = 128_000
/** Texts that are kept: those that two turns of a chat share. */
const KEPT = 8

/** The texts that a model's template makes of a chat and of its beginnings. */
export type TemplateTexts = Awaited<ReturnType<typeof templateTexts>>

/**
 * @param maxCharacters of each text
 * @throws InletError `template_unavailable`, `template_unsupported`, `invalid_request`, `empty_input`
 */
export async function templateTexts(
  card: ChatCard = NO_CHAT,
  chat: Chat,
  maxCharacters: number,
  nextTurn?: Turn,
) {
  let pauses = 0
  const counted = () => {
    if (++pauses > MOST_PAUSES) throw unsupported(TOO_LONG)
    return nextTurn?.()
  }
  const open = await inTurns(withOwnErrors(openChat(card, chat, maxCharacters)), counted)
  const { messages } = open
  /** Whether the template has `{% generation %}` blocks. */
  const hasTags = open.template.generations.length > 0
  const kept = new Map<string, string | undefined>()
  return { hasTags, whole, tagged, beginning }

  /** The text of all messages. @throws InletError `template_failed`, `template_unsupported` */
  async function whole(withPrompt: boolean): Promise<string> {
    const text = await beginning(messages.length, withPrompt)
    return text ?? (await rendered(messages, withPrompt, false)).text
  }

  /** The text of all messages, and the spans of `{% generation %}`. @throws InletError as `whole` */
  async function tagged(withPrompt: boolean): Promise<RenderedChat> {
    if (!hasTags) throw unsupported(WITHOUT_TAGS)
    return rendered(messages, withPrompt, true)
  }

  /**
   * The text of the first `count` messages; undefined where the template fails.
   *
   * @param isAnswered whether a plain answer, `a`, follows them
   */
  async function beginning(count: number, withPrompt: boolean, isAnswered = false) {
    const key = `${count} ${withPrompt} ${isAnswered}`
    if (kept.has(key)) return kept.get(key)
    let text: string | undefined
    const first = messages.slice(0, count)
    try {
      text = (await rendered(isAnswered ? [...first, PLAIN_ANSWER] : first, withPrompt, false)).text
    } catch (error) {
      if (!(error instanceof InletError) || error.code !== 'template_failed') throw error
    }
    if (kept.size === KEPT) kept.delete(kept.keys().next().value!)
    kept.set(key, text)
    return text
  }

  async function rendered(given: readonly Dict[], withPrompt: boolean, withSpans: boolean) {
    const made = await inTurns(withOwnErrors(open.render(given, withPrompt, withSpans)), counted)
    checkIds(card, made.text)
    return made
  }
}

/** Runs the steps of a template, or of reading JSON, in turns. */
export async function inTurns<Result>(steps: Steps<Result>, nextTurn?: Turn): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    const wait = nextTurn?.()
    if (wait !== undefined) await wait
  }
}

const PLAIN_ANSWER: Dict = new Map([
  ['role', 'assistant'],
  ['content', 'a'],
])

const TOO_LONG =
  'The chat has too many turns for a mask: the templates of all of its beginnings take too long.'
const WITHOUT_TAGS = 'The chat template has no `{% generation %}` block: `mask` must be `sampled`.'

const unsupported = (message: string) => new InletError('template_unsupported', message, 'messages')

/** Refuses a text of which transformers makes other ids than the folder's tokenizer.json. */
export function checkIds({ otherIds }: ChatCard, text: string): void {
  if (otherIds === undefined) return
  const why =
    otherIds.always ?? Object.entries(otherIds.tokens).find(([literal]) => text.includes(literal))?.[1]
  if (why === undefined) return
  const how = 'AutoTokenizer.from_pretrained(".").save_pretrained(".") in the folder writes one that has them'
  throw unsupported(
    `transformers makes other ids of this chat than the folder's tokenizer.json: ${why}. ${how}`,
  )
}

/** Runs work on a chat and turns its errors into the library's. @throws InletError for each ChatError */
export function* withOwnErrors<Result>(steps: Steps<Result>): Steps<Result> {
  try {
    return yield* steps
  } catch (error) {
    throw error instanceof ChatError ? new InletError(error.code, error.message, error.param) : error
  }
}
