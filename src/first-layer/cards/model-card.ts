import type { Architecture } from '../embeddings/architectures/registry.js'
import type { ModelSpec } from '../embeddings/model.js'
import type { PositionEmbeddingValue } from '../embeddings/positions/position-option.js'
import { type LookupCard, widestLookupRow } from '../lookups/lookup-card.js'
import type { Pooling } from '../pooling/pooling.js'
import type { FloatDtype } from '../tensors/named-tensor.js'
import type { FileTensor } from '../tensors/safetensors/header.js'
import type { BytePairSpec } from '../tokens/byte-pair/byte-pair-tokenizer.js'
import type { RustSpec } from '../tokens/rust/rust-tokenizer.js'
import type { Tokenizer } from '../tokens/tokenizer.js'
import type { WordPieceSpec } from '../tokens/wordpiece/wordpiece-tokenizer.js'

/** The tokenizer that turns a model's text into ids. */
export type TokenizerCard =
  | {
      readonly type: 'tiktoken'
      /** The encoding's name, `gpt2`. */
      readonly encoding: string
    }
  | { readonly type: 'byte_pair'; readonly key: string; readonly spec: BytePairSpec }
  | { readonly type: 'wordpiece'; readonly key: string; readonly spec: WordPieceSpec }
  | {
      /** A tokenizer that the Rust library runs. */
      readonly type: 'foreign'
      /** Identifies the tokenizer in all threads. */
      readonly key: string
      readonly spec: RustSpec
      /** tokenizer.json, UTF-8 in shared memory. */
      readonly json: Uint8Array
    }
  | {
      readonly type: 'none'
      /** Why the model has none. */
      readonly reason: string
    }

/** A tensor of a folder, and the table that it becomes. */
export interface FolderTensor extends FileTensor {
  /** `wte.weight`. */
  readonly table: string
  readonly shape: readonly number[]
  /** Element type of the numbers as they are read. */
  readonly stored: FloatDtype | 'int8'
  /** Element type of the table: numbers are cast to it as they are read. */
  readonly dtype: FloatDtype
  /** Integers [V]: row i of the table is row `rows[i]` of the tensor (Model2Vec's `mapping`). */
  readonly rows?: FileTensor
  /** The tensor is a part of the table, beside or below another. Absent: it is the table. */
  readonly part?: TablePart
}

/** Rows `first` … of a table from `column` on are a tensor's rows, each `times` in turn, over and over (Reformer's axes). */
export interface TablePart {
  readonly first: number
  readonly count: number
  readonly column: number
  readonly times: number
}

export interface FolderSource {
  readonly type: 'folder'
  readonly path: string
  readonly tensors: readonly FolderTensor[]
  /** The files that have these tensors, with their bytes. */
  readonly files: readonly { readonly name: string; readonly bytes: number }[]
  /** Of all files of the folder when the card was read: another one says that they have changed. */
  readonly stamp?: string
}

/** The origin of a model's tables. */
type SourceCard =
  | {
      readonly type: 'seed'
      /** `torch.manual_seed` before the tables are drawn. */
      readonly seed: bigint
      /** Standard deviation of the tables; 1 is `nn.Embedding`'s own. */
      readonly initStd: number
    }
  | { readonly type: 'upload' }
  | FolderSource

/** A model without its numbers, as plain data: it can be posted to a thread and shown to a user. */
export interface ModelCard
  extends Pick<
    ModelSpec,
    'id' | 'vocabSize' | 'embeddingDim' | 'hiddenSize' | 'maxPositionEmbeddings' | 'typeVocabSize' | 'dtype'
  > {
  /** A checkpoint's model type; `seed` without a checkpoint. */
  readonly modelType: string
  readonly tokenizer: TokenizerCard
  /** Present where a folder says how its model reads chats. */
  readonly chat?: ChatCard
  /** The architecture's name. */
  readonly architecture: string
  /** A checkpoint's own steps between row and first block; absent: those of the named architecture. */
  readonly layer?: Architecture
  /** The id of padded slots, if the folder names one. */
  readonly padTokenId?: number
  /** The commit at which the folder was downloaded, if that is known. */
  readonly revision?: string
  /** The position scheme as on the wire, every option filled in. */
  readonly positionEmbedding: PositionEmbeddingValue
  readonly source: SourceCard
  /** Why the folder gives no tables: the model serves ids and texts alone. */
  readonly tablesUnavailable?: string
  /** Present in static models. */
  readonly pooling?: Pooling
  /** Present where the model looks up or takes more than a token's row. */
  readonly lookups?: LookupCard
}

/** The width of the widest computed rows, by which each thread's scratch space is sized. */
export function widestRow({ embeddingDim, hiddenSize, lookups }: ModelCard): number {
  return Math.max(embeddingDim, hiddenSize, lookups === undefined ? 0 : widestLookupRow(lookups, hiddenSize))
}

/** Chat settings from the files of a model's folder, as plain data. */
export interface ChatCard {
  /** A template, or several by name; undefined: none. */
  readonly templates: string | ReadonlyMap<string, string> | undefined
  /** `bos_token` and so on, of which templates are variables. */
  readonly tokens: Readonly<Record<string, string>>
  /** Names of such variables that the files do not give: transformers' class of the tokenizer may. */
  readonly unknownTokens: readonly string[]
  readonly otherIds?: OtherIds | undefined
}

/** Texts for which transformers gives other ids than tokenizer.json, and the field that causes it. */
export interface OtherIds {
  /** For every text; undefined: not for every. */
  readonly always?: string
  /** Literal → why, for texts in which it stands. */
  readonly tokens: Readonly<Record<string, string>>
}

/** The id of padded slots: the folder's own; of a model with tables from a seed its tokenizer's end of text. */
export function padTokenIdOf(
  card: ModelCard,
  { endOfText }: Pick<Tokenizer, 'endOfText'>,
): number | undefined {
  return card.source.type === 'folder' ? card.padTokenId : (endOfText ?? card.padTokenId)
}

/** The name of the card's encoding, if its tokenizer is one of tiktoken's. */
export function encodingName({ tokenizer }: ModelCard): string | undefined {
  return tokenizer.type === 'tiktoken' ? tokenizer.encoding : undefined
}

/** A model's tokenizer as callers see it: its kind, and whether and why it takes no text. */
export function describeTokenizer({ type }: TokenizerCard, { unavailable }: Pick<Tokenizer, 'unavailable'>) {
  return unavailable === undefined
    ? { type, available: true }
    : { type, available: false, reason: unavailable }
}

/**
 * Whether a static model takes ids in place of texts. Ids that mean other tokens would give wrong embeddings without
 * an error, so models with another tokenizer take none unless their folder allows it.
 */
export function acceptsIds({ pooling, tokenizer }: Pick<ModelCard, 'pooling' | 'tokenizer'>): boolean {
  return pooling?.acceptIds ?? tokenizer.type === 'tiktoken'
}
