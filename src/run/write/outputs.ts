import { join } from 'node:path'
import type { CorpusCard } from '../../corpus/dataset-card.js'
import { frameFields } from '../../corpus/document-frame.js'
import { FOLDER } from '../../corpus/folders.js'
import type { ChatSettings } from '../../corpus/ingest-chats.js'
import { DatasetUpload } from '../../corpus/upload.js'
import { type AsideFile, AsideFolder } from '../../files/aside.js'
import { ID_DTYPES, type IdDtypeName } from '../../first-layer/datasets/id-dtypes.js'
import { TokenBuffer } from '../../first-layer/tokens/token-buffer.js'
import type { OpenModel } from '../open-model.js'
import type { OpenTokenizer, Target } from '../recipe.js'
import type { ShardOutput } from '../record.js'

/** Begins a shard's output. @param out the run's folder @param model present for embeddings */
export async function openOutput(
  to: Target,
  out: string,
  made: OpenTokenizer,
  model: OpenModel | undefined,
  chats: ChatSettings | undefined,
): Promise<ShardOutput> {
  if (to === 'ids') return datasetOutput(out, made, chats)
  if (to === 'bin') return binOutput(out, made.dtype)
  if (to === 'megatron') return megatronOutput(out, made.tokenizer.vocabSize)
  const { embeddingsOutput } = await import('./embeddings-output.js') // ids do without
  return embeddingsOutput(out, model!)
}

/** Begins a dataset below a run's output, which can then be a service's DATA_DIR. @param dtype of its file of tokens */
export function beginDataset(out: string, dtype: CorpusCard['dtype']): DatasetUpload {
  return new DatasetUpload(join(out, FOLDER), dtype)
}

/** A dataset's files depend on its documents alone, not on who wrote them and when. */
export const NOBODYS = { owner: null, created: 0 }

/** A dataset, as the service stores an upload of the same documents. */
function datasetOutput(out: string, made: OpenTokenizer, settings: ChatSettings | undefined): ShardOutput {
  const upload = beginDataset(out, made.shortestDtype)
  return {
    startMask: () => upload.startMask(),
    write: (ids, ends) => upload.write(ids, ends),
    async commit(_, characters, chats) {
      const { card } = await upload.finish({
        ...{ name: null, encoding: made.encoding },
        allowed_special: made.allowsAll ? 'all' : [...made.allowedSpecial],
        ...frameFields(made, made.tokenizer),
        ...{ ...NOBODYS, num_characters: characters, pad_token_id: made.padTokenId ?? null },
        ...{ ...settings?.options, chats },
      })
      const { id, sha256, size_bytes: output_bytes, num_documents: documents, num_tokens: tokens } = card
      return { output: `${FOLDER}/${id}`, sha256, output_bytes, documents, tokens }
    },
    abandon: () => upload.abandon(),
  }
}

/** Writes ids without a header, little-endian. */
async function writeIds(file: AsideFile, ids: Int32Array, dtype: IdDtypeName): Promise<void> {
  const bytes = new Uint8Array(ids.length * ID_DTYPES[dtype].bytes)
  ID_DTYPES[dtype].write(ids, bytes)
  await file.write(bytes)
}

const PART = 'ids.bin'

/** All ids one after the other, without a header: nanoGPT's `train.bin`. */
async function binOutput(out: string, dtype: 'uint16' | 'uint32'): Promise<ShardOutput> {
  const staging = new AsideFolder(out)
  const file = await staging.open(PART)
  let documents = 0
  return {
    async write(ids, ends) {
      documents += ends.length
      await writeIds(file, ids, dtype)
    },
    async commit(name) {
      const [sha256, output] = [await file.close(), `${name}.bin`]
      await staging.moveFile(PART, join(out, output))
      const tokens = file.bytes / ID_DTYPES[dtype].bytes
      return { output, sha256, output_bytes: file.bytes, documents, tokens }
    },
    abandon: () => staging.remove(),
  }
}

/** From so many ids on Megatron takes int32 in place of uint16 (`DType.optimal_dtype`). */
const WIDE_IDS = 65_500

/**
 * A folder with `tokens.bin` and `tokens.idx`, as Megatron-LM's `preprocess_data.py` writes them: a sequence for each
 * document that is not empty. `--data-path OUT/part-1-KEY/tokens` reads it.
 */
export async function megatronOutput(out: string, vocabSize: number): Promise<ShardOutput> {
  const dtype = vocabSize < WIDE_IDS ? 'uint16' : 'int32'
  const staging = new AsideFolder(out)
  const tokens = await staging.open('tokens.bin')
  /** Of all documents: the index begins with their number. */
  const lengths = new TokenBuffer()
  /** Ids so far of the unfinished document. */
  let length = 0
  return {
    async write(ids, ends) {
      const found: number[] = []
      let start = -length
      for (const end of ends) {
        if (end > start) found.push(end - start)
        start = end
      }
      length = ids.length - start
      lengths.append(Int32Array.from(found))
      await writeIds(tokens, ids, dtype)
    },
    async commit(name) {
      const sha256 = await tokens.close()
      const index = await staging.open('tokens.idx')
      for (const block of megatronIndex(dtype, lengths)) await index.write(block)
      await index.close()
      await staging.moveTo(name) // what is there has the same bytes
      const facts = { documents: lengths.length, tokens: tokens.bytes / MEGATRON_DTYPES[dtype].bytes }
      return { output: name, sha256, output_bytes: tokens.bytes + index.bytes, ...facts }
    },
    abandon: () => staging.remove(),
  }
}

/** Codes of element types in an index (`DType` of Megatron-LM's indexed_dataset.py). */
export const MEGATRON_DTYPES = { uint16: { code: 8, bytes: 2 }, int32: { code: 4, bytes: 4 } } as const

const MAGIC = Buffer.from('MMIDIDX\0\0', 'latin1')
const VERSION = 1n
const BLOCK = 1 << 13

/**
 * The index of Megatron-LM's datasets, little-endian: magic (9 bytes), version (uint64), type of ids (uint8), number of
 * sequences S and of documents + 1 (uint64), lengths [S] int32 in ids, where each begins [S] int64 in bytes, the first
 * sequence of each document and their end [S + 1] int64. Each document is one sequence.
 */
export function* megatronIndex(
  dtype: keyof typeof MEGATRON_DTYPES,
  lengths: TokenBuffer,
): Generator<Uint8Array, void, void> {
  const { code, bytes } = MEGATRON_DTYPES[dtype]
  const count = lengths.length
  const head = Buffer.alloc(MAGIC.length + 25)
  MAGIC.copy(head)
  head.writeBigUInt64LE(VERSION, 9)
  head.writeUInt8(code, 17)
  head.writeBigUInt64LE(BigInt(count), 18)
  head.writeBigUInt64LE(BigInt(count + 1), 26)
  yield head
  for (const block of lengths.blocks()) yield new Uint8Array(block.slice().buffer)
  let place = 0
  for (const block of lengths.blocks()) {
    const places = BigInt64Array.from(block, (length) => {
      place += length * bytes
      return BigInt(place - length * bytes)
    })
    yield new Uint8Array(places.buffer)
  }
  for (let first = 0; first <= count; first += BLOCK) {
    const length = Math.min(BLOCK, count + 1 - first)
    yield new Uint8Array(BigInt64Array.from({ length }, (_, i) => BigInt(first + i)).buffer)
  }
}
