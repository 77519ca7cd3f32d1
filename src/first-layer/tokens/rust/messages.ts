import type { MessagePort } from 'node:worker_threads'
import type { ErrorCode } from '../../errors.js'

/** Text to be encoded. */
export interface EncodeWork {
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

/** A text, or ids, for a tokenizer. */
export type TextWork =
  | ({ readonly type: 'encode' } & EncodeWork)
  | { readonly type: 'decode'; readonly ids: Int32Array }

/** `json`: UTF-8. */
export type OpenWork = { readonly type: 'open'; readonly json: Uint8Array }

/** A call of the library; `key` names the tokenizer. */
export type RustWork = { readonly key: string } & (OpenWork | { readonly type: 'close' } | TextWork)

export type RustJob = { readonly id: number } & RustWork

/** Cancels a job whose result is no longer wanted. The job is answered all the same. */
export interface Cancel {
  readonly type: 'cancel'
  readonly id: number
}

/** A message to the thread that keeps the library's processes; `connect` brings a port by which one more thread sends jobs. */
export type RustMessage = RustJob | Cancel | { readonly type: 'connect'; readonly port: MessagePort }

/** Why a job has no result. */
export type Failure =
  | { readonly code: ErrorCode; readonly message: string }
  /** There is no room now. `waitMs`: the expected wait; `late`: the job has waited, and too long. */
  | { readonly waitMs: number; readonly late: boolean }

export type Result = Encoded | string | undefined

/** The answer to a job. */
export type RustAnswer =
  | { readonly job: number; readonly result: Result }
  | { readonly job: number; readonly failure: Failure }

/** A job for the process of one tokenizer, which is opened first. */
export type ProcessJob = { readonly id: number } & (OpenWork | TextWork)

/** Its answer: a `message` is the library's own. */
export type ProcessAnswer =
  | { readonly job: number; readonly result: Result }
  | { readonly job: number; readonly message: string }
