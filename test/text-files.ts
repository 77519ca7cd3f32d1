import { readFileSync } from 'node:fs'

/** Imports text files as strings, as the explorer's bundle does. */
export const textFiles = {
  name: 'text-files',
  enforce: 'pre' as const,
  load(id: string) {
    return id.endsWith('.txt') ? `export default ${JSON.stringify(readFileSync(id, 'utf8'))}` : undefined
  },
}
