/** What the id of a model may be, in words. */
export const MODEL_ID_RULE =
  '1 to 128 letters, digits, ".", "_" or "-", of which the first is a letter or a digit'

const MODEL_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

export function isModelId(text: string): boolean {
  return MODEL_ID.test(text)
}
