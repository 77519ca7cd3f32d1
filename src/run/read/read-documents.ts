import { type DocumentSink, DocumentWriter } from '../../corpus/document-writer.js'
import { ingestNdjson } from '../../corpus/ingest-ndjson.js'
import { ingestText } from '../../corpus/ingest-text.js'
import type { ChatCounts } from '../../first-layer/datasets/chats/chat-lines.js'
import { InletError } from '../../first-layer/errors.js'
import type { OpenTokenizer, Recipe } from '../recipe.js'
import type { Shard } from '../shard.js'
import { InputBytes, openInputFile } from './input.js'

/** Bytes of the longest line of JSON, which is held as a whole: 1 GiB. */
const MAX_LINE_BYTES = 2 ** 30

interface ReadInput {
  readonly sha256: string
  /** As it is stored. */
  readonly bytes: number
  readonly characters: number
  readonly chats?: ChatCounts | undefined
}

/**
 * Passes a shard's documents on as ids. An input without any is one too. The hash of Parquet, which is read from its end, is
 * taken in a second read of the same open file.
 *
 * @param told called with the bytes of each read
 * @throws InletError as an upload of the same documents, Error for a file that cannot be read or unpacked
 */
export async function readDocuments(
  shard: Shard,
  recipe: Recipe,
  made: OpenTokenizer,
  sink: DocumentSink,
  told: (bytes: number) => void,
): Promise<ReadInput> {
  const { holds, packing, path } = shard
  if (recipe.chats?.isAsked && holds !== 'ndjson')
    throw new Error(`Chats must be lines of JSON. Given: ${holds}`)
  const isTable = holds === 'parquet'
  if (isTable && packing !== undefined)
    throw new Error(`Parquet must not be packed as a whole: its pages are. Given: ${packing}`)
  await using file = await openInputFile(path)
  const input = new InputBytes(file, packing, isTable ? undefined : told)
  const writer = new DocumentWriter(sink, made)
  const chats = await ingest(input, holds, recipe, made, writer, told).catch((error) => {
    const isEmpty = error instanceof InletError && error.code === 'empty_input'
    if (!isEmpty || error.message.startsWith('Line ')) throw error // a chat may be empty too
    return undefined
  })
  await writer.flush()
  if (isTable) for await (const _ of input.chunks());
  const { characters } = writer.ids
  return { sha256: await input.finish(), bytes: input.bytes, characters, chats }
}

async function ingest(
  input: InputBytes,
  holds: Shard['holds'],
  { documents, text_column: textField, chats }: Recipe,
  made: OpenTokenizer,
  writer: DocumentWriter,
  told: (bytes: number) => void,
): Promise<ChatCounts | undefined> {
  const lines = { text: made, textField, idLimit: made.idLimit, chats, maxLineBytes: MAX_LINE_BYTES }
  if (holds === 'ndjson') return ingestNdjson(input.chunks(), lines, writer)
  if (holds === 'text') await ingestText(input.chunks(), { ...made, documents }, writer)
  else {
    const { ingestParquet } = await import('../../corpus/ingest-parquet.js') // its library: other inputs do without
    await ingestParquet(input.file, textField, made, writer, told)
  }
  return undefined
}
