import { type Chat, chatSteps, type Dict, readValues, run, type Steps } from 'inlet-chat-template'
import type { ModelCard } from '../first-layer/cards/model-card.js'
import { checkIds, NO_CHAT, withOwnErrors } from '../first-layer/datasets/chats/chat-texts.js'
import type { FirstLayerModel, Message, RenderOptions } from './api.js'

/** The text of a chat by the model's template. @throws InletError as {@link FirstLayerModel.render} */
export function* chatText(card: ModelCard, chat: Chat, maxCharacters: number): Steps<string> {
  const { chat: files = NO_CHAT } = card
  const { text } = yield* withOwnErrors(chatSteps(files, chat, maxCharacters))
  checkIds(files, text)
  return text
}

/** The text of a chat, as {@link chatText}, of plain values: numbers without a fraction are Python's int. */
export function render(card: ModelCard, messages: readonly Message[], options: RenderOptions): string {
  const { tools, documents, chat_template_kwargs, ...others } = options
  const json = JSON.stringify({ messages, tools, documents, chat_template_kwargs })
  const values = run(withOwnErrors(readValues(json, 'messages'))) as Dict
  const chat = { ...others, ...(Object.fromEntries(values) as Pick<Chat, 'messages'>) }
  return run(chatText(card, chat, Number.POSITIVE_INFINITY))
}
