import { shown } from '../first-layer/errors.js'

const NAME = '[A-Za-z0-9][A-Za-z0-9._-]*'
const MODEL_ID = new RegExp(`^${NAME}(/${NAME})?$`)
const MAX_ID_LENGTH = 128

export const MODEL_ID_RULE =
  '1 to 128 letters, digits, ".", "_" or "-", a letter or digit first; or two of these with a "/" between them'

/** Whether a text can be a model's id: `all-MiniLM-L6-v2`, `minishlab/potion-base-8M`. */
export function isModelId(id: string): boolean {
  return id.length <= MAX_ID_LENGTH && MODEL_ID.test(id)
}

export interface NamedSource {
  readonly id: string
  /** A path, or `org/model[@revision]`. */
  readonly source: string
}

/** `tiny=./models/tiny,gpt=openai-community/gpt2` → two sources; a string names the mistake. */
export function parseNamedSources(text: string): readonly NamedSource[] | string {
  const ids = new Set<string>()
  const sources: NamedSource[] = []
  for (const entry of text.split(',').map((part) => part.trim())) {
    const equals = entry.indexOf('=')
    if (equals < 0 || equals === entry.length - 1) return `${shown(entry)} is no name=path`
    const id = entry.slice(0, equals)
    if (!isModelId(id)) return `a name must be ${MODEL_ID_RULE}, not ${shown(id)}`
    if (id === 'default') return 'the name default is the environment’s own model’s'
    if (ids.has(id)) return `the name ${id} stands twice`
    ids.add(id)
    sources.push({ id, source: entry.slice(equals + 1) })
  }
  return sources
}
