/** A path with `:model` and `:prompt` in it, for the framework's types. */
export interface SoftPromptPath {
  Params: { model: string; prompt: string }
}

export const JSON_TYPE = 'application/json'
