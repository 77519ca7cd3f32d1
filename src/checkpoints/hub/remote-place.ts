import type { Hub } from './hub.js'

/** The place of a file in a repository. */
export interface RemotePlace {
  readonly hub: Hub
  /** `org/model`. */
  readonly repository: string
  readonly commit: string
  /** Its name, `model.safetensors`. */
  readonly file: string
  /** Called with bytes as they come. */
  received(bytes: number): void
}

/** The path of a file below the endpoint. */
export function resolvePath(repository: string, commit: string, file: string): string {
  return `${repository}/resolve/${commit}/${file.split('/').map(encodeURIComponent).join('/')}`
}
