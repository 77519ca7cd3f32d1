/** Ids around a document under `addSpecialTokens`: `[CLS]` before it, `[SEP]` after it. */
export interface SpecialTemplate {
  readonly before: readonly number[]
  readonly after: readonly number[]
}

export const NO_TEMPLATE: SpecialTemplate = { before: [], after: [] }
