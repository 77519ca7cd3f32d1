const MODEL_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

/** The rule of ids, for messages. */
export const MODEL_ID_RULE = '1 to 128 letters, digits, ".", "_" or "-", a letter or digit first'

/** Whether a text can be a model's id: `all-MiniLM-L6-v2`. */
export function isModelId(id: string): boolean {
  return MODEL_ID.test(id)
}
