import { join } from 'node:path'
import { plainId } from '../../corpus/document-writer.js'
import { AsideFolder } from '../../files/aside.js'
import { fileMetadata } from '../../first-layer/answer.js'
import { InletError } from '../../first-layer/errors.js'
import { inputEmbeddings } from '../../first-layer/input-embedding.js'
import { npyFile } from '../../first-layer/tensors/npy.js'
import { safetensorsFile } from '../../first-layer/tensors/safetensors/safetensors-file.js'
import { NO_TARGET } from '../../first-layer/windows/batch.js'
import { Documents } from '../../first-layer/windows/documents.js'
import type { OpenModel } from '../open-model.js'
import type { ShardOutput } from '../record.js'

const PART = 'tensors'

/**
 * The tensors that `inlet embed` makes of the documents, in one file. The ids of a shard are held in memory until its last
 * document, 4 bytes each: windows are counted before the first one is made. Rows are streamed.
 */
export function embeddingsOutput(
  out: string,
  { model, plan, to, vocabSize, ...rest }: OpenModel,
): ShardOutput {
  const documents = new Documents()
  let trained: Documents | undefined
  const staging = new AsideFolder(out)
  return {
    startMask() {
      if (rest.addSpecialTokens) throw new Error('`add_special_tokens` must not be given for chats.')
      trained = new Documents()
    },
    async write(given, ends) {
      trained?.ids.append(given.map((id) => (id < 0 ? NO_TARGET : id)))
      const ids = given.map(plainId)
      let start = 0
      for (const end of ends) {
        documents.ids.append(ids.subarray(start, end))
        documents.endDocument()
        trained?.endDocument(documents.totalTokens)
        start = end
      }
      documents.ids.append(ids.subarray(start))
    },
    async commit(name, characters) {
      documents.ids.characters = characters ?? 0
      checkRows(documents, vocabSize)
      const answer = await inputEmbeddings(model, documents, { ...plan, trained })
      const { tensors } = answer
      const body = to === 'npy' ? npyFile(tensors[0]) : safetensorsFile(fileMetadata(answer), tensors)
      const file = await staging.open(PART)
      for await (const block of body.blocks()) await file.write(block)
      const [sha256, output] = [await file.close(), `${name}.${to}`]
      await staging.moveFile(PART, join(out, output))
      const { count, totalTokens } = documents
      return { output, sha256, output_bytes: file.bytes, documents: count, tokens: totalTokens }
    },
    abandon: () => staging.remove(),
  }
}

/** @throws InletError for a token without a row: the table may be smaller than the vocabulary */
function checkRows(documents: Documents, vocabSize: number): void {
  let before = 0
  for (const block of documents.ids.blocks()) {
    const at = block.findIndex((id) => id >= vocabSize)
    if (at >= 0) {
      const rule = `must give ids below \`vocab_size\` ${vocabSize}. Given: ${block[at]}`
      throw new InletError('token_out_of_range', `Document ${documents.documentAt(before + at)} ${rule}`)
    }
    before += block.length
  }
}
