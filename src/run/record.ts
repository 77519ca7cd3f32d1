import type { FrameFields } from '../corpus/dataset-card.js'
import type { DocumentSink } from '../corpus/document-writer.js'
import type { ChatCounts } from '../first-layer/datasets/chats/chat-lines.js'

/** A finished shard, as its record on the disk has it. It depends on the input's path and bytes and the recipe alone. */
export interface ShardRecord extends FrameFields {
  /** Derived from the recipe, the input's path, kind and bytes. */
  readonly key: string
  /** Everything that decides the output except the input. */
  readonly recipe: string
  /** Its path as it was given; in records of versions before 0.2 its last name alone. */
  readonly input: string
  readonly input_sha256: string
  /** Bytes of the input as stored. */
  readonly bytes: number
  readonly to: string
  /** The output's path below the run's folder; null if the input has no documents. */
  readonly output: string | null
  /** The hash of the output's bytes; for a folder, of its file of tokens. */
  readonly sha256: string | null
  readonly output_bytes: number
  readonly documents: number
  readonly tokens: number
  /** Null: some of the documents are held out. */
  readonly characters: number | null
  // Of an input of chats: everything else that decides its output, and what became of all of them.
  readonly chats_recipe?: string | undefined
  readonly chats?: ChatCounts | undefined
}

type OutputFacts = Pick<ShardRecord, 'output' | 'sha256' | 'output_bytes' | 'documents' | 'tokens'>

/** A shard's output while it is written: no file has its final name before the commit. */
export interface ShardOutput extends DocumentSink {
  /** @param name `part-1-KEY`, without an ending @param characters of all texts @param chats absent: some are held out */
  commit(name: string, characters: number | null, chats?: ChatCounts): Promise<OutputFacts>
  /** Removes what was written. Also called after a commit. */
  abandon(): Promise<void>
}

/** What a run has made, by paths below its OUT: files of a folder, or objects of a bucket under the same keys. */
export interface RunPlace {
  get(path: string): Promise<Buffer | undefined>
  /** Whether a file is there, or a folder whose path ends with `/`. */
  has(path: string): Promise<boolean>
  /** The files below a folder, sorted. */
  list(folder: string): AsyncIterable<string> | Iterable<string> | Promise<Iterable<string>>
  put(path: string, bytes: Uint8Array): Promise<void>
  /** The local folder in which the next output is made. */
  begin(): Promise<string>
  /** Brings a file, or a dataset, that is whole in such a folder to its place. */
  publish(folder: string, path: string, signal?: AbortSignal): Promise<void>
  /** Removes what is left in such a folder. */
  end(folder: string): Promise<void>
}
