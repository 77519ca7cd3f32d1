import type { DocumentSink } from '../../service/corpus/ingest/document-sink.js'

/** What is known of a shard when its last document has come. */
export interface EndedShard {
  /** `part-1-KEY`: a file's name without its ending. */
  readonly name: string
  /** Code points of all texts. */
  readonly characters: number
}

/** An output as its record has it. */
export interface OutputFacts {
  /** Its place below the run's folder; null where the input has no documents, and so no output. */
  readonly output: string | null
  readonly sha256: string | null
  readonly output_bytes: number
  readonly documents: number
  readonly tokens: number
}

/** A shard's output on its way: nothing has a name before all is there. */
export interface ShardOutput extends DocumentSink {
  /** Gives the output its name. */
  commit(ended: EndedShard): Promise<OutputFacts>
  /** Removes what was written. Also called after a commit. */
  abandon(): Promise<void>
}
