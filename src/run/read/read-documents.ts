import type { DocumentSink } from '../../corpus/document-writer.js'
import { ingestNdjson } from '../../corpus/ingest-ndjson.js'
import { type IngestFacts, ingestText } from '../../corpus/ingest-text.js'
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
  if (recipe.chats?.isAsked && shard.holds !== 'ndjson')
    throw new Error(`Chats must be lines of JSON. Given: ${shard.holds}`)
  if (shard.holds === 'parquet') return readTable(shard, recipe, made, sink, told)
  const { documents, text_column: textField, chats } = recipe
  const { documentStart, documentEnd, idLimit } = made
  const frame = { documentStart, documentEnd }
  const input = new InputBytes(await openInputFile(shard.path), shard.packing, told)
  try {
    const lines = { text: made, textField, idLimit, ...frame, chats, maxLineBytes: MAX_LINE_BYTES }
    const work =
      shard.holds === 'text'
        ? ingestText(input.chunks(), { ...made, documents }, sink)
        : ingestNdjson(input.chunks(), lines, sink)
    const facts: IngestFacts = await work.catch((error) => {
      const isEmpty = error instanceof InletError && error.code === 'empty_input'
      if (isEmpty && !error.message.startsWith('Line ')) return { numCharacters: 0 } // a chat may be empty too
      throw error
    })
    const { numCharacters: characters, chats: counts } = facts
    return { sha256: await input.finish(), bytes: input.bytes, characters, chats: counts }
  } finally {
    await input.file.close()
  }
}

async function readTable(
  shard: Shard,
  { text_column }: Recipe,
  made: OpenTokenizer,
  sink: DocumentSink,
  told: (bytes: number) => void,
): Promise<ReadInput> {
  if (shard.packing !== undefined)
    throw new Error(`Parquet must not be packed as a whole: its pages are. Given: ${shard.packing}`)
  const { ingestParquet } = await import('../../corpus/ingest-parquet.js') // its library: other inputs do without
  const input = new InputBytes(await openInputFile(shard.path))
  try {
    let bytes = 0
    const characters = await ingestParquet(input.file, text_column, made, sink, (more) => {
      bytes += more
      told(more)
    })
    for await (const _ of input.chunks());
    const sha256 = await input.finish()
    told(input.bytes - bytes)
    return { sha256, bytes: input.bytes, characters }
  } finally {
    await input.file.close()
  }
}
