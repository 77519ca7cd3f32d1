import { fileError, isObject, type JsonObject, stringField, stringOf } from './fields.js'

export const ROLES = ['bos', 'eos', 'unk', 'sep', 'pad', 'cls', 'mask'] as const
type Role = (typeof ROLES)[number]

/** Role → literal; roles without a literal are absent. */
export type Roles = Readonly<Partial<Record<Role, string>>>

/** A small file beside tokenizer.json, parsed. */
export interface SideFile {
  readonly file: string
  readonly json: JsonObject
}

/**
 * Reads the literals of roles as transformers does: `bos_token` and so on, as a string or as an object with `content`,
 * from special_tokens_map.json, then from tokenizer_config.json; from the latter alone if it has `added_tokens_decoder`.
 *
 * @throws InletError `model_failed`
 */
export function readRoles(config: SideFile | undefined, map: SideFile | undefined): Roles {
  const isMapRead = config?.json.added_tokens_decoder === undefined
  const files = [...(isMapRead ? [map] : []), config].filter((file) => file !== undefined)
  const roles: Partial<Record<Role, string>> = {}
  for (const role of ROLES) {
    for (const { file, json } of files) {
      const field = `${role}_token`
      const value = json[field]
      if (value === undefined || value === null) continue
      roles[role] ??= literalOf(value, field, file)
    }
  }
  return roles
}

function literalOf(value: unknown, field: string, file: string): string {
  if (isObject(value)) return stringField(value, 'content', { file, path: field })
  if (typeof value === 'string') return stringOf(value, field, { file, path: '' })
  throw fileError({ file, path: '' }, field, 'a string, or an object with `content`', value)
}
