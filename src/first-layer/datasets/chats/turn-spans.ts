import { InletError } from '../../errors.js'
import type { TemplateTexts } from './chat-texts.js'

const WHY = {
  not_rendered: 'the chat template fails for the messages up to it',
  opens_next_turn: 'the chat template begins the next turn by itself, and where this one ends is not known',
  rewrites_history: 'the chat template writes it in another way than the model would have',
} as const

export type RefusalReason = keyof typeof WHY

/** A chat that has no exact mask. */
export class ChatRefused extends InletError {
  /** @param turn the message's index */
  constructor(
    readonly turn: number,
    readonly reason: RefusalReason,
  ) {
    const param = `messages.${turn}`
    super('chat_refused', `\`${param}\` has no exact mask (${reason}): ${WHY[reason]}.`, param)
  }
}

/** A part of a text, in UTF-16 units. */
export interface TurnSpan {
  readonly start: number
  readonly end: number
  /** Whether the prompt opens a block that history does not show: the span begins within the prompt. */
  readonly isPrefilled?: boolean
}

/** A document's text, and what of it the model itself would have sampled. */
export interface SpannedText {
  /** The one turn that is trained; null: the whole chat. */
  readonly turn: number | null
  readonly text: string
  readonly spans: readonly TurnSpan[]
}

export type Turns = 'auto' | 'whole' | 'each' | 'last'

/** The words of the laws (docs/chats.md): R(m) is the template's text of the messages m, G(m) that with a generation prompt. */
type Beginnings = Pick<TemplateTexts, 'beginning'>

/**
 * The documents of a chat under the law `sampled`.
 *
 * @param whole R of all messages
 * @param wanted indexes of the assistant's messages that are to be trained
 * @throws ChatRefused
 */
export async function sampledTexts(
  texts: Beginnings,
  whole: string,
  wanted: readonly number[],
  turns: Turns,
): Promise<SpannedText[]> {
  if (turns === 'auto' || turns === 'whole' || wanted.length === 0) {
    try {
      const spans: TurnSpan[] = []
      for (const turn of wanted) spans.push(await turnSpan(texts, whole, turn))
      return [{ turn: null, text: whole, spans }]
    } catch (error) {
      if (!(error instanceof ChatRefused) || turns === 'whole') throw error
    }
  }
  const documents: SpannedText[] = []
  for (const turn of turns === 'last' ? wanted.slice(-1) : wanted) {
    const text = await texts.beginning(turn + 1, false)
    if (text === undefined) throw new ChatRefused(turn, 'not_rendered')
    documents.push({ turn, text, spans: [await turnSpan(texts, text, turn)] })
  }
  return documents
}

/** The span of the assistant's message `turn` in a text. @throws ChatRefused */
async function turnSpan(texts: Beginnings, text: string, turn: number): Promise<TurnSpan> {
  const prompt = await texts.beginning(turn, true)
  const answered = await texts.beginning(turn + 1, false)
  if (prompt === undefined || answered === undefined) throw new ChatRefused(turn, 'not_rendered')
  if (await opensNextTurn(texts, turn, answered)) throw new ChatRefused(turn, 'opens_next_turn')
  if (!text.startsWith(answered)) throw new ChatRefused(turn, 'rewrites_history')
  if (answered.startsWith(prompt)) return { start: prompt.length, end: answered.length }
  const history = await texts.beginning(turn, false)
  const common = commonPrefix(prompt, answered)
  if (history === undefined || !prompt.startsWith(history) || common <= history.length)
    throw new ChatRefused(turn, 'rewrites_history')
  return { start: common, end: answered.length, isPrefilled: true }
}

/** Whether no prompt follows the turn, though one follows a plain answer in its place: its end is not known then. */
async function opensNextTurn(texts: Beginnings, turn: number, answered: string): Promise<boolean> {
  if ((await texts.beginning(turn + 1, true)) !== answered) return false
  const closed = await texts.beginning(turn, false, true)
  const prompted = await texts.beginning(turn, true, true)
  return closed !== undefined && prompted !== undefined && prompted !== closed
}

/** The length of what two texts begin with, in whole code points. */
function commonPrefix(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  let length = 0
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++
  const isHalf = length > 0 && (a.charCodeAt(length - 1) & 0xfc00) === 0xd800
  return isHalf ? length - 1 : length
}
