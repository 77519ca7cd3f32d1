import { join } from 'node:path'
import { InletError } from '../../first-layer/errors.js'
import { inputEmbeddings } from '../../first-layer/input-embedding.js'
import { drive, drivenBlocks, UNBOUNDED } from '../../first-layer/running/drive.js'
import { Documents } from '../../first-layer/windows/documents.js'
import { placeOfAtLeast } from '../../service/request/documents/id-documents.js'
import type { OpenModel } from '../open-model.js'
import type { ShardOutput } from '../record.js'
import { StagingFolder } from '../staging.js'

const PART = 'tensors'

/**
 * The tensors that `inlet embed` makes of the documents, in one file. The ids of a shard are held in memory until its last
 * document, 4 bytes each: windows are counted before the first one is made. Rows are streamed.
 */
export function embeddingsOutput(out: string, { model, plan, format, vocabSize }: OpenModel): ShardOutput {
  const documents = new Documents()
  const staging = new StagingFolder(out)
  return {
    async write(ids, ends) {
      let start = 0
      for (const end of ends) {
        documents.ids.append(ids.subarray(start, end))
        documents.endDocument()
        start = end
      }
      documents.ids.append(ids.subarray(start))
    },
    async commit(name, characters) {
      documents.ids.characters = characters ?? 0
      await checkRows(documents, vocabSize)
      const answer = inputEmbeddings(model, documents, plan)
      for (const { prepare } of answer.tensors) if (prepare !== undefined) await drive(UNBOUNDED, prepare())
      const { body } = format.encode(answer, { encodingFormat: 'float' })
      const file = await staging.open(PART)
      for await (const block of drivenBlocks(UNBOUNDED, body)) await file.write(block)
      const [sha256, output] = [await file.close(), `${name}.${format.name}`]
      await staging.move(PART, join(out, output))
      const { count, totalTokens } = documents
      return { output, sha256, output_bytes: file.bytes, documents: count, tokens: totalTokens }
    },
    abandon: () => staging.remove(),
  }
}

/** @throws InletError for a token without a row: the table may be smaller than the vocabulary */
async function checkRows(documents: Documents, vocabSize: number): Promise<void> {
  const place = await placeOfAtLeast(documents.ids, vocabSize, UNBOUNDED)
  if (place < 0) return
  const rule = `must give ids below \`vocab_size\` ${vocabSize}. Given: ${documents.ids.at(place)}`
  throw new InletError('token_out_of_range', `Document ${documents.documentAt(place)} ${rule}`)
}
