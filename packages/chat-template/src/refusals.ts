import { ChatError, head } from './errors.js'

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
