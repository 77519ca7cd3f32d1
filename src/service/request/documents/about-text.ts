import { InletError } from '../../answer/error-table.js'

/** The name of a text in the messages of tokenizers, which know one text alone. */
const ONE_TEXT = 'text'

/** An error about a text, with the path of that text in the request. */
export function aboutText(error: unknown, path: string): unknown {
  if (!(error instanceof InletError) || error.param !== ONE_TEXT || path === ONE_TEXT) return error
  return new InletError(error.code, error.message.replace(`\`${ONE_TEXT}\``, `\`${path}\``), path)
}
