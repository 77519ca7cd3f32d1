import type { DatasetCard, FrameFields } from '../corpus/dataset-card.js'
import type { DocumentSink } from '../corpus/document-writer.js'
import type { ChatCounts } from '../first-layer/datasets/chats/chat-lines.js'

/** The folder of records: `shards/part-1.txt/KEY.json` below a run's output, with the input's last name. */
export const FOLDER = 'shards'

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

/** The place of a run's outputs and their records: a folder, or a bucket. */
export interface RunPlace {
  /** The local folder in which the next shard's output is made. */
  begin(): Promise<string>
  /** Whether a shard of an input of this last name was ever finished: if not, the input need not be hashed to look for a record. */
  hasRecords(name: string): Promise<boolean>
  /** The record of a finished shard whose output is there. */
  readRecord(name: string, key: string): Promise<ShardRecord | undefined>
  /** Publishes an output that is whole in its folder, and then its record: the last step of a shard. */
  finish(folder: string, record: ShardRecord): Promise<void>
  /** Removes what is left of a shard in its folder. */
  end(folder: string): Promise<void>
  /** The records of finished shards whose outputs are there, by input name and key. */
  records(signal: AbortSignal): Promise<readonly ShardRecord[]>
  card(id: string): Promise<DatasetCard | undefined>
}

export function recordText(record: ShardRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`
}
