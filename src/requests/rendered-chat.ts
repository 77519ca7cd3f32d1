import { type Chat, renderChat } from '../chat/chat.js'
import { InletError, SHOWN } from '../errors.js'
import type { OtherIds } from '../first-layer/cards/chat-card.js'
import type { ModelCard } from '../first-layer/cards/model-card.js'
import type { Claim } from '../load/claim.js'
import { drive } from '../load/drive.js'
import type { DocumentMaker, GivenTexts, TextPieces } from '../wire/given.js'

/** UTF-8 made of a text at a time: units of it. */
const PIECE = 1 << 16
/** Bytes of memory of a unit, as text and as its UTF-8. */
const UNIT_BYTES = 5

/** What a model without files of its own says about chats. */
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
): Promise<RenderedChat> {
  const text = await drive(claim, renderChat(card.chat ?? NO_CHAT, chat, maxCharacters))
  if (card.chat?.otherIds !== undefined) checkIds(card.chat.otherIds, text)
  const wait = claim.take(text.length * UNIT_BYTES)
  if (wait !== undefined) await wait
  return new RenderedChat(text)
}

/** @throws InletError `template_unsupported` where transformers makes other ids of the text */
function checkIds({ always, tokens }: OtherIds, text: string): void {
  const why = always ?? Object.entries(tokens).find(([literal]) => text.includes(literal))?.[1]
  if (why === undefined) return
  const how = 'AutoTokenizer.from_pretrained(".").save_pretrained(".") in the folder writes one that has them'
  const message = `transformers makes other ids of this chat than the folder's tokenizer.json: ${why}. ${how}`
  throw new InletError('template_unsupported', message, 'messages')
}

/** The one text of a chat. */
export class RenderedChat implements GivenTexts {
  readonly count = 1
  readonly isList = false
  readonly isText = true
  readonly [SHOWN] = 'a chat'

  constructor(private readonly text: string) {}

  *[Symbol.iterator](): IterableIterator<TextPieces> {
    yield new WholeText(this.text)
  }

  makeDocuments<Made>(maker: DocumentMaker<Made>): Made {
    return maker.ofTexts(this)
  }

  letGo(): number {
    return 0
  }
}

class WholeText implements TextPieces {
  constructor(private readonly text: string) {}

  get length(): number {
    return this.text.length
  }

  toString(): string {
    return this.text
  }

  *pieces(): IterableIterator<Uint8Array> {
    const { text } = this
    for (let at = 0; at < text.length; ) {
      const cut = at + PIECE
      const isPair = (text.charCodeAt(cut - 1) & 0xfc00) === 0xd800
      const end = isPair ? cut + 1 : cut
      yield Buffer.from(text.slice(at, end))
      at = end
    }
  }
}
