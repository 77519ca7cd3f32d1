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

/**
 * The answer where a template's meaning is not known to the last byte: the caller gets the name of the construct, never
 * other ids than transformers'.
 *
 * @param construct as a person finds it in the template: "filter `groupby`"
 */
export function unsupported(construct: string, why = 'is not rendered here'): ChatError {
  const message = `The chat template cannot be rendered exactly: ${head(construct)} ${why}.`
  return new ChatError('template_unsupported', message, 'messages')
}

/** The answer where the template ends by itself, or does what ends it in Python too. */
export function failed(why: string): ChatError {
  return new ChatError('template_failed', `The chat template failed: ${head(why)}`, 'messages')
}

/** @param rule with the value that was given, where that is short */
export function invalid(field: string, rule: string): ChatError {
  return new ChatError('invalid_request', `\`${field}\` ${rule}.`, field)
}
