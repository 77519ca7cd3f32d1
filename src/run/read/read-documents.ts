import type { DocumentSink } from '../../datasets/ingest/document-sink.js'
import { ingestNdjson } from '../../datasets/ingest/ingest-ndjson.js'
import { ingestText } from '../../datasets/ingest/ingest-text.js'
import { UNBOUNDED } from '../../load/claim.js'
import type { Recipe } from '../recipe.js'
import type { Shard } from '../shard.js'
import type { OpenTokenizer } from '../tokenizer.js'
import { InputBytes } from './input-bytes.js'
import type { ReadInput } from './read-input.js'

/** Bytes of the longest line of JSON, which is held as a whole: 1 GiB. */
const MAX_LINE_BYTES = 2 ** 30

/**
 * Passes a shard's documents on as ids.
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
  if (shard.holds === 'parquet') {
    const { readParquet } = await import('./parquet/read-parquet.js') // its library: other inputs do without
    return readParquet(shard, recipe.textColumn, made, sink, told)
  }
  const input = await InputBytes.open(shard, told)
  try {
    const { numCharacters } = await ingest(input.chunks(), shard, recipe, made, sink)
    return { sha256: await input.finish(), bytes: input.bytes, characters: numCharacters }
  } finally {
    await input.close()
  }
}

function ingest(
  chunks: AsyncIterable<Uint8Array>,
  { holds }: Shard,
  { documents, textColumn: textField }: Recipe,
  text: OpenTokenizer,
  sink: DocumentSink,
) {
  const { documentEnd, idLimit } = text
  if (holds === 'text') return ingestText(chunks, { ...text, documents, documentEnd }, sink, UNBOUNDED)
  const lines = { text, textField, idLimit, documentEnd, maxLineBytes: MAX_LINE_BYTES }
  return ingestNdjson(chunks, lines, sink, UNBOUNDED)
}
