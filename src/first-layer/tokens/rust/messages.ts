export interface TokenizerJson {
  /** Files with equal keys are equal. */
  readonly key: string
  /** UTF-8, in shared memory. */
  readonly json: Uint8Array
}

/** Text to be encoded. */
export interface EncodeWork {
  readonly type: 'encode'
  readonly utf8: Uint8Array
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

export type TextWork = EncodeWork | { readonly type: 'decode'; readonly ids: Int32Array }

/** A caller's work for the library: `open` only checks whether the library can use the file. `ticket` names it. */
export type RustWork = { readonly file: TokenizerJson; readonly ticket?: string } & (
  | TextWork
  | { readonly type: 'open' }
)

export type Result = Encoded | string | undefined

/** The work of the library's process: a text needs a file that is open. */
export type FileJob = { readonly key: string } & (
  | { readonly type: 'open'; readonly json: Uint8Array }
  | TextWork
)

export type ProcessJob = FileJob & { readonly id: number }

/** The process's answer, and the memory that it has then; a `message` is an error of the library. */
export type ProcessAnswer = { readonly id: number; readonly processBytes: number } & (
  | { readonly result: Result }
  | { readonly message: string }
)
