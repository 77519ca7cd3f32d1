/** What the files of a model's folder say about chats: plain data. */
export interface ChatCard {
  /** A template, or several by name; undefined: none. */
  readonly templates: string | ReadonlyMap<string, string> | undefined
  /** `bos_token` and so on, of which templates are variables. */
  readonly tokens: Readonly<Record<string, string>>
  /** Names of such variables that the files do not give: transformers' class of the tokenizer may. */
  readonly unknownTokens: readonly string[]
  readonly otherIds?: OtherIds | undefined
}

/** Where transformers makes other ids of a chat's text than tokenizer.json does, and by which field. */
export interface OtherIds {
  /** For every text; undefined: not for every. */
  readonly always?: string
  /** Literal → why, for texts in which it stands. */
  readonly tokens: Readonly<Record<string, string>>
}
