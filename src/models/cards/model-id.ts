const NAME = '[A-Za-z0-9][A-Za-z0-9._-]*'
const MODEL_ID = new RegExp(`^${NAME}(/${NAME})?$`)
const PROMPT_NAME = new RegExp(`^${NAME}$`)
const MAX_ID_LENGTH = 128

/** The rule of ids, for messages. */
export const MODEL_ID_RULE =
  '1 to 128 letters, digits, ".", "_" or "-", a letter or digit first; or two of these with a "/" between them'

/** Whether a text can be a model's id: `all-MiniLM-L6-v2`, `minishlab/potion-base-8M`. */
export function isModelId(id: string): boolean {
  return id.length <= MAX_ID_LENGTH && MODEL_ID.test(id)
}

/** The rule of soft prompts' names, for messages. */
export const PROMPT_NAME_RULE = '1 to 128 letters, digits, ".", "_" or "-", a letter or digit first'

/** Whether a text can name a soft prompt: `sentiment-v2`. */
export function isPromptName(name: string): boolean {
  return name.length <= MAX_ID_LENGTH && PROMPT_NAME.test(name)
}
