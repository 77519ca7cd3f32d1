const NAME = '[A-Za-z0-9][A-Za-z0-9._-]*'
const MODEL_ID = new RegExp(`^${NAME}(/${NAME})?$`)
const MAX_ID_LENGTH = 128

export const MODEL_ID_RULE =
  '1 to 128 letters, digits, ".", "_" or "-", a letter or digit first; or two of these with a "/" between them'

/** Whether a text can be a model's id: `all-MiniLM-L6-v2`, `minishlab/potion-base-8M`. */
export function isModelId(id: string): boolean {
  return id.length <= MAX_ID_LENGTH && MODEL_ID.test(id)
}
