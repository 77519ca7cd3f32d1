import { join } from 'node:path'
import { FOLDER } from '../../service/corpus/folders.js'
import { DatasetUpload, type UploadFacts } from '../../service/corpus/upload.js'
import { UploadFolder } from '../../service/corpus/upload-folder.js'
import type { OpenTokenizer } from '../tokenizer.js'
import type { EndedShard, OutputFacts, ShardOutput } from './output.js'

/** Begins a dataset below a run's output, which is then a service's DATA_DIR. @param dtype of its file of tokens */
export function beginDataset(out: string, dtype: 'uint16' | 'uint32'): DatasetUpload {
  return new DatasetUpload(new UploadFolder(join(out, FOLDER)), dtype)
}

/** Facts that come from no input: a dataset's files depend on its documents alone, not on who wrote them, and when. */
export const NOBODYS: Pick<UploadFacts, 'owner' | 'created'> = { owner: null, created: 0 }

/** A dataset as the service stores an upload of the same documents. */
export class DatasetOutput implements ShardOutput {
  readonly #upload: DatasetUpload

  constructor(
    out: string,
    private readonly made: OpenTokenizer,
  ) {
    this.#upload = beginDataset(out, made.shortestDtype)
  }

  write(ids: Int32Array, ends: Int32Array): Promise<void> {
    return this.#upload.write(ids, ends)
  }

  async commit({ characters }: EndedShard): Promise<OutputFacts> {
    const { encoding, allowedSpecial, documentEnd = null, padTokenId = null } = this.made
    const { card } = await this.#upload.finish({
      ...NOBODYS,
      ...{ name: null, encoding, num_characters: characters },
      allowed_special: this.made.allowsAll ? 'all' : [...allowedSpecial],
      document_end: documentEnd,
      pad_token_id: padTokenId,
    })
    return {
      output: `${FOLDER}/${card.id}`,
      sha256: card.sha256,
      output_bytes: card.size_bytes,
      documents: card.num_documents,
      tokens: card.num_tokens,
    }
  }

  abandon(): Promise<void> {
    return this.#upload.abandon()
  }
}
