/** Why a chat has no text. */
export type ChatErrorCode =
  | 'template_unavailable'
  | 'template_unsupported'
  | 'template_failed'
  | 'invalid_request'
  | 'invalid_unicode'
  | 'empty_input'

/** A refusal, or a mistake in the chat; `param` is the field as a dotted path, `messages.1.content`, or null. */
export class ChatError extends Error {
  override readonly name = 'ChatError'

  constructor(
    readonly code: ChatErrorCode,
    message: string,
    readonly param: string | null = null,
  ) {
    super(message)
  }
}

const SHOWN_CHARACTERS = 80

/** A text, short enough for a message. */
export function head(text: string): string {
  const short = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
  return short.toWellFormed()
}
