/** The part of a tokenizer's files about chats: plain data. */
export interface ChatFiles {
  /** A template, or several by name; undefined: none. */
  readonly templates: string | ReadonlyMap<string, string> | undefined
  /** `bos_token` and so on, of which templates are variables. */
  readonly tokens: Readonly<Record<string, string>>
  /** Names of such variables whose values are unknown: a template that reads one is refused. */
  readonly unknownTokens: readonly string[]
}
