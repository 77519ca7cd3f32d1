import { join } from 'node:path'
import { ID_DTYPES } from '../../first-layer/datasets/id-dtypes.js'
import type { CorpusCard } from '../../service/corpus/dataset-card.js'
import { FOLDER } from '../../service/corpus/folders.js'
import { DatasetUpload, UploadFolder } from '../../service/corpus/upload.js'
import type { OpenModel } from '../open-model.js'
import type { Target } from '../recipe.js'
import type { ShardOutput } from '../record.js'
import { StagingFolder } from '../staging.js'
import type { OpenTokenizer } from '../tokenizer.js'
import { megatronOutput } from './megatron-output.js'

/** Begins a shard's output. @param out the run's folder @param model present for embeddings */
export async function openOutput(
  to: Target,
  out: string,
  made: OpenTokenizer,
  model: OpenModel | undefined,
): Promise<ShardOutput> {
  if (to === 'ids') return datasetOutput(out, made)
  if (to === 'bin') return binOutput(out, made.dtype)
  if (to === 'megatron') return megatronOutput(out, made.tokenizer.vocabSize)
  const { embeddingsOutput } = await import('./embeddings-output.js') // ids do without
  return embeddingsOutput(out, model!)
}

/** Begins a dataset below a run's output, which can then be a service's DATA_DIR. @param dtype of its file of tokens */
export function beginDataset(out: string, dtype: CorpusCard['dtype']): DatasetUpload {
  return new DatasetUpload(new UploadFolder(join(out, FOLDER)), dtype)
}

/** A dataset's files depend on its documents alone, not on who wrote them and when. */
export const NOBODYS = { owner: null, created: 0 }

/** A dataset, as the service stores an upload of the same documents. */
function datasetOutput(out: string, made: OpenTokenizer): ShardOutput {
  const upload = beginDataset(out, made.shortestDtype)
  return {
    write: (ids, ends) => upload.write(ids, ends),
    async commit(_, characters) {
      const { card } = await upload.finish({
        ...{ ...NOBODYS, name: null, encoding: made.encoding, num_characters: characters },
        allowed_special: made.allowsAll ? 'all' : [...made.allowedSpecial],
        document_end: made.documentEnd ?? null,
        pad_token_id: made.padTokenId ?? null,
      })
      const { id, sha256, size_bytes: output_bytes, num_documents: documents, num_tokens: tokens } = card
      return { output: `${FOLDER}/${id}`, sha256, output_bytes, documents, tokens }
    },
    abandon: () => upload.abandon(),
  }
}

const PART = 'ids.bin'

/** All ids one after the other, without a header: nanoGPT's `train.bin`. */
async function binOutput(out: string, dtype: 'uint16' | 'uint32'): Promise<ShardOutput> {
  const staging = new StagingFolder(out)
  const file = await staging.open(PART)
  let documents = 0
  return {
    async write(ids, ends) {
      documents += ends.length
      await file.writeIds(ids, dtype)
    },
    async commit(name) {
      const [sha256, output] = [await file.close(), `${name}.bin`]
      await staging.move(PART, join(out, output))
      const tokens = file.bytes / ID_DTYPES[dtype].bytes
      return { output, sha256, output_bytes: file.bytes, documents, tokens }
    },
    abandon: () => staging.remove(),
  }
}
