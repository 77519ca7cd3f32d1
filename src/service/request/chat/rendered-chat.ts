import { type Chat, renderChat } from '../../../../packages/chat-template/src/index.js'
import type { ModelCard, OtherIds } from '../../../first-layer/cards/model-card.js'
import { type Claim, drive } from '../../../first-layer/running/drive.js'
import { InletError } from '../../answer/error-table.js'
import { withOwnErrors } from './chat-errors.js'

/** Bytes of memory of a unit, as text and as its UTF-8. */
const UNIT_BYTES = 5

/** The answer about chats for a model without files. */
const NO_CHAT = { templates: undefined, tokens: {}, unknownTokens: [] } as const

/**
 * The text of a chat by the model's template, in short turns.
 *
 * @param maxCharacters of the text
 * @throws InletError `template_unavailable`, `template_unsupported`, `template_failed`, `invalid_request`, `empty_input`
 */
export async function renderedChat(
  card: ModelCard,
  chat: Chat,
  maxCharacters: number,
  claim: Claim,
): Promise<string> {
  const text = await drive(claim, withOwnErrors(renderChat(card.chat ?? NO_CHAT, chat, maxCharacters)))
  if (card.chat?.otherIds !== undefined) checkIds(card.chat.otherIds, text)
  const wait = claim.take(text.length * UNIT_BYTES)
  if (wait !== undefined) await wait
  return text
}

/** @throws InletError `template_unsupported` where transformers makes other ids of the text */
function checkIds({ always, tokens }: OtherIds, text: string): void {
  const why = always ?? Object.entries(tokens).find(([literal]) => text.includes(literal))?.[1]
  if (why === undefined) return
  const how = 'AutoTokenizer.from_pretrained(".").save_pretrained(".") in the folder writes one that has them'
  const message = `transformers makes other ids of this chat than the folder's tokenizer.json: ${why}. ${how}`
  throw new InletError('template_unsupported', message, 'messages')
}
