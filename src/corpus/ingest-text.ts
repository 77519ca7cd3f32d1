import { InletError } from '../first-layer/errors.js'
import { type Text, tokenizeAsync } from '../first-layer/tokens/tokenize.js'
import type { Tokenizer } from '../first-layer/tokens/tokenizer.js'
import { checkedText } from '../first-layer/tokens/unicode/utf8.js'
import type { DocumentWriter, Done } from './document-writer.js'
import { eachLine } from './ingest-lines.js'

export interface TextUpload extends TextSettings {
  /** Whether the whole text is a document, or each line that is not empty. */
  readonly documents: 'one' | 'lines'
}

/**
 * Documents of plain text: the whole of it, or its lines. Each document is tokenized as if it were alone; lines have no
 * `\n` or `\r\n`, and empty lines are none. `a\n\nb` → `a`, `b`. Memory does not depend on the length of the text.
 * @param chunks UTF-8, cut anywhere
 * @throws InletError `empty_input`, `invalid_unicode`; for a tokenizer that must hold a text as a whole `body_too_large`
 * and `tokenizer_unavailable`, with the line's number
 */
export async function ingestText(
  chunks: AsyncIterable<Uint8Array>,
  upload: TextUpload,
  writer: DocumentWriter,
): Promise<void> {
  const checked = checkedText(chunks)
  if (upload.documents === 'one') await writeText(upload, checked, writer)
  else
    await eachLine(checked, writer, Number.POSITIVE_INFINITY, (line) =>
      writeText(upload, textOf(line), writer),
    )
  if (writer.numDocuments === 0) {
    const message = '`text` must have a line that is not empty. Given: empty lines only'
    throw new InletError('empty_input', message, 'text')
  }
}

export interface TextSettings {
  readonly tokenizer: Tokenizer
  /** Special tokens whose literal in the text becomes their id. */
  readonly allowedSpecial: ReadonlySet<string>
  /** Whether each text gets the tokens that the model expects around it. Default: false */
  readonly addSpecialTokens?: boolean | undefined
}

/** Bytes, or UTF-16 units, of the longest text that is tokenized at once as a string. */
const SHORT_TEXT = 5400

/** UTF-8 as it is tokenized fastest. */
export function textOf(utf8: Buffer): Text {
  return utf8.length <= SHORT_TEXT ? utf8.toString() : [utf8]
}

/** Makes a document of a text: a short one at once, many of which come in a turn. Bytes must be valid UTF-8. */
export function writeText(
  { tokenizer, allowedSpecial, addSpecialTokens = false }: TextSettings,
  text: Text | AsyncIterable<Uint8Array>,
  writer: DocumentWriter,
): Done {
  const { ids } = writer
  const options = { allowedSpecial, addSpecialTokens }
  const isShort = typeof text === 'string' && text.length <= SHORT_TEXT && writer.hasRoom()
  if (isShort && tokenizer.encodeShort?.(text, options, ids)) return writer.endDocument()
  const between = (bytes: number) => writer.makeRoom(bytes)
  return tokenizeAsync(tokenizer, text, options, { ids, between }).then(() => writer.endDocument())
}
