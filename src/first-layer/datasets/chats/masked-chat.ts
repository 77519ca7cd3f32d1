import type { Chat, Value } from 'inlet-chat-template'
import type { ModelCard } from '../../cards/model-card.js'
import { InletError } from '../../errors.js'
import { ALONE, type Edge } from '../../running/edge.js'
import type { TokenBuffer } from '../../tokens/token-buffer.js'
import type { Tokenizer } from '../../tokens/tokenizer.js'
import { type ChatDocument, chatDocuments, documentMask } from './chat-documents.js'
import { chatOfLine } from './chat-line.js'
import { TemplateTexts } from './chat-texts.js'
import { ChatRefused, refusedMessage } from './turn-spans.js'

/** Bytes of memory of a unit: of the text, its UTF-8, and the texts of eight of the chat’s beginnings. */
const UNIT_BYTES = 21

/**
 * The text of a chat, of which a mask is to be made.
 *
 * @param law absent: `tags` where the template has them, else `sampled`
 * @throws InletError `chat_refused`, and those of a template
 */
export async function maskedChat(
  card: Pick<ModelCard, 'chat'>,
  chat: Chat,
  law: 'sampled' | 'tags' | undefined,
  maxCharacters: number,
  edge: Edge = ALONE,
): Promise<ChatDocument> {
  if ((chat.continue_final_message ?? false) !== false) {
    const message = '`continue_final_message` must not be given beside a mask.'
    throw new InletError('invalid_request', message, 'continue_final_message')
  }
  const { tools = null, documents, chat_template, chat_template_kwargs: variables = null } = chat
  const addGenerationPrompt = chat.add_generation_prompt ?? true
  const line = new Map<string, Value>([
    ['messages', chat.messages],
    ['tools', tools],
    ['chat_template_kwargs', variables],
  ])
  const own = chatOfLine(line, 'messages')
  const given = { ...own, documents, chat_template }
  const texts = await TemplateTexts.open(card.chat, given, maxCharacters, () => edge.between())
  const mask = law ?? (texts.hasTags ? 'tags' : 'sampled')
  const options = { mask, turns: 'whole', trailing: 'mask' } as const
  try {
    if (mask === 'sampled') await edge.between(UNIT_BYTES * (await texts.whole(addGenerationPrompt)).length)
    const [document] = await chatDocuments(texts, own, options, addGenerationPrompt)
    return document
  } catch (error) {
    throw error instanceof ChatRefused ? refusedMessage(error) : error
  }
}

/** The mask of its ids: 1 where a token is trained. @param ids as `documentMask` takes them */
export function lossMask(tokenizer: Tokenizer, document: ChatDocument, ids: TokenBuffer): Uint8Array {
  const counts = { num_prefilled: 0, num_without_stop: 0, num_straddling: 0 }
  return documentMask(tokenizer, document, ids, counts)
}
