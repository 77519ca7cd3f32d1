import type { MessagePort } from 'node:worker_threads'

/** Text to be encoded by a tokenizer that is open. */
export interface EncodeWork {
  readonly key: string
  /** The text's UTF-8, cut anywhere. */
  readonly chunks: readonly Uint8Array[]
  /** Special tokens whose literals are ordinary text. */
  readonly forbidden: readonly string[]
  readonly addSpecialTokens: boolean
  readonly ranges: boolean
}

/** Ids of a text. */
export interface Encoded {
  readonly ids: Int32Array
  /** Bytes of the text that each id stands for: [start, end), start, end …; empty if not wanted. */
  readonly ranges: Int32Array
  /** Code points of the text. */
  readonly characters: number
}

/** A call of the library. */
export type RustWork =
  /** `json`: UTF-8 in shared memory. */
  | { readonly type: 'open'; readonly key: string; readonly json: Uint8Array }
  | { readonly type: 'close'; readonly key: string }
  | ({ readonly type: 'encode' } & EncodeWork)
  | { readonly type: 'decode'; readonly key: string; readonly ids: Int32Array }

export type RustJob = { readonly id: number } & RustWork

/** Cancels a job whose result is no longer wanted. The job is answered all the same. */
export interface Cancel {
  readonly type: 'cancel'
  readonly id: number
}

/** A message to the thread that keeps the library's process; `connect` brings a port by which one more thread sends jobs. */
export type RustMessage = RustJob | Cancel | { readonly type: 'connect'; readonly port: MessagePort }

/** The answer to a job. `message` is the reason of a failure; `isFile`: the file that was to be opened. */
export type RustAnswer =
  | { readonly job: number; readonly result: Encoded | string | undefined }
  | { readonly job: number; readonly message: string; readonly isFile: boolean }
